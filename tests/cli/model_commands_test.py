"""check, info, modes, example, demo: results, JSON, exit codes, and no partial output."""
import json
import math
import re
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from program import BROKEN, L_SHAPE, ROOT, ProgramTest  # noqa: E402

LONG_BEAM = """
lithe = 1
name = "long rail"

[materials.steel]
density = 7800
young_modulus = "210 GPa"
poisson_ratio = 0.3

[sections.bar]
shape = "rectangle"
width = "20 mm"
height = "10 mm"

[[links]]
name = "rail"
nodes = {a = [0, 0, 0], b = [2, 0, 0]}
path = ["a", "b"]
elements = 700
material = "steel"
section = "bar"

[[joints]]
name = "wall"
type = "fixed"
child = "rail"
child_node = "a"
"""


class Check(ProgramTest):
    def test_accepts_an_example(self):
        self.assertIn("no errors", self.succeed("check", L_SHAPE).stdout)
        self.assertEqual(self.succeed_json("check", L_SHAPE)["ok"], True)

    def test_reports_every_error_with_its_place(self):
        self.write("broken model.toml", BROKEN)
        result = self.fail_as_bad_input("check", "broken model.toml")
        self.assertEqual(result.stdout, "")
        self.assertIn("broken model.toml:3:", result.stderr)
        self.assertIn("-7800", result.stderr)
        self.assertIn("broken model.toml:6:", result.stderr)
        self.assertIn("colour", result.stderr)

    def test_json_lists_every_error(self):
        self.write("broken.toml", BROKEN)
        result = self.fail_as_bad_input("check", "broken.toml", "--json")
        answer = json.loads(result.stdout)
        self.assertEqual(answer["ok"], False)
        self.assertIn(3, [error["line"] for error in answer["errors"]])
        self.assertIn(6, [error["line"] for error in answer["errors"]])

    def test_a_large_link_needs_modes_for_motion_alone(self):
        self.write("long.toml", LONG_BEAM)
        answer = self.succeed_json("check", "long.toml")
        self.assertEqual(len(answer["notes"]), 1)
        self.assertIn("link 'rail' has 4206 unknowns", answer["notes"][0])
        self.assertIn("note: link 'rail'", self.succeed("check", "long.toml").stdout)
        # A rail of 2 m, 20 x 10 mm, 7800 kg/m^3.
        self.assertAlmostEqual(self.succeed_json("info", "long.toml")["links"][0]["mass_kg"], 3.12, 9)
        self.succeed("condense", "long.toml", "--tool", "rail:b")
        self.assertIn("too many to compute", self.fail_as_bad_input("modes", "long.toml").stderr)


class Info(ProgramTest):
    def test_masses_and_freedoms_of_the_l_shape(self):
        info = self.succeed_json("info", L_SHAPE)
        arm = info["links"][0]
        # Two rods of 0.5 m, 8 x 8 mm, 2700 kg/m^3, and 17 g at the elbow.
        rod = 0.5 * 0.008**2 * 2700
        self.assertAlmostEqual(arm["mass_kg"], 2 * rod + 0.017, delta=1e-12)
        centre = [(rod * 0.25 + rod * 0.5 + 0.017 * 0.5), rod * 0.25, 0]
        for computed, moment in zip(arm["centre_m"], centre):
            self.assertAlmostEqual(computed, moment / arm["mass_kg"], delta=1e-12)
        self.assertEqual(info["freedoms"], 1)
        self.assertEqual(info["gruebler"], 1)
        self.assertEqual(info["loops"], [])
        self.assertEqual(info["independent_coordinates"], ["shoulder"])

    def test_planar_slider_cranks_are_overconstrained_in_space_alone(self):
        spatial = self.succeed_json("info", ROOT / "models" / "slider_crank.toml")
        self.assertEqual((spatial["freedoms"], spatial["redundancy"], spatial["out_of_plane_redundancy"]), (1, 3, 3))
        text = self.succeed("info", ROOT / "models" / "slider_crank.toml").stdout
        self.assertIn("overconstrained as a spatial mechanism: 3 redundant constraints, out of the plane in which the loops move; "
                      "harmless for the motion", text)
        source = (ROOT / "models" / "slider_crank.toml").read_text(encoding="utf-8")
        model = self.write("planar.toml", source.replace("lithe = 1\n", 'lithe = 1\nspace = "planar"\n', 1))
        planar = self.succeed_json("info", model)
        # Grübler in the plane: 3 links, 3 hinges and a slide.
        self.assertEqual((planar["freedoms"], planar["redundancy"], planar["gruebler"]), (1, 0, 3 * 3 - 4 * 2))
        self.assertEqual(planar["closure_conditions"], planar["rank"])
        self.assertNotIn("overconstrained", self.succeed("info", model).stdout)

    def test_text_names_links_and_joints(self):
        text = self.succeed("info", L_SHAPE).stdout
        for word in ("arm", "shoulder", "revolute", "degrees of freedom: 1"):
            self.assertIn(word, text)


