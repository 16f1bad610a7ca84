"""A full disk: one sentence, the documented exit code, and no file that is empty or cut."""
import json
import os
import resource
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from program import PROGRAM, ProgramTest  # noqa: E402

CANTILEVER = """lithe = 1
gravity = [0, 0, -9.81]
[materials.m]
density = 2700
young_modulus = 70e9
poisson_ratio = 0.3
[sections.s]
shape = "rectangle"
width = 0.02
height = 0.03
[[links]]
name = "beam"
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
path = ["root", "tip"]
material = "m"
section = "s"
elements = 4
reduction = {method = "craig_bampton", internal_modes = 2}
[[joints]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
child = "beam"
child_node = "root"
stiffness = 100
[[drives]]
name = "motor"
joint = "hinge"
torque = 0
[[sensors]]
name = "tip"
quantity = "position"
link = "beam"
node = "tip"
[[analyses]]
kind = "simulate"
end_time = 0.05
"""


class FullDisk(ProgramTest):
    def run_with_room(self, kibibytes, *arguments):
        def leave_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing fails instead, as on a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024 * kibibytes, 1024 * kibibytes))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        return subprocess.run([str(PROGRAM), *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False, preexec_fn=leave_room)

    def whole_files(self, *arguments):
        self.succeed(*arguments, "-o", "whole")
        return {path.name: path.stat().st_size for path in (self.folder / "whole").iterdir()}

    def check_command(self, *arguments):
        self.write("beam.toml", CANTILEVER)
        whole = self.whole_files(*arguments)
        for room in sorted({max(1, size // 2048) for size in whole.values()}):
            result = self.run_with_room(room, *arguments, "-o", f"room {room}")
            self.assertEqual(result.returncode, 1, f"{arguments} {room} KiB: {result.stderr}")
            self.assertRegex(result.stderr, r"cannot (write|make)", f"{arguments} {room} KiB")
            said = [line for line in result.stderr.strip().splitlines() if "lithe: note: " not in line]
            self.assertEqual(len(said), 1, result.stderr)
            left = self.folder / f"room {room}"
            for path in left.iterdir() if left.exists() else []:
                if path.name == "motion.part":  # what was recorded until the disk was full
                    continue
                self.assertIn(path.name, whole, f"{arguments} {room} KiB")
                self.assertGreater(path.stat().st_size, 0.9 * whole[path.name], f"{path.name} {room} KiB")

    def test_modes(self):
        self.check_command("modes", "beam.toml", "--vtk", "--gltf", "1")

    def test_simulate(self):
        self.check_command("simulate", "beam.toml", "--vtk", "--gltf")

    def test_run(self):
        self.check_command("run", "beam.toml")

    def test_linearise(self):
        self.check_command("linearise", "beam.toml")

    def test_statespace(self):
        self.check_command("statespace", "beam.toml")

    def test_condense(self):
        self.check_command("condense", "beam.toml", "--independent", "beam:tip")


class FullOutput(ProgramTest):
    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_failed_write_to_the_standard_output_is_a_failure(self):
        model = self.write("beam.toml", CANTILEVER)
        for arguments in (["version"], ["--version"], ["--help"], ["check", model], ["info", model, "--json"],
                          ["reference"], ["example"], ["example", "l_shape"], ["completion", "bash"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([str(PROGRAM), *map(str, arguments)], cwd=self.folder, stdout=full,
                                        stderr=subprocess.PIPE, text=True, timeout=60, check=False)
            self.assertEqual(result.returncode, 1, f"{arguments}")
            self.assertEqual(result.stderr, "lithe: error: cannot write to the standard output: "
                                            "No space left on device\n", f"{arguments}")


class UsageAsJson(ProgramTest):
    def test_errors_of_usage_are_json_too(self):
        for arguments in (["modes", "--json"], ["modes", "a.toml", "--json", "--cuont", "3"], ["mode", "--json"],
                          ["completion", "tcsh", "--json"]):
            result = self.fail_as_bad_input(*arguments)
            answer = json.loads(result.stdout)
            self.assertFalse(answer["ok"])
            self.assertEqual(len(answer["errors"]), 1)
            self.assertIn(answer["errors"][0]["message"], result.stderr)


if __name__ == "__main__":
    unittest.main()
