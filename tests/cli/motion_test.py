"""simulate, run, spectrum: results, energy balance, restart, failures."""
import json
import math
import re
import unittest

from program import L_SHAPE, ROOT, ProgramTest


class Simulate(ProgramTest):
    def test_energy_is_balanced_and_files_lie_where_the_answer_says(self):
        answer = self.succeed_json("simulate", L_SHAPE, "--end", "0.2", "-o", "out put")
        self.assertEqual(answer["end"], "finished")
        # The pendulum trades 0.5 J; at the default tolerance of 1e-6 m/s the balance closes to about 1e-6 of that.
        self.assertLess(abs(answer["energy"]["imbalance_j"]), 1e-5)
        self.assertEqual(answer["files"], ["out put/motion.csv", "out put/motion.h5", "out put/motion.html"])
        self.assertEqual(self.files(), answer["files"])

    CANTILEVER = """lithe = 1
name = "cantilever"
[materials.steel]
density = 7850
young_modulus = "210 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "20 mm"
height = "10 mm"
[[links]]
name = "beam"
nodes = {a = [0, 0, 0], b = [1, 0, 0]}
path = ["a", "b"]
material = "steel"
section = "bar"
elements = 6
[[joints]]
name = "clamp"
type = "fixed"
child = "beam"
child_node = "a"
[[loads]]
name = "push"
link = "beam"
node = "b"
direction = [0, 0, 1]
force = 10
"""

    def test_work_in_long_steps_is_exact_and_lost_energy_is_a_failure(self):
        self.write("cantilever.toml", self.CANTILEVER)
        answer = self.succeed_json("simulate", "cantilever.toml", "--end", "1", "--output-step", "0.01")
        self.assertEqual(answer["warnings"], [])
        self.assertLess(answer["steps"], 100)
        self.assertLess(abs(answer["energy"]["imbalance_j"]), 1e-6 * answer["energy"]["end_j"])
        failed = self.run_program("simulate", "cantilever.toml", "--end", "2", "--output-step", "0.01", "--integrator",
                                  "generalised_alpha", "--step", "0.02", "--spectral-radius", "0")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("the energy balance is open by", failed.stdout)

    def test_an_end_too_close_to_the_start_is_a_mistake(self):
        refused = self.run_program("simulate", L_SHAPE, "--end", "1e-320")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("is less than can be computed", refused.stderr)
        self.assertEqual(self.run_program("simulate", L_SHAPE, "--end", "1e-76").returncode, 0)

    def test_inverse_dynamics_holds_the_weight(self):
        text = self.CANTILEVER.replace('type = "fixed"\n', "axis = [0, 1, 0]\n").replace("lithe = 1\n", "lithe = 1\ngravity = [0, 0, -9.81]\n")
        self.write("arm.toml", text + '[[drives]]\nname = "motor"\njoint = "clamp"\nmotion = 0\n')
        answer = self.succeed_json("inverse-dynamics", "arm.toml", "--end", "0.01", "--rigid")
        self.assertEqual(answer["files"], [f"results/cantilever/inverse_dynamics.{ending}" for ending in ("csv", "h5", "html")])
        # Half a metre times the weight of the beam, less 10 N at its end.
        torque = 7850 * 0.02 * 0.01 * 9.81 * 0.5 - 10
        self.assertAlmostEqual(abs(answer["sensors"][0]["last"]), abs(torque), delta=1e-9)
        flexible = self.succeed_json("inverse-dynamics", "arm.toml", "--end", "0.01")
        self.assertNotEqual(flexible["sensors"][0]["last"], answer["sensors"][0]["last"])
        self.assertIn("prescribe", self.fail_as_bad_input("inverse-dynamics", L_SHAPE).stderr)

    def test_integrators_and_formulations_agree_on_the_tip(self):
        def tip(*options):
            answer = self.succeed_json("simulate", L_SHAPE, "--end", "0.1", "-o", "r", *options)
            last = {sensor["name"]: sensor["last"] for sensor in answer["sensors"]}
            return [last[f"tip position.{axis}"] for axis in "xyz"]

        reference = tip("--integrator", "dormand_prince", "--tolerance", "1e-8")
        for options in (["--integrator", "exponential"], ["--integrator", "cvode", "--tolerance", "1e-8"]):
            self.assertLess(math.dist(tip(*options), reference), 1e-6, options)
        # Gauges differ to second order in the deflection: 2 mm in 0.5 m, so about 1e-5 m.
        self.assertLess(math.dist(tip("--gauge", "minimum_norm"), reference), 1e-4)

    def test_a_restart_continues_bit_by_bit(self):
        common = ["simulate", L_SHAPE, "--end", "0.2", "--checkpoint-interval", "0.1"]
        self.succeed(*common, "--checkpoint", "c.checkpoint", "-o", "whole")
        self.succeed("simulate", L_SHAPE, "--end", "0.1", "--checkpoint-interval", "0.1", "--checkpoint", "half.checkpoint",
                     "-o", "half")
        self.succeed(*common, "--restart", "half.checkpoint", "-o", "rest")
        last = [(self.folder / name / "motion.csv").read_text().splitlines()[-1] for name in ("whole", "rest")]
        self.assertEqual(*last)

    def test_unknown_integrator_is_bad_input(self):
        result = self.fail_as_bad_input("simulate", L_SHAPE, "--integrator", "euler")
        self.assertIn("euler", result.stderr)
        self.assertEqual(self.files(), [])

    def test_a_step_that_is_none_is_refused(self):
        for step in ("0", "-1e-3", "nan"):
            result = self.fail_as_bad_input("simulate", L_SHAPE, "--step", step)
            self.assertIn("step", result.stderr)
        result = self.fail_as_bad_input("simulate", L_SHAPE, "--step", "1e-3", "--integrator", "cvode")
        self.assertIn("'cvode' chooses its steps itself", result.stderr)
        self.assertEqual(self.files(), [])

    def test_options_of_other_equations_are_refused(self):
        for formulation, option in (("corotational", ["--gauge", "encoder"]), ("floating-frame", ["--gauge", "minimum_norm"]),
                                    ("transfer-functions", ["--gauge", "encoder"]), ("erls-cms", ["--reference", "chord"]),
                                    ("corotational", ["--geometric-stiffening"])):
            result = self.fail_as_bad_input("simulate", L_SHAPE, "--formulation", formulation, *option)
            self.assertIn(f"{option[0]} belongs to", result.stderr)
            self.assertIn(formulation, result.stderr)

    def test_closed_chain_keeps_its_energy(self):
        answer = self.succeed_json("simulate", ROOT / "models" / "four_bar.toml", "--end", "0.02")
        self.assertLess(abs(answer["energy"]["imbalance_j"]), 1e-5)

    def test_a_straight_coupler_ends_with_a_message_and_what_was_computed(self):
        text = (ROOT / "models" / "five_bar.toml").read_text(encoding="utf-8")
        start, end = text.index("[[drives]]"), text.index("[[sensors]]")
        pull = "".join(f'[[drives]]\njoint = "{side} crank"\ntorque = {torque}\n' for side, torque in (("left", 2), ("right", -2)))
        model = self.write("pull.toml", text[:start] + pull + text[end:])
        result = self.run_program("simulate", model, "--end", "1", "-o", "out", "--json")
        self.assertEqual(result.returncode, 1)
        answer = json.loads(result.stdout)
        self.assertIn("singular", answer["message"])
        self.assertRegex(answer["message"], r"; loop closed by joint '[^']+'$")
        # The rigid forearms, 300 mm each, are in line: elbows 600 mm apart, bearings 300 mm, cranks 200 mm.
        last = {sensor["name"]: sensor["last"] for sensor in answer["sensors"]}
        self.assertAlmostEqual(last["left angle"], math.acos(-0.75), delta=1e-4)
        self.assertGreater(len((self.folder / "out" / "motion.csv").read_text(encoding="utf-8").splitlines()), 90)
        self.assertLess(abs(answer["energy"]["imbalance_j"]), 1e-3)

    def test_static_start_stays_at_rest(self):
        text = L_SHAPE.read_text()
        held = re.sub(r'value *= *"135 deg"', 'value = "90 deg"', text) + "\n[initial]\nstatic_equilibrium = true\n"
        self.assertNotEqual(held, text)
        self.write("hanging.toml", held)
        answer = self.succeed_json("simulate", "hanging.toml", "--end", "0.05")
        # At 90 degrees the first rod hangs; the second, sticking out sideways, sags: at rest nothing moves but rounding.
        for sensor in answer["sensors"]:
            if "position" in sensor["name"]:
                self.assertAlmostEqual(sensor["first"], sensor["last"], delta=2e-3)


