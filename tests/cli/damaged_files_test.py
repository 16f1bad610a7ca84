"""Every file that the program reads besides the model file, damaged: it is read or refused with a message, never a crash."""
import itertools
import random
import unittest

from matrix_link import write_matrix_link
from program import L_SHAPE, ROOT, ProgramTest

PENDULUM = """lithe = 1
gravity = [0, 0, -9.81]

[[links]]
name = "arm"
type = "rigid"
mass = 1
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
centre = [1, 0, 0]
inertia = [0.01, 0.01, 0.01]

[[joints]]
name = "hinge"
type = "revolute"
child = "arm"
child_node = "root"
axis = [0, 1, 0]

[[drives]]
joint = "hinge"
torque = {table = "torque.csv"}
"""

TORQUE = "time, torque\n0, 0\n0.1, 1.5\n0.2, -0.5\n1, 0\n"

def damaged(content, count, seed):
    """Cuts, flipped bits, doubled and removed stretches, numbers made enormous."""
    chance = random.Random(seed)
    for i in range(count):
        data = bytearray(content)
        at = chance.randrange(len(data))
        stretch = min(len(data) - at, chance.choice([1, 4, 8, 40]))
        kind = i % 5
        if kind == 0:
            del data[at:]
        elif kind == 1:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 2:
            data[at:at] = data[at:at + stretch]
        elif kind == 3:
            del data[at:at + stretch]
        else:
            data[at:at + stretch] = chance.choice([b"\xff", b"\x00", b"9", b"-"]) * stretch
        yield bytes(data)
    yield b""


class DamagedFiles(ProgramTest):
    def check(self, path, count, *command):
        """Runs the command on damaged versions of the file; how many of them were refused."""
        content = path.read_bytes()
        self.succeed(*command)
        refused = 0
        for number, data in enumerate(damaged(content, count, path.name)):
            path.write_bytes(data)
            result = self.run_program(*command)
            self.assertIn(result.returncode, (0, 1, 2), f"version {number} of {path.name}: {result.stderr[-2000:]}")
            self.assertNotRegex(result.stderr, r"terminate|Sanitizer|runtime error|std::|HDF5-DIAG")
            if result.returncode != 0:
                said = result.stderr if result.returncode == 2 else result.stdout + result.stderr
                self.assertNotEqual(said.strip(), "", f"version {number} of {path.name}: no message")
                refused += 1
        path.write_bytes(content)
        self.assertGreater(refused, 0)

    def test_tables_of_loads(self):
        self.write("pendulum.toml", PENDULUM)
        table = self.write("torque.csv", TORQUE)
        self.check(table, 40, "check", "pendulum.toml")

    def test_imported_matrices(self):
        mass, stiffness, nodes = write_matrix_link(self)
        for path in (mass, stiffness, nodes):
            with self.subTest(path.name):
                self.check(path, 30, "info", "bracket.toml")

    def test_checkpoints(self):
        self.succeed("simulate", L_SHAPE, "--end", "0.02", "--checkpoint", "half", "--checkpoint-interval", "0.01", "-o", "r")
        self.check(self.folder / "half", 40, "simulate", L_SHAPE, "--end", "0.03", "--restart", "half", "-o", "again")

    def test_results(self):
        self.succeed("simulate", L_SHAPE, "--end", "0.02", "-o", "r")
        self.check(self.folder / "r" / "motion.csv", 40, "plot", "r", "--sensor", "tip position", "-o", "x.svg")

    def test_sweeps_under_way(self):
        # A kept part of a sweep is what a damaged file must not turn into wrong points: the answer stays the same.
        command = ["sweep", ROOT / "models" / "two_beam_frame.toml", "--tool", "left:hinge", "--axis",
                   "materials.steel.young_modulus = 100 GPa : 400 GPa : 6", "--count", "2"]
        self.succeed(*command, "-o", "whole")
        whole = (self.folder / "whole" / "sweep.csv").read_bytes()
        (self.folder / "part").mkdir()
        for data in itertools.islice(damaged(b"lithe sweep" + bytes(range(256)), 12, 1), 12):
            (self.folder / "part" / "sweep.part").write_bytes(data)
            result = self.run_program(*command, "-o", "part")
            self.assertIn(result.returncode, (0, 1, 2), result.stderr)
            if result.returncode == 0:
                self.assertEqual((self.folder / "part" / "sweep.csv").read_bytes(), whole)


if __name__ == "__main__":
    unittest.main()
