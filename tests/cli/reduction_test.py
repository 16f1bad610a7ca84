"""reduction = "auto": commands choose the modes, say what they chose, and write it into the file."""
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
elements = 16
REDUCTION
[[joints]]
name = "shoulder"
type = "fixed"
child = "arm"
child_node = "root"
[[loads]]
name = "push"
link = "arm"
node = "tip"
force = {sine = {amplitude = 10, frequency = 20}}
direction = [0, 0, 1]
[[sensors]]
name = "tip"
quantity = "displacement"
link = "arm"
node = "tip"
[[analyses]]
kind = "simulate"
end_time = 0.05
[[analyses]]
kind = "modes"
count = 4
[[analyses]]
kind = "linearise"
count = 4
"""
AUTO = 'reduction = "auto"'


class ReductionTest(ProgramTest):
    def arm(self, reduction=AUTO):
        return self.write("arm.toml", ARM.replace("REDUCTION", reduction))

    def test_commands_say_what_they_chose(self):
        path = self.arm()
        for command, *options in (["simulate"], ["modes"], ["linearise"], ["statespace", "--sample-time", "0.001"]):
            answer = self.succeed_json(command, path, *options)
            chosen = answer["reduction"]
            self.assertLess(chosen["internal_modes"], chosen["available"], command)
            self.assertEqual(chosen["available"], 90, command)
            self.assertLessEqual(chosen["estimated_error"], 1e-3, command)
            self.assertEqual(chosen["links"], [{"link": "arm", "internal_modes": chosen["internal_modes"],
                                                "available": 90}], command)
            self.assertGreater(chosen["good_up_to_hz"], 40, command)
            self.assertEqual(chosen["tried"][-1]["internal_modes"], chosen["internal_modes"], command)
            self.assertRegex("\n".join(answer["notes"]),
                             r"modes of links: kept \d+ of 90 fixed-interface modes beside the static shapes; estimated "
                             r"error \S+ \(.+\); natural frequencies good up to \S+ Hz")
        self.assertRegex(self.succeed("simulate", path).stdout, r"note: modes of links: kept \d+ of 90")
        for page in ("motion.html", "modes.html"):
            self.succeed("modes", path)
            text = next(self.folder.rglob(page)).read_text(encoding="utf-8")
            self.assertIn("of 90 fixed-interface modes", text, page)
        answers = self.succeed_json("run", path)["analyses"]
        self.assertEqual([("reduction" in answer) for answer in answers], [True, True, True])

    def test_the_result_is_that_of_all_modes(self):
        def last_z(path):
            sensors = self.succeed_json("simulate", path)["sensors"]
            return next(sensor["last"] for sensor in sensors if sensor["name"] == "tip.z")
        chosen = last_z(self.arm())
        for word in ('reduction = "none"', ""):
            self.assertAlmostEqual(last_z(self.arm(word)), chosen, delta=1e-5)
        self.assertNotIn("reduction", self.succeed_json("simulate", self.arm('reduction = "none"')))

    def test_freezing_writes_the_numbers(self):
        path, frozen = self.arm('reduction = "auto"  # as it comes'), self.folder / "frozen.toml"
        answer = self.succeed_json("simulate", path, "--freeze-reduction", frozen)
        number = answer["reduction"]["internal_modes"]
        self.assertIn("reduction = {internal_modes = %d}  # as it comes\n" % number, frozen.read_text(encoding="utf-8"))
        again = self.succeed_json("simulate", frozen)
        self.assertEqual(again["sensors"], answer["sensors"])
        self.assertNotIn("reduction", again)
        self.assertIn("nothing is chosen",
                      self.fail_as_bad_input("simulate", frozen, "--freeze-reduction", path).stderr)
        self.assertIn("there is such a file already",  # it may have been edited since
                      self.fail_as_bad_input("modes", path, "--freeze-reduction", frozen).stderr)
        self.assertIn("Model with these numbers of modes: ",
                      self.succeed("modes", path, "--freeze-reduction", self.folder / "again.toml").stdout)

    def test_other_commands_say_what_works(self):
        path = self.arm()
        for command in ("compare", "equilibrium"):
            self.assertIn("arm.toml:12:1: error: link 'arm': reduction = \"auto\" works in simulate",
                          self.fail_as_bad_input(command, path).stderr)
        self.succeed("check", path)
        self.assertIn("each analysis chooses how many it needs", self.succeed("info", path).stdout)
        self.assertIn("need fixed numbers of modes",
                      self.fail_as_bad_input("simulate", path, "--checkpoint", "arm.checkpoint").stderr)

    def test_formulations_with_all_nodes_have_nothing_to_choose(self):
        self.assertNotIn("reduction", self.succeed_json("modes", self.arm(), "--formulation", "erls-fem"))


if __name__ == "__main__":
    unittest.main()