class Run(ProgramTest):
    def test_every_analysis_of_a_file_runs(self):
        text = self.succeed("run", L_SHAPE, "-o", "all").stdout
        self.assertTrue(any(name.endswith("motion.csv") for name in self.files()), self.files())
        self.assertIn("Hz", text)

    def test_modes_are_printed_as_the_verb_modes_prints_them(self):
        model = self.write("pole.toml", """lithe = 1
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
name = "pole"
nodes = {foot = [0, 0, 0], top = [0, 0, 1]}
path = ["foot", "top"]
material = "m"
section = "s"
elements = 2
section_z = [1, 0, 0]
[[joints]]
name = "hinge"
axis = [0, 1, 0]
child = "pole"
child_node = "foot"
[[analyses]]
kind = "modes"
[[analyses]]
kind = "modes"
link = "pole"
""")
        both = self.succeed("run", model).stdout
        self.assertIn("Negative: unstable, |f| is the growth rate over 2 pi.", both)
        self.assertIn("Modes 1 to 6 are rigid motions.", both)
        self.assertRegex(both.split("link 'pole', free")[1], r"(?m)^ +7 +[0-9.]+$")
        floating = self.succeed("run", self.write("free.toml", model.read_text().replace("-9.81", "0"))).stdout
        self.assertRegex(floating, r"(?m)^ +1 +free motion$")

    def test_modes_and_equilibrium_leave_files(self):
        text = L_SHAPE.read_text(encoding="utf-8")
        text = text[:text.index("[[analyses]]")] if "[[analyses]]" in text else text
        text += """
[[analyses]]
kind = "modes"
[[analyses]]
kind = "modes"
link = "arm"
[[analyses]]
kind = "equilibrium"
"""
        model = self.write("all.toml", text)
        answer = self.succeed_json("run", model, "-o", "r")
        self.succeed("modes", model, "-o", "m")
        read = lambda name: (self.folder / name).read_text(encoding="utf-8")
        self.assertEqual(read("r/modes.csv"), read("m/modes.csv"))
        self.assertIn("r/modes_arm.csv", self.files())
        found = next(part for part in answer["analyses"] if part["kind"] == "equilibrium")
        self.assertEqual(found["files"], ["r/equilibrium.csv"])
        self.assertRegex(found["message"], r"residual \d(\.\d)?(e-\d+)?$")
        headings, values = [line.split(",") for line in read("r/equilibrium.csv").splitlines() if not line.startswith("#")]
        row = dict(zip(headings, map(float, values)))
        for joint in found["joints"]:
            self.assertEqual(row[f"joint {joint['name']} [{joint['unit']}]"], joint["value"])
            self.assertEqual(row[f"holding force of {joint['name']} [{joint['holding_force_unit']}]"], joint["holding_force"])
        for sensor in found["sensors"]:
            self.assertEqual(row[f"{sensor['name']} [{sensor['unit']}]"], sensor["value"])
        self.assertTrue(any(heading.startswith("coordinate ") for heading in headings))


