"""compare: differences, limits, exit codes, files; warnings of large deformation; formulations on the command line."""
import json
import re
import unittest

from program import L_SHAPE, ROOT, ProgramTest


class Compare(ProgramTest):
    def compare(self, model, *options):
        return self.run_program("compare", model, "--end", "0.02", "--output-step", "0.002", *options)

    def test_formulations_that_agree_pass_their_limit(self):
        result = self.compare(L_SHAPE, "--limit", "1e-6", "--json", "-o", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["reference"], "erls-cms")
        self.assertEqual([run["formulation"] for run in answer["runs"]], ["erls-cms", "floating-frame"])
        self.assertTrue(answer["within_limits"])
        tip = [row for row in answer["differences"] if row["sensor"] == "tip position.x"][0]
        self.assertLess(tip["largest"], 1e-6)
        self.assertGreater(tip["peak"], 0.1)
        self.assertEqual(answer["files"], ["out/comparison.csv", "out/comparison.html"])
        self.assertEqual(self.files(), answer["files"])

    def test_a_difference_above_its_limit_is_exit_code_1(self):
        # Mean axes instead of the tangent: second order in a deflection of some tenths of a millimetre.
        options = ["--formulations", "floating-frame,floating-frame+free"]
        self.assertEqual(self.compare(L_SHAPE, *options, "--limit", "tip position=1e-3").returncode, 0)
        result = self.compare(L_SHAPE, *options, "--limit", "tip position=1e-15")
        self.assertEqual(result.returncode, 1)
        self.assertIn("too much", result.stdout)

    def test_bad_limits_and_names_are_bad_input(self):
        for options in (["--limit", "much"], ["--limit", "nobody=1e-3"], ["--formulations", "erls-cms,erls-xyz"],
                        ["--formulations", "erls-cms"], ["--formulations", "erls-cms,floating-frame+upside_down"]):
            result = self.compare(L_SHAPE, *options)
            self.assertEqual(result.returncode, 2, options)
            self.assertIn("error", result.stderr)

    def test_arms_of_three_and_six_links_differ_at_second_order(self):
        # Differences of second order in the deflection fall 256-fold at 16 times the stiffness; as a phase that adds up over four
        # times as many periods, 64-fold. One of first order falls 16-fold.
        for name in ("spatial_3r", "industrial_6r"):
            text = (ROOT / "models" / f"{name}.toml").read_text(encoding="utf-8")
            largest = []
            for factor in (1, 16):
                self.write("arm.toml", re.sub(r'young_modulus *= *"([\d.]+) GPa"', lambda found: f'young_modulus = "{factor * float(found[1])} GPa"', text))
                answer = self.succeed_json("compare", "arm.toml", "--formulations", "erls-cms,floating-frame", "--tolerance", "1e-8", "--end", "0.1")
                rows = answer["differences"]
                largest.append(max(row["largest"] for row in rows if "position" in row["sensor"]))
            self.assertGreater(largest[0] / largest[1], 32, f"{name} {largest}")

    def test_a_spatial_four_bar_of_flexible_links_moves_alike(self):
        # Deflections of 0.01 mm on links of 0.2 m: what is left is the tolerance, 1e-5 m/s over 0.05 s.
        model = ROOT / "tests" / "cli" / "spatial_four_bar.toml"
        result = self.run_program("compare", model, "--formulations", "erls-cms,floating-frame", "--tolerance", "1e-5", "--end", "0.05", "--limit", "5e-7")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_corotational_beams_agree_while_deflections_are_small(self):
        result = self.compare(L_SHAPE, "--formulations", "erls-cms,corotational", "--tolerance", "1e-4",
                              "--limit", "tip position=1e-4")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_recorded_runs_are_compared_at_the_times_they_share(self):
        self.succeed("simulate", L_SHAPE, "--end", "0.02", "--output-step", "0.002", "-o", "a")
        self.succeed("simulate", L_SHAPE, "--end", "0.03", "--output-step", "0.001", "-o", "b")
        answer = self.succeed_json("compare", "a", "b/motion.csv", "--limit", "1e-6", "-o", "c")
        self.assertEqual(answer["reference"], "a")
        self.assertIn("c/comparison.html", answer["files"])
        self.assertTrue(all(row["largest_time_s"] <= 0.02 for row in answer["differences"]))
        few = L_SHAPE.read_text(encoding="utf-8").replace("[links.reduction]", "[links.reduction]\nkept_modes = 3", 1)
        softer = self.write("few.toml", few)
        self.succeed("simulate", softer, "--end", "0.02", "--output-step", "0.002", "-o", "few")
        result = self.run_program("compare", "a", "few", "--limit", "1e-9", "-o", "d")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("few against a", result.stdout)
        self.assertIn("too much", result.stdout)
        self.assertIn("cannot be read", self.fail_as_bad_input("compare", "a", "nowhere").stderr)
        self.write("table.csv", "frequency [Hz],x [m]\n1,2\n2,3\n")
        self.assertIn("not a motion", self.fail_as_bad_input("compare", "a", "table.csv").stderr)

    def test_measurements_keep_the_units_of_their_headings(self):
        self.write("model.csv", "time [s],tip.x [m],tip.y [m],torque [N m]\n0,0,0,1\n1,0.001,0,1\n2,0.004,0,1\n")
        self.write("measured.csv", "time [ms],tip.x [mm],angle [deg]\n0,0,1\n1000,2,1\n2000,4,1\n")
        answer = self.succeed_json("compare", "model.csv", "measured.csv", "-o", "c")
        row, = answer["differences"]  # of the sensor that both have
        self.assertEqual((row["sensor"], row["unit"]), ("tip.x", "m"))
        self.assertAlmostEqual(row["largest"], 0.001, delta=1e-12)
        self.assertEqual(row["largest_time_s"], 1)
        self.assertAlmostEqual(row["peak"], 0.004, delta=1e-12)
        # What one of them has not is named, and fails a limit of its own.
        self.assertEqual(len(answer["warnings"]), 2)
        self.assertIn("'measured.csv' has no values of 'tip.y', 'torque'", answer["warnings"][0])
        self.assertIn("'model.csv' has no values of 'angle'", answer["warnings"][1])
        text = self.succeed("compare", "model.csv", "measured.csv", "-o", "c").stdout
        self.assertNotIn("nan", text)
        self.assertEqual(self.run_program("compare", "model.csv", "measured.csv", "--limit", "torque=1", "-o", "c").returncode, 1)

    def test_headings_with_wrong_units_are_bad_input(self):
        self.write("model.csv", "time [s],tip.x [m]\n0,0\n1,1\n")
        for heading, message in (("time [s],tip.x [furlong]", "measured.csv:1:1: error: column 'tip.x [furlong]': unknown unit 'furlong'"),
                                 ("time [s],tip.x [deg]", "'tip.x' is in rad, but in m in model.csv"),
                                 ("time [mm],tip.x [m]", "which is no unit of time"),
                                 ("time [s],other [m]", "has no sensor in common with model.csv")):
            self.write("measured.csv", heading + "\n0,0\n1,1\n")
            self.assertIn(message, self.fail_as_bad_input("compare", "model.csv", "measured.csv", "-o", "c").stderr)
        self.assertNotIn("c/comparison.csv", self.files())

    def test_loops_are_compared_too(self):
        result = self.run_program("compare", ROOT / "models" / "four_bar.toml", "--end", "0.01", "--output-step", "0.002",
                                  "--limit", "1e-5")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_transfer_functions_agree_in_open_and_closed_chains(self):
        for model in (L_SHAPE, ROOT / "models" / "slider_crank.toml"):
            result = self.compare(model, "--formulations", "erls-fem,transfer-functions", "--limit", "1e-5")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_planar_equations_of_a_paper_serve_any_planar_model(self):
        frequencies = {}
        for formulation in ("erls-fem", "published-planar"):
            answer = self.run_program("modes", ROOT / "models" / "four_bar.toml", "--formulation", formulation, "--json")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            frequencies[formulation] = [mode["frequency_hz"] for mode in json.loads(answer.stdout)["modes"]]
        # Without motion they differ by the gravity that bends the links alone; erls-fem has modes out of the plane, too.
        self.assertGreater(len(frequencies["published-planar"]), 5)
        for published in frequencies["published-planar"][:7]:
            nearest = min(frequencies["erls-fem"], key=lambda full: abs(full - published))
            self.assertLess(abs(published - nearest), 2e-5 * abs(nearest))
        result = self.run_program("modes", L_SHAPE, "--formulation", "published-planar")
        self.assertEqual(result.returncode, 2)
        self.assertIn("planar", result.stderr)

    def test_the_shaft_is_unstable_about_its_critical_speed(self):
        answer = self.succeed_json("linearise", ROOT / "models" / "unsymmetrical_shaft.toml", "--formulation",
                                   "transfer-functions", "--spin", "left bearing.1", "--speeds", "30:70:21")
        (start, end), = answer["campbell"]["unstable"]
        critical = 9.8696044 * (200e9 * 1e-9 / (7800 * 1e-3)) ** 0.5
        self.assertAlmostEqual(start / critical, 0.75 ** 0.5, delta=5e-4)
        self.assertAlmostEqual(end / critical, 1.25 ** 0.5, delta=5e-4)


