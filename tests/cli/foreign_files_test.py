"""Results replace what the program has written before, and nothing else, whatever the kind of the file."""
import os
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from program import ProgramTest  # noqa: E402

ARM = """lithe = 1
name = "arm"
gravity = [0, 0, -9.81]
[materials.m]
density = 2700
young_modulus = "70 GPa"
poisson_ratio = 0.33
[sections.s]
shape = "rectangle"
width = "10 mm"
height = "20 mm"
[[links]]
name = "arm"
path = ["root", "tip"]
material = "m"
section = "s"
elements = 2
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
[[joints]]
name = "hinge"
type = "revolute"
child = "arm"
child_node = "root"
axis = [0, 1, 0]
damping = 0.1
[[drives]]
joint = "hinge"
torque = 0.1
[[sensors]]
name = "angle"
quantity = "joint_value"
joint = "hinge"
"""
ANALYSES = """
[[analyses]]
kind = "simulate"
name = "swing"
end_time = 0.02
[[analyses]]
kind = "spectrum"
sensor = "angle"
[[analyses]]
kind = "modes"
[[analyses]]
kind = "linearise"
"""
FOREIGN = b"mine, and nobody else's\n"
# What writes which kinds of files, in little time.
COMMANDS = {
    ".csv .h5 .svg .html .vtp .glb": ["modes", "arm.toml", "--vtk", "--gltf", "1", "-o", "out"],
    ".csv .h5 .html .glb": ["simulate", "arm.toml", "--end", "0.01", "--gltf", "-o", "out"],
    ".mat .json .h .py": ["statespace", "arm.toml", "--input", "hinge", "-o", "out"],
    ".h5 .mat .json .h .py .csv .html": ["linearise", "arm.toml", "--speeds", "0:1:2", "--spin", "hinge", "-o", "out"],
    ".h5 .mat .json": ["sensitivity", "arm.toml", "-o", "out"],
    ".csv .h5 .svg": ["sweep", "arm.toml", "--analysis", "modes", "--axis", "gravity[2] = -9, 0", "-o", "out"],
    ".png": ["plot", "recorded", "--sensor", "angle", "-o", "out/p.png"],
    ".svg": ["plot", "recorded", "--sensor", "angle", "-o", "out/p.svg"],
}


class Foreign(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("arm.toml", ARM)

    def bytes_of(self, folder):
        return {path.name: path.read_bytes() for path in (self.folder / folder).rglob("*") if path.is_file()}

    def test_every_kind_of_result_knows_its_own_files_and_leaves_others(self):
        self.succeed("simulate", "arm.toml", "--end", "0.01", "-o", "recorded")
        for kinds, words in COMMANDS.items():
            out = self.folder / "out"
            out.mkdir(exist_ok=True)
            for old in out.iterdir():
                old.unlink()
            self.succeed(*words)
            own = self.bytes_of("out")
            self.assertLessEqual(set(kinds.split()), {os.path.splitext(name)[1] for name in own}, words)
            self.succeed(*words)  # over its own
            self.assertEqual(self.bytes_of("out"), own, words)
            for name, data in own.items():
                with self.subTest(command=words[0], file=name):
                    (out / name).write_bytes(FOREIGN)
                    result = self.fail_as_bad_input(*words)
                    self.assertIn(f"{name}: there is a file of this name that Lithe has not written", result.stderr)
                    self.assertEqual(self.bytes_of("out"), {**own, name: FOREIGN})
                    (out / name).write_bytes(data)

    def test_frames_of_a_motion_in_vtk_are_its_own(self):
        words = ["simulate", "arm.toml", "--end", "0.01", "--vtk", "-o", "out"]
        self.succeed(*words)
        self.succeed(*words)
        for name in ("motion.pvd", "motion_00000.vtp"):
            file = self.folder / "out" / "vtk" / name
            data = file.read_bytes()
            file.write_bytes(FOREIGN)
            self.assertIn("that Lithe has not written", self.fail_as_bad_input(*words).stderr)
            self.assertEqual(file.read_bytes(), FOREIGN)
            file.write_bytes(data)

    def test_run_tries_the_files_of_all_its_parts_first(self):
        self.write("arm.toml", ARM + ANALYSES.replace("0.02", "1e5"))
        (self.folder / "out").mkdir()
        for name in ("motion_swing.h5", "spectrum.csv", "modes.svg", "linear.py", "report.html"):
            (self.folder / "out" / name).write_bytes(FOREIGN)
            begin = time.monotonic()
            self.assertIn(f"{name}: there is a file", self.fail_as_bad_input("run", "arm.toml", "-o", "out").stderr)
            self.assertLess(time.monotonic() - begin, 30)
            self.assertEqual(self.bytes_of("out"), {name: FOREIGN})
            (self.folder / "out" / name).unlink()
        self.write("arm.toml", ARM + ANALYSES)
        self.succeed("run", "arm.toml", "-o", "out")
        self.succeed("run", "arm.toml", "-o", "out")


if __name__ == "__main__":
    unittest.main()
