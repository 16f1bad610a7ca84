#!/usr/bin/env python3
"""Imported parts from outside: stress sensors, bodies that were reduced once, cycles for fatigue."""
import csv
import pathlib
import shutil
import unittest

from program import ROOT, ProgramTest

SOLIDS = ROOT / "models" / "solids"
STRESS = """
[[sensors]]
name = "surface"
quantity = "stress"
link = "bracket"

[[sensors]]
name = "largest principal"
quantity = "stress"
link = "bracket"
measure = "principal_max"
"""
REDUCED = """lithe = 1
gravity = [0, -9.81, 0]

[[links]]
name = "bracket"
type = "reduced"
file = "bracket.h5"
masses = [{node = "tip", mass = 2, inertia = [0.001, 0.001, 0.001]}]

[[joints]]
name = "hinge"
child = "bracket"
child_node = "pivot"
axis = [0, 0, 1]
parent_point = [0, 0, "10 mm"]
stiffness = 20
"""


def columns(path):
    with open(path, encoding="utf-8") as file:
        rows = [row for row in csv.reader(line for line in file if not line.startswith("#"))]
    return {name.split(" [")[0]: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}


class Stress(ProgramTest):
    def model(self, more=STRESS):
        shutil.copy(SOLIDS / "bracket.msh", self.folder)
        return self.write("bracket.toml", (SOLIDS / "bracket.toml").read_text(encoding="utf-8") + more)

    def test_the_largest_of_the_surface_is_that_of_the_page(self):
        answer = self.succeed_json("simulate", self.model(), "--end", "0.05", "-o", "out")
        motion = columns(self.folder / "out" / "motion.csv")
        page = answer["stress"][0]
        # The page shows the kept modes, the sensor also what they leave out: little at six modes and two interfaces.
        self.assertLess(abs(max(motion["surface"]) / page["von_mises_pa"] - 1), 0.02)
        # |σ1| of no state exceeds 2/√3 of von Mises unless pressure is on all sides.
        self.assertGreater(max(motion["largest principal"]), 0.3 * max(motion["surface"]))

    def test_it_can_be_an_output_of_a_linear_model(self):
        answer = self.succeed_json("linearise", self.model(), "-o", "out")
        model = answer["models"][0]
        names = [output["name"] for output in model["outputs"]]
        row = model["C"][names.index("surface")]
        self.assertTrue(any(abs(value) > 1e6 for value in row))  # Pa per metre of a mode


class Reduced(ProgramTest):
    def test_a_body_from_its_file_is_the_body(self):
        shutil.copy(SOLIDS / "bracket.msh", self.folder)
        whole = self.write("bracket.toml", (SOLIDS / "bracket.toml").read_text(encoding="utf-8"))
        answer = self.succeed_json("reduce", whole, "-o", "bracket.h5")
        self.assertEqual(answer["modes"], 6)  # as the model says
        self.assertEqual(answer["nodes"], ["pivot", "tip"])
        again = self.run_program("reduce", whole, "-o", "again.h5")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / "bracket.h5").read_bytes(), (self.folder / "again.h5").read_bytes())
        # The mass at the tip is part of the link, so it is part of the body.
        part = self.write("part.toml", REDUCED.replace("masses = ", "# masses = "))
        first, second = ([mode["frequency_hz"] for mode in self.succeed_json("modes", model, "-o", folder)["modes"]]
                         for model, folder in ((whole, "a"), (part, "b")))
        self.assertEqual(len(first), len(second))
        for x, y in zip(first, second):
            self.assertLess(abs(x - y), 1e-7 * max(x, 1.0))

    def test_only_a_reduced_body_of_its_own_is_replaced(self):
        shutil.copy(SOLIDS / "bracket.msh", self.folder)
        whole = self.write("bracket.toml", (SOLIDS / "bracket.toml").read_text(encoding="utf-8"))
        self.write("mine.h5", "measurements of a year")
        result = self.fail_as_bad_input("reduce", whole, "-o", "mine.h5")
        self.assertIn("mine.h5: there is such a file already", result.stderr)
        self.assertEqual((self.folder / "mine.h5").read_text(), "measurements of a year")
        self.write("taken", "a file")
        result = self.run_program("reduce", whole, "-o", "taken/bracket.h5")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.succeed("reduce", whole, "-o", "bracket.h5")
        self.succeed("reduce", whole, "-o", "bracket.h5")  # again
        before = (self.folder / "bracket.h5").read_bytes()
        part = self.write("part.toml", REDUCED)  # takes its own input
        result = self.fail_as_bad_input("reduce", part, "-o", "bracket.h5")
        self.assertIn("bracket.h5: this file was read and is not replaced", result.stderr)
        self.assertEqual((self.folder / "bracket.h5").read_bytes(), before)

    def test_of_a_mesh_that_says_too_little_nothing_is_written(self):
        shutil.copy(SOLIDS / "bracket.msh", self.folder)
        result = self.fail_as_bad_input("reduce", "bracket.msh", "--units", "mm t s", "-o", "part.h5")
        self.assertIn("the mesh names no material", result.stderr)
        self.assertNotIn("part.h5", self.files())

    def test_what_is_no_such_file_is_refused(self):
        self.write("bracket.h5", "no HDF5")
        result = self.fail_as_bad_input("check", self.write("part.toml", REDUCED))
        self.assertIn("this is no reduced body: this is no HDF5 file, or a damaged one", result.stderr)


class Rainflow(ProgramTest):
    # ASTM E1049-85, figure 6.
    HISTORY = [-2, 1, -3, 5, -1, 3, -4, 4, -2]

    def history(self):
        rows = "".join(f"{k},{value}\n" for k, value in enumerate(self.HISTORY))
        return self.write("history.csv", "time [s],load [N]\n" + rows)

    def test_the_standards_example(self):
        answer = self.succeed_json("rainflow", self.history(), "--sensor", "load", "--bins", "9")
        counts = {}
        for cycle in answer["list"]:
            counts[cycle["range"]] = counts.get(cycle["range"], 0) + cycle["count"]
        self.assertEqual(counts, {3: 0.5, 4: 1.5, 6: 0.5, 8: 1.0, 9: 0.5})
        self.assertEqual([entry["count"] for entry in answer["bins"]], [0, 0, 0.5, 1.5, 0, 0.5, 0, 1.0, 0.5])
        self.assertEqual([pathlib.Path(name).name for name in answer["files"]], ["rainflow_load.csv"])
        table = columns(self.folder / "rainflow_load.csv")
        self.assertEqual(table["range"], [3, 4, 4, 8, 9, 8, 6])
        self.assertEqual(table["mean"], [-0.5, -1, 1, 1, 0.5, 0, 1])
        self.assertEqual(table["count"], [0.5, 0.5, 1, 0.5, 0.5, 0.5, 0.5])

    def test_small_cycles_can_be_left_out(self):
        answer = self.succeed_json("rainflow", self.history(), "--sensor", "load", "--min-range", "4")
        self.assertEqual([cycle["range"] for cycle in answer["list"]], [8, 9, 8, 6])

    def test_a_recording_with_holes_is_refused(self):
        path = self.write("history.csv", "time [s],load [N]\n0,1\n1,nan\n2,0\n")
        result = self.fail_as_bad_input("rainflow", path, "--sensor", "load")
        self.assertIn("has no value at 1 s", result.stderr)
        self.assertEqual(self.files(), ["history.csv"])


if __name__ == "__main__":
    unittest.main()