ROD = """lithe = 1
name = "rod"
gravity = [0, 0, 0]
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "20 mm"
height = "20 mm"
[[links]]
name = "rod"
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
[[joints]]
name = "shoulder"
child = "rod"
child_node = "root"
value = 0
[[loads]]
link = "rod"
node = "tip"
force = [0, 10, 0]
[[sensors]]
name = "tip"
quantity = "position"
link = "rod"
node = "tip"
[[sensors]]
name = "shoulder torque"
quantity = "joint_force"
joint = "shoulder"
"""


class EquilibriumText(ProgramTest):
    def test_sensors_joints_and_deflections_are_told(self):
        model = self.write("rod.toml", ROD)
        deflection = 10 / (3 * 200e9 * 0.02**4 / 12)
        for formulation in ("erls-cms", "floating-frame", "corotational", "transfer-functions"):
            found = self.succeed_json("equilibrium", model, "--formulation", formulation, "-o", "out")
            sensors = {sensor["name"]: sensor["value"] for sensor in found["sensors"]}
            self.assertAlmostEqual(sensors["tip.y"], deflection, delta=1e-3 * deflection, msg=formulation)
            self.assertAlmostEqual(sensors["shoulder torque"], -10, delta=1e-3, msg=formulation)
            joint, = found["joints"]
            self.assertTrue(joint["held"])
            self.assertAlmostEqual(joint["holding_force"], -10, delta=1e-3, msg=formulation)
            link, = found["links"]
            self.assertAlmostEqual(link["max_deflection_m"], deflection, delta=1e-3 * deflection, msg=formulation)
            self.assertNotIn("coordinates", found)
        text = self.succeed("equilibrium", model, "-o", "out").stdout
        for words in ("tip.y", "shoulder", "N m", "max deflection"):
            self.assertIn(words, text)
        self.assertNotIn("mode 1", text)
        self.assertIn("out/equilibrium.csv", self.files())


