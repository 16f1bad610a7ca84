"""What commands say of geometric stiffening, which came in, is lacking or cannot be had."""
import csv
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from matrix_link import write_matrix_link  # noqa: E402
from program import ROOT, ProgramTest  # noqa: E402

# A steel rod of 1 m that turns by 3 rad in 0.2 s, 28 rad/s at most.
ROD = """lithe = 1
name = "fast rod"
gravity = [0, 0, 0]
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.rod]
shape = "circle"
diameter = "10 mm"
[[links]]
name = "rod"
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "rod"
elements = 3
[[joints]]
name = "axle"
child = "rod"
child_node = "root"
axis = [0, 0, 1]
value = 0
"""

MOVED = ROD + """[[drives]]
joint = "axle"
motion = {move = {end_time = 0.2, start_value = 0, end_value = 3}}
[[sensors]]
name = "tip"
quantity = "position"
link = "rod"
node = "tip"
[[analyses]]
kind = "simulate"
end_time = 0.25
tolerance = 1e-5
"""

CONTROLLED = ROD.replace("gravity = [0, 0, 0]", "gravity = [0, 0, -9.81]").replace("tip = [1, 0, 0]", "tip = [0, 0, -1]") \
    .replace("[0, 0, 1]", "[0, 1, 0]").replace("elements = 3", 'elements = 3\nmasses = [{node = "tip", mass = 20}]') + """
[[sensors]]
name = "angle"
quantity = "joint_value"
joint = "axle"
[[references]]
name = "swing"
sensor = "angle"
signal = {move = {end_time = 0.05, end_value = 0.01}}
[[controllers]]
name = "lqg"
type = "lqg"
joints = ["axle"]
measurements = ["angle"]
references = ["swing"]
allowed_errors = [0.05]
allowed_efforts = [10]
"""

NOTE = "with geometric stiffening, which matters here (link 'rod'"


