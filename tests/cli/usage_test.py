"""Help, usage errors, version, completion: what holds for the program as a whole."""
import json
import os
import pty
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from program import L_SHAPE, PROGRAM, ProgramTest  # noqa: E402

COMMANDS = ["check", "control", "info", "modes", "condense", "sweep", "reproduce", "demo", "doctor", "example", "new", "watch", "reference", "version", "completion"]


class Usage(ProgramTest):
    def test_help_names_every_command(self):
        text = self.succeed("--help").stdout
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command} ")

    def test_help_fits_into_lines(self):
        for command in ([], *([name] for name in COMMANDS), ["simulate"], ["linearise"], ["identify"], ["import"], ["settle"]):
            for line in self.succeed(*command, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_every_verb_has_help_with_examples_and_json(self):
        for command in COMMANDS:
            text = self.succeed(command, "--help").stdout
            self.assertIn("Examples:", text, command)
            self.assertIn(f"lithe {command}", text, command)
            self.assertIn("--json", text, command)

    def test_without_a_verb_shows_the_help_and_fails(self):
        result = self.fail_as_bad_input()
        self.assertIn("Usage", result.stderr)
        self.assertEqual(result.stdout, "")

    def assert_one_sentence(self, *arguments, word):
        result = self.fail_as_bad_input(*arguments)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertIn(word, result.stderr)

    def test_errors_of_usage_are_one_sentence(self):
        self.assert_one_sentence("mode", word="'mode'")
        self.assert_one_sentence("modes", word="FILE")
        self.assert_one_sentence("modes", L_SHAPE, "--count", "many", word="many")
        self.assert_one_sentence("modes", L_SHAPE, "--count", "-3", word="-3")
        self.assert_one_sentence("modes", L_SHAPE, "--link", "arm", "--cuont", "3", word="--cuont")
        self.assert_one_sentence("completion", "tcsh", word="tcsh")

    def test_a_mistyped_command_or_option_is_answered_by_what_is_near(self):
        self.assert_one_sentence("simulat", "arm.toml", word="did you mean 'simulate'?")
        self.assert_one_sentence("modes", L_SHAPE, "--cuont", "3", word="there is no option '--cuont'; did you mean '--count'?")
        self.assert_one_sentence("modes", L_SHAPE, "--cuont=3", word="did you mean '--count'?")

    def test_version_agrees_in_all_its_forms(self):
        version = self.succeed_json("version")["version"]
        self.assertIn(version, self.succeed("version").stdout)
        self.assertIn(version, self.succeed("--version").stdout)

    def test_a_file_that_is_not_there_is_bad_input(self):
        result = self.fail_as_bad_input("check", "no such file.toml")
        self.assertIn("no such file.toml", result.stderr)

    def test_a_pipe_gets_no_colours_and_no_progress(self):
        result = self.succeed("demo")
        self.assertNotIn("\033", result.stdout)
        self.assertEqual(result.stderr, "")

    def on_a_terminal(self, arguments, environment):
        """stdout of the program when stdout and stderr are a terminal."""
        master, slave = pty.openpty()
        process = subprocess.Popen([str(PROGRAM), *arguments], cwd=self.folder, stdout=slave, stderr=slave,
                                   env={**os.environ, "TERM": "xterm", **environment})
        os.close(slave)
        text = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                break
            if not chunk:
                break
            text += chunk
        os.close(master)
        self.assertEqual(process.wait(), 0, text.decode())
        return text.decode()

    def test_a_terminal_gets_colours_and_progress_unless_no_color(self):
        environment = {key: "" for key in ("NO_COLOR",)}
        coloured = self.on_a_terminal(["demo"], environment)
        self.assertIn("\033[1m", coloured)
        self.assertIn("%", coloured)
        self.assertIn("to go", coloured)
        plain = self.on_a_terminal(["check", str(L_SHAPE)], {"NO_COLOR": "1"})
        self.assertNotIn("\033[", plain)


class Completion(ProgramTest):
    def test_scripts_parse_and_name_the_commands(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.succeed("completion", shell).stdout
            for command in COMMANDS:
                self.assertIn(command, script)
            path = self.write("script." + shell, script)
            if shutil.which(shell):
                result = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 0, result.stderr)
            else:
                self.assertNotEqual(shell, "bash", "bash is part of every Debian system")

    def complete(self, *words):
        script = self.succeed("completion", "bash").stdout
        line = " ".join(f"'{word}'" for word in words)
        command = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _lithe; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        result = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(result.stderr, "")
        return result.stdout.split("\n")[:-1]

    def test_bash_completes_verbs_options_choices_and_files(self):
        self.assertEqual(self.complete("lithe", "mo"), ["modes"])
        self.assertEqual(self.complete("lithe", "modes", "--cl"), ["--clamp"])
        self.assertEqual(self.complete("lithe", "completion", "z"), ["zsh"])
        self.write("my arm.toml", "")
        self.assertEqual(self.complete("lithe", "check", "my"), ["my arm.toml"])

    def test_bash_completes_words_that_are_known(self):
        self.write("l_shape is a file.toml", "")
        names = [name for name in self.succeed("example").stdout.split() if name.startswith("l_sh")]
        self.assertEqual(sorted(self.complete("lithe", "example", "l_sh")), sorted(names))
        self.assertEqual(self.complete("lithe", "reproduce", "cmp-f"), ["cmp-frequencies"])
        self.assertEqual(self.complete("lithe", "simulate", "a.toml", "--formulation", "flo"), ["floating-frame"])

    def test_json_holds_the_script(self):
        self.assertIn("complete -F", self.succeed_json("completion", "bash")["script"])


if __name__ == "__main__":
    unittest.main()