class Warnings(ProgramTest):
    def test_a_soft_link_is_warned_about_with_numbers(self):
        soft = re.sub(r'young_modulus *= *"[^"]*"', 'young_modulus = "0.2 GPa"', L_SHAPE.read_text())
        self.write("soft.toml", soft)
        for formulation in ("erls-cms", "floating-frame"):
            answer = self.succeed_json("simulate", "soft.toml", "--end", "0.2", "--output-step", "0.01",
                                       "--formulation", formulation)
            self.assertTrue(any(re.search(r"deflection of [\d.]+ % of its length", text) for text in answer["warnings"]),
                            answer["warnings"])
        stiff = self.succeed_json("simulate", L_SHAPE, "--end", "0.05", "--output-step", "0.01")
        self.assertEqual(stiff["warnings"], [])

    def test_damping_is_the_same_in_all_formulations(self):
        damped = L_SHAPE.read_text().replace("[[links]]", "[[links]]\ndamping = {mass_factor = 10}", 1)
        self.write("damped.toml", damped + "\n[damping]\nratio = 0.01\n")
        found = []
        for formulation in ("erls-cms", "corotational", "floating-frame", "transfer-functions"):
            answer = self.succeed_json("modes", "damped.toml", "--formulation", formulation)
            first = [mode for mode in answer["modes"] if mode["frequency_hz"] > 10][0]  # above the swing in gravity
            self.assertGreater(first["damping_ratio"], 0.01)
            found.append((first["frequency_hz"], first["damping_ratio"]))
        for frequency, ratio in found[1:]:
            self.assertAlmostEqual(frequency / found[0][0], 1, delta=1e-2)
            self.assertAlmostEqual(ratio / found[0][1], 1, delta=1e-2)

    ROPE = """lithe = 1
name = "rope"
gravity = [0, 0, -9.81]
[materials.rubber]
density = 5540
young_modulus = 0.7e6
poisson_ratio = 0.3
[sections.bar]
shape = "general"
area = 1.8e-3
second_moment_y = 1.215e-8
second_moment_z = 1.215e-8
torsion_constant = 2.4e-8
[[links]]
name = "rope"
nodes = {a = [0, 0, 0], b = [1.2, 0, 0]}
path = ["a", "b"]
material = "rubber"
section = "bar"
elements = 4
[[joints]]
name = "pivot"
type = "TYPE"
child = "rope"
child_node = "a"
"""

    def test_an_element_that_bends_too_much_is_warned_about(self):
        self.write("rope.toml", self.ROPE.replace("TYPE", "revolute") + 'axis = [0, 1, 0]\nvalue = 0\n')
        common = ["simulate", "rope.toml", "--output-step", "0.02", "--formulation", "corotational"]
        answer = self.succeed_json(*common, "--tolerance", "1e-2", "--end", "0.5")
        self.assertTrue(any(re.search(r"an element bends by [\d.]+ rad at [\d.]+ s, small is below 0.5 rad", text)
                            for text in answer["warnings"]), answer["warnings"])
        # Steps that the motion is too fast for: the method's damping takes energy away.
        answer = self.succeed_json(*common, "--tolerance", "0.1", "--end", "0.9", "--integrator", "generalised_alpha")
        self.assertTrue(any(re.search(r"energy balance is open by -?[\d.]+ J, [\d.]+ %", text) for text in answer["warnings"]),
                        answer["warnings"])

    def test_a_static_deflection_is_warned_about_with_numbers(self):
        text = self.ROPE.replace("TYPE", "fixed").replace("0.7e6", "7e9") + '[[analyses]]\nkind = "equilibrium"\n'
        self.write("cantilever.toml", text)
        answer = self.succeed_json("run", "cantilever.toml")
        found = [part for part in answer["analyses"] if part["kind"] == "equilibrium"][0]["warnings"]
        # w L^4 / (8 E I) = 25 % of the length, and a jacobian of 4/3 of that.
        self.assertTrue(any(re.search(r"deflection of 2\d\.\d* % of its length, small", text) for text in found), found)
        self.assertTrue(any("sections turn by 0.3" in text for text in found), found)


