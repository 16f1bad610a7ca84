"""What helps while one writes a model: the JSON Schema, `new`, `watch`, `doctor`."""
import json
import math
import os
import pty
import re
import signal
import subprocess
import sys
import time
import tomllib
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(__file__))
from program import PROGRAM, ROOT, ProgramTest  # noqa: E402

# A key is missing here because of the value of another one.
NEEDED_BY_ANOTHER_KEY = {"joint_parent_node_missing", "load_without_direction", "moves_mistaken"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}


def is_type(value, name):
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def fault(value, schema, root, path="$"):
    """The first thing that draft 7 of JSON Schema finds wrong, or None. Knows the keywords that the schema uses."""
    known = {"$schema", "title", "description", "definitions", "type", "properties", "additionalProperties", "required",
             "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern", "items",
             "minItems", "maxItems", "anyOf", "allOf", "if", "then", "$ref"}
    assert set(schema) <= known, set(schema) - known
    if "$ref" in schema:
        return fault(value, root["definitions"][schema["$ref"].removeprefix("#/definitions/")], root, path)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        return f"{path}: not {types}"
    if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
        return f"{path}: not one of the choices"
    if is_type(value, "number"):
        if value < schema.get("minimum", -math.inf) or value > schema.get("maximum", math.inf):
            return f"{path}: out of range"
        if value <= schema.get("exclusiveMinimum", -math.inf) or value >= schema.get("exclusiveMaximum", math.inf):
            return f"{path}: out of range"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return f"{path}: not a quantity"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
            return f"{path}: wrong count"
        for i, item in enumerate(value):
            found = fault(item, schema.get("items", {}), root, f"{path}[{i}]")
            if found:
                return found
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                return f"{path}: '{name}' is missing"
        others = schema.get("additionalProperties", {})
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name, others)
            if inner is False:
                return f"{path}: unknown key '{name}'"
            found = fault(item, inner, root, f"{path}.{name}")
            if found:
                return found
    if "anyOf" in schema and all(fault(value, one, root, path) for one in schema["anyOf"]):
        return f"{path}: fits none of {len(schema['anyOf'])} forms"
    for one in schema.get("allOf", []):
        found = fault(value, one, root, path)
        if found:
            return found
    if "if" in schema and not fault(value, schema["if"], root, path):
        return fault(value, schema["then"], root, path)
    return None


class Schema(ProgramTest):
    def setUp(self):
        super().setUp()
        self.schema = json.loads(self.succeed("reference", "--schema").stdout)

    def test_accepts_every_example_model(self):
        models = sorted((ROOT / "models").rglob("*.toml"))
        self.assertGreater(len(models), 20)
        for model in models:
            found = fault(tomllib.loads(model.read_text(encoding="utf-8")), self.schema, self.schema)
            self.assertIsNone(found, model.name)

    def test_rejects_the_bad_inputs_whose_fault_it_can_see(self):
        seen = unseen = 0
        for model in sorted((ROOT / "tests" / "bad_input").glob("*.toml")):
            expected = model.with_suffix(".expected").read_text(encoding="utf-8")
            try:
                document = tomllib.loads(model.read_text(encoding="utf-8"))
            except (tomllib.TOMLDecodeError, RecursionError, UnicodeDecodeError):
                continue  # not TOML at all
            found = fault(document, self.schema, self.schema)
            visible = re.search(r"unknown key|key '\w+' is missing(?! \(|:)|must be one of (?!\w+/)|must be positive, got -|"
                                r"must be a (table|whole number|text)|must be true or false|"
                                r"must be an array of (texts|tables)", expected)
            seen += found is not None
            unseen += found is None
            if visible and model.stem not in NEEDED_BY_ANOTHER_KEY:
                self.assertIsNotNone(found, f"{model.name}: {expected}")
        self.assertGreater(seen, 40)
        self.assertGreater(unseen, 10)  # the program sees more than a schema

    def test_robot_links_and_dh_rows_have_the_tables_of_links(self):
        for table in ("links", "links.NAME_beside_robot", "dh.rows"):
            for key in ("damping", "reduction", "masses"):
                self.assertIn(f"#/definitions/links.{key}", json.dumps(self.schema["definitions"][table]["properties"][key]), table)

    def test_every_table_has_its_keys(self):
        """A key that holds a table refers to the table's own keys, so that editors complete them."""
        def bare(schema, path):
            if isinstance(schema, dict):
                if schema.get("type") == "object" and not {"properties", "additionalProperties"} & set(schema):
                    yield path
                for name, inner in schema.items():
                    yield from bare(inner, f"{path}/{name}")
            elif isinstance(schema, list):
                for i, inner in enumerate(schema):
                    yield from bare(inner, f"{path}/{i}")
        self.assertEqual(list(bare(self.schema, "")), [])

    def test_describes_keys_with_unit_and_default(self):
        density = self.schema["definitions"]["materials"]["properties"]["density"]
        self.assertIn("kg/m^3", density["description"])
        self.assertEqual(density["exclusiveMinimum"], 0)