class FastMotion(ProgramTest):
    def test_every_command_that_computes_a_motion_shows_its_notes(self):
        self.write("rod.toml", MOVED)
        for command in (["simulate"], ["compare", "--formulations", "erls-cms,floating-frame"], ["settle", "--after", "0.02"],
                        ["size", "--flexible", "--end", "0.1"], ["inverse-dynamics", "--end", "0.1"],
                        ["shape", "--tool", "rod:tip", "--after", "0.02", "--tolerance", "1e-4"]):
            name, *options = command
            text = self.succeed(name, "rod.toml", *options).stdout
            self.assertRegex(text, f"(?m)^note: (.*: )?{NOTE[:30]}", name)
            self.assertIn(NOTE, text, name)
        answer = self.succeed_json("compare", "rod.toml", "--formulations", "erls-cms,corotational", "--end", "0.1")
        self.assertIn(NOTE, answer["runs"][0]["notes"][0])
        self.assertEqual(answer["runs"][1]["notes"], [])
        self.assertIn(NOTE, self.succeed_json("size", "rod.toml", "--flexible", "--end", "0.1")["notes"][0])
        page = next(self.folder.rglob("motion.html")).read_text(encoding="utf-8")
        self.assertIn("which matters here", page)

    def test_control_shows_the_notes_of_the_run_and_of_the_design(self):
        self.write("swing.toml", CONTROLLED)
        text = self.succeed("control", "swing.toml", "--end", "0.05").stdout
        self.assertIn("note: lqg: " + NOTE, text)
        self.assertIn("controller 'lqg': designed " + NOTE, text)
        run = self.succeed_json("control", "swing.toml", "--end", "0.05")["controllers"][0]
        self.assertEqual(sum(NOTE in note for note in run["notes"]), 2)
        self.assertLess(abs(run["energy_imbalance_j"]), 1e-3)

    def test_maps_collect_what_their_motions_say(self):
        self.write("rod.toml", MOVED)
        axis = ["--axis", "sections.rod.diameter = 10 mm, 30 mm, 300 mm", "--threads", "1"]
        for command in (["sweep", "rod.toml", "--analysis", "simulate", "--end", "0.1", *axis],
                        ["settle", "rod.toml", "--tool", "rod:tip", "--after", "0.02", *axis]):
            answer = self.succeed_json(*command, "-o", "out")
            self.assertEqual(answer["notes"], ["with geometric stiffening, which matters there, at 2 of 3 points"])
            self.assertRegex(answer["warnings"][0], "^the motions of 1 of 3 points have warnings; the worst: link 'rod': ")
            stem = "settle_map" if command[0] == "settle" else "sweep"
            with open(self.folder / "out" / (stem + ".csv"), encoding="utf-8") as file:
                rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
            self.assertEqual([float(row["geometric_stiffening"]) for row in rows], [1, 1, 0])
            self.assertGreater(float(rows[0]["range_used"]), 1)
            self.assertIn("link 'rod'", rows[0]["reason"])
            self.assertEqual([row["reason"] for row in rows[1:]], ["", ""])
            self.assertIn(answer["warnings"][0].replace("'", "&#39;")[:40],
                          (self.folder / "out" / (stem + ".html")).read_text(encoding="utf-8").replace("'", "&#39;"))
        text = self.succeed(*command, "-o", "out", "--fresh").stdout
        self.assertIn("\nwarning: the motions of 1 of 3 points", text)
        self.assertIn("\nnote: with geometric stiffening, which matters there", text)

    def test_the_decision_is_the_same_whichever_steps_are_looked_at(self):
        arm = ROOT / "models" / "planar_2r.toml"
        for options in (["--formulation", "floating-frame"], ["--integrator", "exponential"],
                        ["--integrator", "radau"], ["--integrator", "dormand_prince"], ["--tolerance", "1e-4"],
                        ["--output-step", "0.1"]):
            notes = self.succeed_json("simulate", arm, "--end", "0.5", *options)["notes"]
            self.assertIn("with geometric stiffening, which matters here (link '", " ".join(notes), options)

    def test_a_restart_says_what_the_whole_run_says(self):
        arm = ROOT / "models" / "planar_2r.toml"
        for options, word in ((["--checkpoint-interval", "0.5"], "with geometric stiffening"),
                              (["--checkpoint-interval", "0.5", "--no-geometric-stiffening"], "Energy")):
            common = ["simulate", arm, *options]
            whole = self.succeed(*common, "--end", "2", "--checkpoint", "c.checkpoint", "-o", "whole").stdout
            self.assertIn(word, whole)
            self.succeed(*common, "--end", "1", "--checkpoint", "half.checkpoint", "-o", "parts")
            self.succeed(*common, "--end", "2", "--restart", "half.checkpoint", "-o", "parts")
            for name in ("motion.csv", "motion.html"):
                self.assertEqual((self.folder / "parts" / name).read_bytes(), (self.folder / "whole" / name).read_bytes(), name)

    def test_what_would_be_left_out_silently_is_refused(self):
        self.write("rod.toml", MOVED)
        for options in (["--gauge", "minimum_norm"], ["--formulation", "erls-fem", "--variant", "published"]):
            done = self.fail_as_bad_input("simulate", "rod.toml", "--geometric-stiffening", *options)
            self.assertIn("geometric stiffening needs the", done.stderr)
        done = self.fail_as_bad_input("compare", "rod.toml", "--formulations",
                                      "erls-cms,erls-cms+minimum_norm+geometric_stiffening")
        self.assertIn("geometric stiffening needs the gauge 'encoder'", done.stderr)
        write_matrix_link(self)
        done = self.fail_as_bad_input("simulate", "bracket.toml", "--geometric-stiffening", "--end", "0.001")
        self.assertIn("is that of beams and of meshes; no link that bends is made of them: 'bracket'", done.stderr)
        bracket = ROOT / "models" / "solids" / "bracket.toml"
        self.succeed("simulate", bracket, "--geometric-stiffening", "--end", "0.001")

    def test_sweeps_take_the_settings_of_formulations(self):
        self.write("swing.toml", CONTROLLED)
        second = {}
        for options in ([], ["--geometric-stiffening"], ["--no-geometric-stiffening"],
                        ["--formulation", "floating-frame", "--reference", "chord"]):
            self.succeed("sweep", "swing.toml", "--analysis", "modes", "--axis", "sections.rod.diameter = 9 mm, 10 mm",
                         "--count", "2", "--fresh", "-o", "out", *options)
            rows = [line.split(",") for line in (self.folder / "out" / "sweep.csv").read_text(encoding="utf-8").splitlines()
                    if not line.startswith("#")]
            column = next(k for k, name in enumerate(rows[0]) if name.startswith("frequency_2"))
            second[" ".join(options)] = float(rows[-1][column])
        self.assertEqual(second[""], second["--geometric-stiffening"])  # the mass pulls at the rod
        self.assertGreater(second[""], 1.02 * second["--no-geometric-stiffening"])
        chord = second["--formulation floating-frame --reference chord"]
        self.assertLess(abs(chord / second[""] - 1), 1e-3)
        done = self.fail_as_bad_input("sweep", "swing.toml", "--analysis", "modes", "--axis", "joint.axle = 0, 1",
                                      "--formulation", "corotational", "--gauge", "encoder")
        self.assertIn("--gauge belongs to erls-cms", done.stderr)


if __name__ == "__main__":
    unittest.main()
