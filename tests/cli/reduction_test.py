"""reduction = "auto": every command says what was chosen, and freeze writes it into the file."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from program import ProgramTest  # noqa: E402

ARM = """lithe = 1
name = "arm"
gravity = [0, 0, -9.81]
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "10 mm"
height = "20 mm"
[[links]]
name = "arm"
nodes = {root = [0, 0, 0], tip = [0.6, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
elements = 8
REDUCTION
[[joints]]
name = "shoulder"
type = "fixed"
child = "arm"
child_node = "root"
[[sensors]]
name = "tip"
quantity = "displacement"
link = "arm"
node = "tip"
[[analyses]]
kind = "simulate"
end_time = 0.05
"""


class ReductionTest(ProgramTest):
    def arm(self, reduction='reduction = "auto"'):
        return self.write("arm.toml", ARM.replace("REDUCTION", reduction))

    def test_every_command_says_what_was_chosen(self):
        path = self.arm()
        for command in ("info", "modes", "simulate", "equilibrium", "linearise", "statespace"):
            chosen = self.succeed_json(command, path)["reduction"]
            self.assertLess(chosen["internal_modes"], chosen["available"], command)
            self.assertEqual(chosen["available"], 42, command)
            self.assertLessEqual(chosen["estimated_error"], 1e-3, command)
            self.assertEqual(chosen["tolerance"], 1e-3, command)
            self.assertGreater(chosen["good_up_to_hz"], 300, command)
            self.assertEqual(chosen["links"][0]["link"], "arm", command)
            self.assertEqual(chosen["sensors"][0]["name"], "tip", command)
        run = self.run_program("modes", path)
        self.assertRegex(run.stderr, r"note: modes of links: \d+ of 42 fixed-interface modes beside the static shapes; "
                                     r"estimated error \S+ \(.+, over 0\.05 s\); good up to \S+ Hz")
        self.assertIn("of 42 fixed-interface modes", self.run_program("info", path).stdout)
        self.run_program("simulate", path)
        page = next(self.folder.rglob("motion.html")).read_text(encoding="utf-8")
        self.assertIn("of 42 fixed-interface modes", page)

    def test_none_keeps_all_modes_and_a_smaller_tolerance_more(self):
        for written in ("", 'reduction = "none"'):
            self.assertEqual(self.succeed_json("info", self.arm(written))["elastic_modes"], 48)
        self.assertNotIn("reduction", self.succeed_json("info", self.arm('reduction = "none"')))
        coarse, fine = (self.succeed_json("info", self.arm("reduction = {tolerance = %g}" % tolerance))["elastic_modes"]
                        for tolerance in (1e-1, 1e-3))
        self.assertLess(coarse, fine)
        self.assertLess(fine, 48)

    def test_formulations_with_all_nodes_say_nothing(self):
        self.assertNotIn("reduction", self.succeed_json("modes", self.arm(), "--formulation", "corotational"))

    def test_freeze_writes_the_numbers(self):
        path = self.arm()
        chosen = self.succeed_json("info", path)["reduction"]["internal_modes"]
        frozen = self.folder / "frozen.toml"
        self.assertEqual(self.run_program("freeze", path, "-o", frozen).returncode, 0)
        self.assertIn("reduction = {internal_modes = %d}\n" % chosen, frozen.read_text(encoding="utf-8"))
        before, after = ([mode["frequency_hz"] for mode in self.succeed_json("modes", file)["modes"]] for file in (path, frozen))
        self.assertEqual(before, after)
        self.assertNotIn("reduction", self.succeed_json("info", frozen))
        self.assertEqual(self.run_program("freeze", path).stdout, frozen.read_text(encoding="utf-8"))
        self.assertEqual(self.run_program("freeze", path, "--in-place").returncode, 0)
        self.assertEqual(path.read_text(encoding="utf-8"), frozen.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