class Spectrum(ProgramTest):
    def test_a_log_in_milliseconds_has_its_peak_where_it_is(self):
        """Other programs write other units: 10 Hz, 2 mm, over 1 s; a gauge in volts stays in volts."""
        rows = [(t, 2 * math.sin(2 * math.pi * 10 * t / 1000)) for t in range(0, 1001, 5)]
        self.write("log.csv", "time [ms],tip [mm],gauge [V]\n" + "".join(f"{t},{x},{x}\n" for t, x in rows))
        for sensor, amplitude in (("tip", 2e-3), ("gauge", 2)):
            peak = self.succeed_json("spectrum", "log.csv", "--sensor", sensor)["peaks"][0]
            self.assertAlmostEqual(peak["frequency_hz"], 10, delta=0.1)
            self.assertAlmostEqual(peak["amplitude"], amplitude, delta=0.02 * amplitude)

    def test_peaks_are_the_natural_frequencies(self):
        self.succeed("simulate", ROOT / "models" / "l_shape_cmp.toml", "--end", "2", "-o", "m")
        answer = self.succeed_json("spectrum", "m/motion.csv", "--sensor", "elbow acceleration.z", "--max-frequency", "60")
        found = [peak["frequency_hz"] for peak in answer["peaks"]]
        # Joint-free modes at 11.24 and 30.27 Hz; in motion peaks shift and split by up to 0.75 Hz.
        for known in (11.24, 30.27):
            self.assertLess(min(abs(known - f) for f in found), 0.8, found)

    def test_unknown_sensor_is_bad_input(self):
        self.succeed("simulate", L_SHAPE, "--end", "0.01", "-o", "m")
        self.assertIn("nose", self.fail_as_bad_input("spectrum", "m/motion.csv", "--sensor", "nose").stderr)


if __name__ == "__main__":
    unittest.main()
