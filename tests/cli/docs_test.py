"""The documentation: the commands of its pages run and print the numbers shown there; commands
and options of all pages exist; the pages obey tools/check_docs."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from program import PROGRAM, ROOT, ProgramTest  # noqa: E402

DOCS = ROOT / "docs"
# Not run: commands that build the playground, campaigns of hours.
NOT_RUN = {"playground", "reliability"}
# That a page begins with: files, and folders as they lie in the repository.
FILES = {"meshes": [ROOT / "models/solids/bracket.msh"], "gallery_texts": [ROOT / "models/solids", ROOT / "models/shells"]}
RUN = sorted(page for page in DOCS.rglob("*.md") if page.stem not in NOT_RUN and "\n```sh\n" in page.read_text(encoding="utf-8"))
TOLERANCE = 2e-3  # of a number on a page; other machines round differently
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def fences(text):
    """(language, title, content) of every fenced block."""
    for info, content in re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.S | re.M):
        title = re.search(r'title="([^"]*)"', info)
        yield info.split(" ")[0], title.group(1) if title else None, content


def indented(text):
    """Code without a fence: lines that four blanks begin, outside of lists."""
    text = re.sub(r"(?ms)^```.*?^```$", "", text)
    for block in re.split(r"\n\s*\n", text):
        lines = block.strip("\n").splitlines()
        if lines and all(line.startswith("    ") for line in lines):
            yield "\n".join(line[4:] for line in lines)


class Schema:
    """Which keys of a model file exist, by the schema that the program prints."""

    def __init__(self, root):
        self.root = root

    def forms(self, node):
        if "$ref" in node:
            return self.forms(self.root["definitions"][node["$ref"].removeprefix("#/definitions/")])
        others = [*node.get("anyOf", []), *(rule.get("then", rule) for rule in node.get("allOf", []))]
        return [node, *(form for other in others for form in self.forms(other))]

    def unknown(self, node, value, path=""):
        forms = self.forms(node)
        if isinstance(value, list):
            items = {"anyOf": [form["items"] for form in forms if "items" in form]}
            return [found for item in value for found in self.unknown(items, item, path)]
        if not isinstance(value, dict):
            return []
        result = []
        for key, inner in value.items():
            own = [form["properties"][key] for form in forms if key in form.get("properties", {})]
            own += [form["additionalProperties"] for form in forms if isinstance(form.get("additionalProperties"), dict)]
            result += self.unknown({"anyOf": own}, inner, f"{path}.{key}") if own else [f"{path}.{key}"]
        return result


def same(shown, word):
    """Whether a word of the page is the program's: equal, or a number within the tolerance or half its last digit."""
    if shown == word:
        return True
    if not (NUMBER.fullmatch(shown.rstrip(",;")) and NUMBER.fullmatch(word.rstrip(",;"))):
        return False
    shown, word = shown.rstrip(",;"), word.rstrip(",;")
    digits = len(shown.split("e")[0].split(".")[1]) if "." in shown.split("e")[0] else 0
    exponent = int(shown.split("e")[1]) if "e" in shown else 0
    half_digit = 0.5 * 10.0 ** (exponent - digits)
    return abs(float(shown) - float(word)) <= max(TOLERANCE * abs(float(shown)), half_digit)


def holds(shown, line):
    """Whether the words of a page's line begin the program's line."""
    words, printed = shown.split(), line.split()
    return len(words) <= len(printed) and all(same(a, b) for a, b in zip(words, printed))


