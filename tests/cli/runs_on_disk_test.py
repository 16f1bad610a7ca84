"""The runs of `control` and `compare` are on disk while they are computed, and memory does not grow with them."""
import math
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from program import PROGRAM, ProgramTest  # noqa: E402

MODEL = """lithe = 1
name = "bar"
[[links]]
name = "bar"
type = "rigid"
nodes = {a = [0, 0, 0], b = [0.5, 0, 0]}
mass = 1
centre = [0.25, 0, 0]
inertia = [0.01, 0.02, 0.02]
[[links.masses]]
node = "b"
mass = 0.2
[[joints]]
name = "hinge"
child = "bar"
child_node = "a"
damping = 0.1
[[sensors]]
name = "angle"
quantity = "joint_value"
joint = "hinge"
[[references]]
name = "turn"
sensor = "angle"
signal = {move = {end_time = 0.2, end_value = "30 deg"}}
[[controllers]]
name = "one / two"
type = "pid"
joints = ["hinge"]
measurements = ["angle"]
references = ["turn"]
proportional = [10]
derivative = [1]
[[controllers]]
name = "one _ two"
type = "pid"
joints = ["hinge"]
measurements = ["angle"]
references = ["turn"]
proportional = [20]
derivative = [2]
[control]
payload_link = "bar"
payload_node = "b"
"""
EXTERNAL = """[[controllers]]
name = "gives up"
type = "external"
joints = ["hinge"]
measurements = ["angle"]
references = ["turn"]
sample_time = 0.01
command = ["sh", "-c", "read a; read a; echo 0; read a; echo 0; read a; exit"]
"""


class OnDisk(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("bar.toml", MODEL)

    def rows(self, path):
        lines = (self.folder / path).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if not line.startswith("#")]

    def killed_while(self, part, words, number):
        process = subprocess.Popen([str(PROGRAM), *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(20000):
            if (self.folder / part).exists() and (self.folder / part).stat().st_size > 200000:
                break
            time.sleep(0.0005)
        process.send_signal(number)
        process.communicate(timeout=60)
        return process.returncode

    def test_a_killed_study_keeps_its_instants_and_the_next_one_begins_anew(self):
        words = ["control", "bar.toml", "--nominal", "--end", "20", "--output-step", "1e-4", "-o", "out"]
        self.assertEqual(self.killed_while("out/control_one___two.part", words, signal.SIGKILL), -signal.SIGKILL)
        self.assertGreater(self.succeed_json("recover", "out")["recovered"][0]["instants"], 1000)
        result = self.succeed("control", "bar.toml", "--nominal", "--end", "0.1", "-o", "out")
        self.assertIn("an interrupted run left its recording here", result.stderr)
        self.assertEqual([file for file in self.files() if file.endswith(".part")], ["out/control_one___two_interrupted.part"])

    def test_an_interrupted_study_writes_what_it_has(self):
        words = ["control", "bar.toml", "--nominal", "--end", "100", "--output-step", "1e-4", "-o", "out"]
        self.assertEqual(self.killed_while("out/control_one___two.part", words, signal.SIGTERM), 143)
        self.assertGreater(len(self.rows("out/control.csv")), 500)
        self.assertEqual([file for file in self.files() if file.endswith(".part")], [])

    def test_a_run_that_ends_early_does_not_cut_the_others(self):
        self.write("bar.toml", MODEL + EXTERNAL)
        words = ["control", "bar.toml", "--nominal", "--end", "0.2", "--output-step", "0.01", "-o", "out", "--allow-commands"]
        result = self.run_program(*words)
        self.assertEqual(result.returncode, 1, result.stderr)
        rows = self.rows("out/control.csv")
        self.assertEqual(len(rows), 22)
        last = dict(zip(rows[0].split(","), map(float, rows[-1].split(","))))
        self.assertAlmostEqual(last["time [s]"], 0.2)
        self.assertTrue(math.isfinite(last["one / two angle [rad]"]))
        self.assertTrue(math.isnan(last["gives up angle [rad]"]))
        self.succeed("plot", "out/control.csv", "--sensor", "gives up angle", "-o", "p.svg")  # what there is of it
        self.fail_as_bad_input("spectrum", "out/control.csv", "--sensor", "gives up angle", "-o", "s")

    def test_memory_does_not_grow_with_the_number_of_instants(self):
        def peak(*words):
            code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
                    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            result = subprocess.run([sys.executable, "-c", code, str(PROGRAM), *words], cwd=self.folder, capture_output=True, text=True,
                                    check=True)
            return int(result.stdout)
        for command in (["control", "bar.toml", "--controllers", "one / two"], ["compare", "bar.toml"]):
            with self.subTest(command=command[0]):
                end = "0.1" if command[0] == "control" else "0.2"
                few, many = (peak(*command, "--end", end, "--output-step", step, "-o", step) for step in ("1e-3", "1e-6"))
                file = "1e-6/" + ("control" if command[0] == "control" else "comparison") + ".csv"
                self.assertGreaterEqual(len(self.rows(file)), int(float(end) * 1e6))
                self.assertLess(many - few, 20000)

    def test_the_folder_is_tried_first(self):
        self.write("out", "a file\n")
        for command in (["control", "bar.toml", "--end", "1e6"], ["compare", "bar.toml", "--end", "1e6"]):
            result = self.run_program(*command, "-o", "out")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("cannot make the directory 'out'", result.stderr)


if __name__ == "__main__":
    unittest.main()