class New(ProgramTest):
    def test_every_mechanism_and_material_can_be_computed(self):
        for i, words in enumerate((["--mechanism", "arm", "--links", "1", "--material", "steel"],
                                   ["--mechanism", "arm", "--links", "4", "--size", "600 mm", "--material", "carbon"],
                                   ["--mechanism", "four_bar", "--size", "0.4", "--material", "titanium"],
                                   ["--mechanism", "rotor"])):
            self.succeed("new", f"model{i}.toml", *words)
            self.succeed("check", f"model{i}.toml")
            modes = self.succeed_json("modes", f"model{i}.toml", "--count", "2")
            self.assertGreater(max(modes["frequencies_hz"] if "frequencies_hz" in modes else
                                   [mode["frequency_hz"] for mode in modes["modes"]]), 1)

    def test_without_options_and_terminal_takes_the_defaults(self):
        self.succeed("new", "robot")
        text = (self.folder / "robot.toml").read_text(encoding="utf-8")
        self.assertIn('name = "robot"', text)
        self.assertEqual(len(tomllib.loads(text)["links"]), 2)
        self.assertGreaterEqual(text.count("#"), 8)
        self.assertTrue(self.succeed_json("run", "robot.toml"))

    def test_overwrites_nothing(self):
        self.write("mine.toml", "precious")
        self.assertIn("mine.toml", self.fail_as_bad_input("new", "mine.toml").stderr)
        self.assertEqual((self.folder / "mine.toml").read_text(encoding="utf-8"), "precious")

    def test_refuses_a_size_that_is_no_length(self):
        for size in ("3 kg", "-1", "0", "wide"):
            self.assertIn(size, self.fail_as_bad_input("new", "a.toml", f"--size={size}").stderr)
        self.assertEqual(self.files(), [])

    def test_asks_four_questions_on_a_terminal(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([str(PROGRAM), "new", "asked.toml"], cwd=self.folder, stdin=slave, stdout=slave,
                                   stderr=slave)
        os.close(slave)
        os.write(master, b"arm\n3\n500 mm\nsteel\n")
        text = b""
        while True:
            try:
                chunk = os.read(master, 4096)
            except OSError:
                break
            if not chunk:
                break
            text += chunk
        os.close(master)
        self.assertEqual(process.wait(), 0, text)
        self.assertEqual(text.count(b"?"), 4, text)
        model = tomllib.loads((self.folder / "asked.toml").read_text(encoding="utf-8"))
        self.assertEqual(len(model["links"]), 3)
        self.assertIn("steel", model["materials"])


class Watch(ProgramTest):
    def fetch(self, address):
        with urllib.request.urlopen(address, timeout=10) as answer:
            return answer.read().decode()

    def wait_for(self, address, count):
        for _ in range(600):
            try:
                state = json.loads(self.fetch(address))
                if state["count"] >= count:
                    return state
            except urllib.error.URLError:
                pass
            time.sleep(0.1)
        self.fail("nothing new was computed")

    def test_computes_at_every_save_and_shows_errors(self):
        self.succeed("new", "arm.toml", "--links", "1")
        process = subprocess.Popen([str(PROGRAM), "watch", "arm.toml", "--command", "modes", "--print", "--json"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = json.JSONDecoder().raw_decode(self.read_value(process))[0]["address"]
            state_address = address.replace("watch.html", "watch.json")
            first = self.wait_for(state_address, 1)
            self.assertTrue(first["ok"], first)
            self.assertEqual(first["page"], "modes.html")
            self.assertIn("<iframe", self.fetch(address))
            self.assertIn("<html", self.fetch(address.replace("watch.html", first["page"])))
            path = self.folder / "arm.toml"
            good = path.read_text(encoding="utf-8")
            path.write_text(good.replace("young_modulus", "young_modulos"), encoding="utf-8")
            second = self.wait_for(state_address, 2)
            self.assertFalse(second["ok"])
            self.assertIn("young_modulos", second["messages"])
            path.write_text(good, encoding="utf-8")
            self.assertTrue(self.wait_for(state_address, 3)["ok"])
        finally:
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 0)
            process.stdout.close()

    def test_sees_new_analyses_and_not_its_own_results(self):
        self.succeed("new", "arm.toml", "--links", "1")
        (self.folder / "tables").mkdir()
        path, table = self.folder / "arm.toml", self.write("tables/t.txt", "0, 1\n1, 2\n")
        text = path.read_text(encoding="utf-8")
        path.write_text(text[:text.index("\n[[analyses]]")], encoding="utf-8")
        process = subprocess.Popen([str(PROGRAM), "watch", "arm.toml", "--print", "--json", "-o", "."],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = json.JSONDecoder().raw_decode(self.read_value(process))[0]["address"].replace("watch.html", "watch.json")
            self.assertEqual(self.wait_for(address, 1)["command"], "modes")
            time.sleep(1)  # its own files beside the model ask for nothing
            self.assertEqual(self.wait_for(address, 1)["count"], 1)
            text = path.read_text(encoding="utf-8")
            path.write_text(text + '\n[[analyses]]\nkind = "modes"\n[[loads]]\nlink = "LINK"\nnode = "NODE"\ndirection = [1, 0, 0]\n'
                            'force = {table = "tables/t.txt"}\n'.replace("LINK", "link 1").replace("NODE", "tip"), encoding="utf-8")
            state = self.wait_for(address, 2)
            self.assertEqual((state["command"], state["ok"]), ("run", True), state["messages"])
            table.write_text("0, 1\n1, 3\n2, 4\n", encoding="utf-8")  # wherever the model names it
            self.assertEqual(self.wait_for(address, 3)["command"], "run")
        finally:
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 0)
            process.stdout.close()

    def read_value(self, process):
        text = ""
        while True:
            line = process.stdout.readline()
            self.assertTrue(line, "the program has ended")
            text += line
            try:
                json.loads(text)
                return text
            except ValueError:
                continue

    def test_a_missing_file_is_bad_input(self):
        self.assertIn("none.toml", self.fail_as_bad_input("watch", "none.toml").stderr)


class Doctor(ProgramTest):
    def test_computes_a_known_frequency_and_writes_nothing(self):
        answer = self.succeed_json("doctor")
        self.assertTrue(answer["ok"])
        states = {finding["what"]: finding["state"] for finding in answer["findings"]}
        self.assertEqual(states["computation"], "ok")
        self.assertEqual(self.files(), [])

    def test_names_what_is_missing(self):
        result = self.run_program("doctor", environment={"PATH": "/nowhere"})
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"Python +missing")


if __name__ == "__main__":
    unittest.main()