class Pages(ProgramTest):
    def setUp(self):
        super().setUp()
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "lithe").symlink_to(PROGRAM)
        (tools / "xdg-open").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
        (tools / "xdg-open").chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}

    def run_block(self, page, script):
        result = subprocess.run(["sh", "-e", "-c", script], cwd=self.work, env=self.environment, capture_output=True,
                                text=True, timeout=240, check=False)
        self.assertEqual(result.returncode, 0, f"{page.name}:\n{script}\n{result.stdout}{result.stderr}")
        return result.stdout

    def run_page(self, page):
        self.work = self.folder / page.stem
        self.work.mkdir()
        for file in FILES.get(page.stem, []):
            if file.is_dir():
                shutil.copytree(file, self.work / file.relative_to(ROOT))
            else:
                shutil.copy(file, self.work)
        printed = None
        for language, title, content in fences(page.read_text(encoding="utf-8")):
            if language in ("toml", "xml", "csv") and title:
                (self.work / title).write_text(content, encoding="utf-8")
            elif language == "sh":
                printed = self.run_block(page, content).splitlines()
            elif language == "text" and printed is not None:
                at = 0
                for shown in filter(str.strip, content.splitlines()):
                    found = next((i for i in range(at, len(printed)) if holds(shown, printed[i])), None)
                    self.assertIsNotNone(found, f"{page.name}: the program does not print\n  {shown}\nbut\n" +
                                         "\n".join(printed))
                    at = found + 1
                printed = None

    def test_commands_and_options_of_all_pages_exist(self):
        known = {}
        for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]:
            text = page.read_text(encoding="utf-8")
            for content in [*(content for _, _, content in fences(text)), *indented(text)]:
                for line in content.replace("\\\n", " ").splitlines():
                    words = re.match(r"\s*(?:\w+/)*lithe ([a-z]+(?:-[a-z]+)*)(?![\w.-])(.*)", line)
                    if not words:
                        continue
                    command = words.group(1)
                    if command not in known:
                        known[command] = self.succeed(command, "--help").stdout
                    try:
                        options = shlex.split(words.group(2), comments=True)
                    except ValueError:
                        self.fail(f"{page.name}: {line}")
                    for option in options:
                        if option.startswith("--"):
                            self.assertRegex(known[command], rf"(?m)[ ,]{re.escape(option)}\b", f"{page.name}: {line}")
        self.assertGreater(len(known), 10)

    def test_commands_stand_in_blocks_that_say_whether_they_run(self):
        """`sh` runs; `bash` does not: it takes too long, or names files of the reader."""
        for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]:
            for language, _, content in fences(page.read_text(encoding="utf-8")):
                if re.search(r"(?m)^lithe [a-z]", content):
                    self.assertIn(language, ("sh", "bash", "text"), f"{page.name}:\n{content}")

    def test_model_files_on_all_pages_have_keys_that_exist(self):
        schema = Schema(json.loads(self.succeed("reference", "--schema").stdout))
        count = 0
        for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]:
            for language, _, content in fences(page.read_text(encoding="utf-8")):
                if language != "toml":
                    continue
                try:
                    data = tomllib.loads(content)
                except tomllib.TOMLDecodeError as error:
                    self.fail(f"{page.name}: {error}\n{content}")
                self.assertEqual(schema.unknown(schema.root, data), [], f"{page.name}:\n{content}")
                count += 1
        self.assertGreater(count, 10)

    def test_the_controllers_of_the_page_control_an_arm(self):
        text = (DOCS / "control.md").read_text(encoding="utf-8")
        programs = [content for language, title, content in fences(text) if title == "mine.py"]
        controller = next(content for language, _, content in fences(text) if language == "toml" and '"mine.py"' in content)
        self.assertEqual(len(programs), 2)
        model = (ROOT / "models" / "control_arm.toml").read_text(encoding="utf-8").replace('active = ["lqg"]', 'active = ["mine"]')
        for program, protocol in zip(programs, ("", 'protocol = "binary"\n')):
            self.write("mine.py", program)
            self.write("arm.toml", model + "\n" + controller + protocol)
            sensors = self.succeed_json("simulate", "arm.toml", "--end", "1.2", "--allow-commands")["sensors"]
            angle = next(sensor["last"] for sensor in sensors if sensor["name"] == "shoulder angle")
            self.assertGreater(angle, 0.2)  # it has turned the arm: 0.79 rad is asked for

    def test_programs_on_all_pages_are_known_to_a_test(self):
        """Blocks in other languages than that of the shell; a new one needs a test."""
        tested = {"README.md": {"python", "cpp"}, "python.md": {"python"}, "python_cluster.md": {"python"},
                  "cpp.md": {"cpp", "cmake"}, "control.md": {"cpp", "python"}, "playground.md": {"js"}}
        for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]:
            languages = {language for language, _, _ in fences(page.read_text(encoding="utf-8"))}
            self.assertLessEqual(languages - {"sh", "bash", "text", "toml", "xml", "csv", ""}, tested.get(page.name, set()), page.name)

    def test_every_example_model_has_its_text_in_the_gallery(self):
        told = re.findall(r"(?m)^## (\S+)$", (DOCS / "gallery_texts.md").read_text(encoding="utf-8"))
        models = [model.stem for model in (*sorted((ROOT / "models").glob("*.toml")), *sorted((ROOT / "models").glob("*/*.toml")))]
        self.assertEqual(told, models)

    def test_the_pages_obey_the_rules(self):
        result = subprocess.run([sys.executable, str(ROOT / "tools" / "check_docs")], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


def add_page(page):
    name = f"test_{page.parent.name}_{page.stem}_prints_what_the_page_shows"
    setattr(Pages, name, lambda self: self.run_page(page))


for one in RUN:
    add_page(one)


if __name__ == "__main__":
    unittest.main()