CANTILEVER = """lithe = 1
name = "A rod"
[materials.steel]
density = 7800
young_modulus = "210 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "10 mm"
height = "20 mm"
[[links]]
name = "rod, 1 m"
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
elements = 10
theory = "euler_bernoulli"
[[joints]]
name = "hinge"
child = "rod, 1 m"
child_node = "root"
axis = [0, 1, 0]
"""


class Modes(ProgramTest):
    def test_cantilever_has_the_textbook_frequency(self):
        self.write("rod.toml", CANTILEVER)
        answer = self.succeed_json("modes", "rod.toml", "--link", "rod, 1 m", "--clamp", "root", "--count", "3")
        # lambda^2 / (2 pi L^2) sqrt(E I / (rho A)); rotary inertia and mesh change it by less than 1e-4
        expected = 1.8751040687**2 / (2 * math.pi) * math.sqrt(210e9 * 0.01**2 / 12 / 7800)
        self.assertEqual(len(answer["modes"]), 3)
        self.assertAlmostEqual(answer["modes"][0]["frequency_hz"] / expected, 1, delta=1e-4)

    def test_free_link_counts_rigid_motions_first(self):
        answer = self.succeed_json("modes", L_SHAPE, "--link", "arm", "--count", "2")
        self.assertEqual(answer["rigid_modes"], 6)
        self.assertEqual([mode["mode"] for mode in answer["modes"]], [7, 8])

    def test_mechanism_has_the_frequencies_behind_the_published_peaks(self):
        text = (ROOT / "models" / "l_shape_cmp.toml").read_text()
        weightless = re.sub(r"(?m)^gravity.*$", "gravity = [0, 0, 0]", text)
        self.assertNotEqual(weightless, text)
        self.write("weightless.toml", weightless)
        answer = self.succeed_json("modes", "weightless.toml", "--count", "20")
        computed = [mode["frequency_hz"] for mode in answer["modes"]]
        # An independent computation, without gravity, of the model behind [CMP] Tables IV and VII: half a last digit.
        for known, half in ((8.16, 0.005), (11.24, 0.005), (23.74, 0.005), (30.27, 0.005), (111.73, 0.005), (116.44, 0.005),
                            (171.87, 0.005), (264.74, 0.005), (1766.0, 0.05), (5043.9, 0.05)):
            self.assertLessEqual(min(abs(known - frequency) for frequency in computed), half, known)
        directory = "results/L-shape__published_element__4_elements__30_modes"
        self.assertEqual([file for file in self.files() if file.startswith("results")],
                         [f"{directory}/modes.{ending}" for ending in ("csv", "h5", "html", "svg")])

    def test_settings_of_the_file_count_unless_the_command_line_says_otherwise(self):
        text = L_SHAPE.read_text(encoding="utf-8")
        self.assertIn('link = "arm"\ncount = 18', text)
        whole = self.succeed_json("modes", L_SHAPE)  # the file asks for the arm first, for the mechanism second
        self.assertEqual((whole["of"], len(whole["modes"]) - whole["rigid_modes"]), ("mechanism", 10))
        self.assertEqual(len(self.succeed_json("modes", L_SHAPE, "--link", "arm")["modes"]), 18)
        few = self.succeed_json("modes", L_SHAPE, "--count", "3")
        self.assertEqual(len(few["modes"]) - few["rigid_modes"], 3)
        chord = self.succeed_json("modes", L_SHAPE, "--formulation", "floating-frame", "--reference", "chord")
        self.assertEqual(chord["formulation"], "floating-frame")
        self.assertIn("--gauge belongs to", self.fail_as_bad_input(
            "modes", L_SHAPE, "--formulation", "floating-frame", "--gauge", "encoder").stderr)

    def test_writes_csv_and_hdf5_where_it_is_told(self):
        self.succeed("modes", L_SHAPE, "--link", "arm", "-o", "out put/deep")
        self.assertEqual(self.files(), ["out put/deep/modes_arm.csv", "out put/deep/modes_arm.h5", "out put/deep/modes_arm.html"])
        lines = (self.folder / "out put/deep/modes_arm.csv").read_text(encoding="utf-8").splitlines()
        self.assertIn("mode,frequency [Hz],angular_frequency [rad/s]", lines)

    def test_names_a_directory_after_the_model_by_default(self):
        self.write("rod.toml", CANTILEVER)
        text = self.succeed("modes", "rod.toml", "--link", "rod, 1 m").stdout
        self.assertEqual(self.files(), ["results/A_rod/modes_rod__1_m.csv", "results/A_rod/modes_rod__1_m.h5", "results/A_rod/modes_rod__1_m.html", "rod.toml"])
        self.assertIn("results/A_rod/modes_rod__1_m.csv", text)

    def test_bad_input_leaves_no_files(self):
        self.write("broken.toml", BROKEN)
        self.fail_as_bad_input("modes", "broken.toml", "--link", "arm", "-o", "out")
        self.fail_as_bad_input("modes", L_SHAPE, "--link", "leg", "-o", "out")
        self.fail_as_bad_input("modes", L_SHAPE, "--link", "arm", "--clamp", "rot", "-o", "out")
        self.assertEqual(self.files(), ["broken.toml"])
        self.assertFalse((self.folder / "out").exists())

    def test_unknown_names_are_answered_with_the_known_ones(self):
        self.assertIn("'arm'", self.fail_as_bad_input("modes", L_SHAPE, "--link", "leg").stderr)
        self.assertIn("'elbow'", self.fail_as_bad_input("modes", L_SHAPE, "--link", "arm", "--clamp", "x").stderr)

    def test_a_directory_that_cannot_be_made_is_a_failure(self):
        self.write("taken", "")
        result = self.run_program("modes", L_SHAPE, "--link", "arm", "-o", "taken/below")
        self.assertEqual(result.returncode, 1)
        self.assertIn("taken/below", result.stderr)


class Examples(ProgramTest):
    def test_an_example_is_a_valid_model(self):
        names = self.succeed_json("example")["examples"]
        self.assertIn("l_shape", names)
        for name in names:
            self.write("example.toml", self.succeed("example", name).stdout)
            self.succeed("check", "example.toml")

    def test_unknown_example_is_answered_with_the_known_ones(self):
        self.assertIn("l_shape", self.fail_as_bad_input("example", "z_shape").stderr)

    def test_demo_says_where_results_lie(self):
        text = self.succeed("demo", "-o", "de mo").stdout
        found = self.files()
        self.assertTrue(found)
        for path in found:
            self.assertIn(path, text)

    def test_demo_as_json(self):
        answer = self.succeed_json("demo")
        for path in answer["files"]:
            self.assertIn(path, self.files())


if __name__ == "__main__":
    unittest.main()
