"""Runs the program in a folder of its own; shared by the tests of the command line."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("LITHE_PROGRAM", ROOT / "build" / "lithe"))
L_SHAPE = ROOT / "models" / "l_shape.toml"

BROKEN = """lithe = 1
[materials.steel]
density = -7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
colour = "grey"
"""


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="lithe cli ")  # with a space
        self.folder = pathlib.Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()

    def run_program(self, *arguments, environment=None):
        full = {"LITHE_CACHE": "off", **os.environ, **(environment or {})}
        return subprocess.run([str(PROGRAM), *map(str, arguments)], cwd=self.folder, env=full, capture_output=True,
                              text=True, timeout=120, check=False)

    def start(self, *arguments):
        """A program to be interrupted."""
        return subprocess.Popen([str(PROGRAM), *map(str, arguments)], cwd=self.folder, env={"LITHE_CACHE": "off", **os.environ},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def succeed(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def succeed_json(self, *arguments):
        result = self.succeed(*arguments, "--json")
        self.assertEqual(result.stderr, "")
        return json.loads(result.stdout)

    def fail_as_bad_input(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertNotIn("terminate", result.stderr)
        return result

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())