class FloatingFrame(ProgramTest):
    def test_restarts_bit_by_bit(self):
        common = ["simulate", L_SHAPE, "--end", "0.04", "--checkpoint-interval", "0.02", "--formulation",
                  "floating-frame"]
        self.succeed(*common, "--checkpoint", "c.checkpoint", "-o", "whole")
        self.succeed("simulate", L_SHAPE, "--end", "0.02", "--checkpoint-interval", "0.02", "--formulation",
                     "floating-frame", "--checkpoint", "half.checkpoint", "-o", "half")
        self.succeed(*common, "--restart", "half.checkpoint", "-o", "rest")
        last = [(self.folder / name / "motion.csv").read_text().splitlines()[-1] for name in ("whole", "rest")]
        self.assertEqual(*last)

    def test_modes_are_those_of_erls(self):
        frequencies = [self.succeed_json("modes", L_SHAPE, "--formulation", formulation)
                       for formulation in ("erls-cms", "floating-frame")]
        lists = [[mode["frequency_hz"] for mode in answer["modes"]] for answer in frequencies]
        # The configuration is no equilibrium, so that gravity's part in the stiffness is a matter of the coordinates.
        for erls, floating in list(zip(*lists))[1:8]:
            self.assertAlmostEqual(erls, floating, delta=2e-3 * erls)

    def test_the_same_file_twice_is_bad_input(self):
        self.write("a.csv", "time [s],x\n0,1\n1,2\n")
        self.assertIn("a.csv: is given more than once", self.fail_as_bad_input("compare", "a.csv", "a.csv").stderr)


if __name__ == "__main__":
    unittest.main()
