#!/usr/bin/env python3
"""`lithe identify`, maps of `lithe settle`, `lithe shape` and `lithe inverse-dynamics --elastic`."""
import json
import math
import signal
import time
import unittest

from program import ProgramTest

# A disc of 0.5 kg m^2 on a spring, let go at 0.2 rad.
DISC = """lithe = 1
[[links]]
name = "disc"
type = "rigid"
nodes = {root = [0, 0, 0], rim = [1, 0, 0]}
mass = 1
inertia = [1, 1, 0.5]
[[joints]]
name = "axis"
child = "disc"
child_node = "root"
value = 0.2
rest_value = 0
stiffness = "250 N m/rad" # from the catalogue
[[sensors]]
name = "angle"
quantity = "joint_value"
joint = "axis"
"""

# An arm of 0.6 m behind an elastic gearbox.
ARM = """lithe = 1
gravity = [0, -9.81, 0]
[[links]]
name = "arm"
type = "rigid"
mass = 3
nodes = {root = [0, 0, 0], tip = [0.6, 0, 0]}
centre = [0.3, 0, 0]
inertia = [0.01, 0.09, 0.09]
[[joints]]
name = "turn"
child = "arm"
child_node = "root"
[[motors]]
joint = "turn"
rotor_inertia = 1e-4
ratio = 100
stiffness = 4000
damping = 2
[[moves]]
joints = ["turn"]
waypoints = [{joints = [0.5]}]
profile = "PROFILE"
duration = 0.2
"""

# A soft beam of 10 m with a mass at its end, which moves for long in a few steps.
SLOW = """lithe = 1
[materials.m]
density = 2700
young_modulus = "70 MPa"
poisson_ratio = 0.33
[sections.s]
shape = "rectangle"
width = "10 mm"
height = "10 mm"
[[links]]
name = "arm"
material = "m"
section = "s"
elements = 1
path = ["root", "tip"]
nodes = {root = [0, 0, 0], tip = [10, 0, 0]}
masses = [{node = "tip", mass = 1}]
[[joints]]
name = "hinge"
type = "revolute"
child = "arm"
child_node = "root"
[[moves]]
joints = ["hinge"]
duration = DURATION
waypoints = [{joints = ["1 deg"]}]
[damping]
ratio = 0.05
"""


class Identifies(ProgramTest):
    def swing(self, stiffness):
        omega = math.sqrt(stiffness / 0.5)
        rows = [f"{i * 5e-3},{math.degrees(0.2 * math.cos(omega * i * 5e-3)) + 0.02 * math.sin(7 * i * i):.6f}"
                for i in range(200)]
        return "# a note\ntime [s],angle [deg]\n" + "\n".join(rows) + "\n"

    def test_a_stiffness_is_fitted_and_written_into_the_file(self):
        self.write("disc.toml", DISC)
        self.write("swing.csv", self.swing(300))
        found = self.succeed_json("identify", "disc.toml", "--data", "swing.csv", "--fit", "joints.axis.stiffness",
                                  "-o", "fitted.toml", "--results", "out")
        number = found["numbers"][0]
        self.assertTrue(found["converged"] and number["determined"])
        self.assertLess(abs(number["value"] / 300 - 1), 1e-3)
        self.assertLess(number["interval"][0], 300)
        self.assertGreater(number["interval"][1], 300)
        self.assertEqual(found["undetermined"], [])
        text = (self.folder / "fitted.toml").read_text()
        self.assertRegex(text, r'stiffness = "(299|300)\.\d+ N m/rad" # from the catalogue\n')
        self.assertEqual(text.count("\n"), DISC.count("\n"))
        self.assertIn("angle fitted", (self.folder / "out" / "identify_1.csv").read_text())
        # What is there is not overwritten, and nothing is computed for it.
        done = self.fail_as_bad_input("identify", "disc.toml", "--data", "swing.csv", "--fit", "joints.axis.stiffness",
                                      "-o", "fitted.toml")
        self.assertIn("there is such a file already", done.stderr)
        done = self.fail_as_bad_input("identify", "disc.toml", "--data", "out/identify_1.csv", "--fit",
                                      "joints.axis.stiffness", "--results", "out")
        self.assertIn("out/identify_1.csv: this file was read and is not replaced", done.stderr)

    def test_an_interrupted_fit_writes_nothing(self):
        self.write("arm.toml", ARM.replace("PROFILE", "trapezoid") +
                   '[[sensors]]\nname = "angle"\nquantity = "joint_value"\njoint = "turn"\n')
        self.write("data.csv", "time,angle\n" + "".join(f"{i / 10},{0.01 * math.sin(i)}\n" for i in range(10000)))
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            program = self.start("identify", "arm.toml", "--data", "data.csv", "--fit", "motors[0].stiffness", "--tolerance", "1e-10",
                                 "-o", "fitted.toml", "--results", "out", "--json")
            time.sleep(1.5)
            program.send_signal(number)
            out, errors = program.communicate(timeout=60)
            self.assertEqual(program.returncode, code, errors)
            self.assertIn("interrupted", json.loads(out)["errors"][0]["message"])
            self.assertEqual(self.files(), ["arm.toml", "data.csv"])

    def test_errors_name_file_and_column(self):
        self.write("disc.toml", DISC)
        for text, message in (("1,2\n", "data.csv: error: a measurement begins with a line of headings"),
                              ("time,angle [mm]\n0,1\n1,1\n", "data.csv: error: column 'angle' is in mm, the sensor in rad"),
                              ("time,angle\n0,x\n", "data.csv:2:3: error: 'x' is not a number"),
                              ("phase,angle\n0,1\n", "the first column must be time, frequency or mode, not 'phase'"),
                              ("frequency,tip\n1,1\n", "a frequency response has columns such as"),
                              ("frequency\n3\n2\n", "frequencies must ascend where there is no column mode"),
                              ("frequency\n3\n5\n", "mode 2 was measured, and the model has 1")):
            self.write("data.csv", text)
            done = self.fail_as_bad_input("identify", "disc.toml", "--data", "data.csv", "--fit",
                                          "joints.axis.stiffness")
            self.assertIn(message, done.stderr)
        done = self.fail_as_bad_input("identify", "disc.toml", "--data", "none.csv", "--fit", "joints.axis.stiffness")
        self.assertIn("none.csv: error: the file does not exist", done.stderr)


class Moves(ProgramTest):
    def test_a_map_of_settling_times(self):
        self.write("arm.toml", ARM.replace("PROFILE", "s_curve"))
        found = self.succeed_json("settle", "arm.toml", "--tool", "arm:tip", "--axis", "joint.turn = 0 deg : 60 deg : 4",
                                  "--axis", "links.arm.mass = 2 : 4 : 3", "-o", "out")
        self.assertEqual(found["points"], 12)
        self.assertEqual(found["status"]["computed"], 12)
        self.assertEqual([column["name"] for column in found["columns"]],
                         ["settling_time", "residual", "last", "frequency", "range_used", "warnings",
                          "geometric_stiffening"])
        # sqrt(k / J) / 2 pi with J of 2 and 4 kg about the joint
        for mass, key in ((4, "lowest"), (2, "highest")):
            expected = math.sqrt(4000 / (0.09 + mass * 0.09)) / 2 / math.pi
            self.assertLess(abs(found["columns"][3][key] / expected - 1), 0.03)
        rows = (self.folder / "out" / "settle_map.csv").read_text().splitlines()
        self.assertEqual(sum(not row.startswith("#") for row in rows), 13)
        done = self.fail_as_bad_input("settle", "arm.toml", "--axis", "joint.turn = 0, 1")
        self.assertIn("needs the tool's node (--tool)", done.stderr)

    def test_an_interrupted_search_writes_nothing(self):
        self.write("arm.toml", ARM.replace("PROFILE", "trapezoid"))
        program = self.start("shape", "arm.toml", "--tool", "arm:tip", "--after", "1000", "-o", "shaped.csv")
        time.sleep(1)
        program.send_signal(signal.SIGINT)
        errors = program.communicate(timeout=60)[1]
        self.assertEqual(program.returncode, 130, errors)
        self.assertIn("interrupted before all moves were simulated", errors)
        self.assertEqual(self.files(), ["arm.toml"])

    def test_an_interrupted_cycle_has_no_sizes(self):
        self.write("arm.toml", ARM.replace("PROFILE", "trapezoid"))
        for words in (["size", "arm.toml", "--flexible", "--end", "1000"],
                      ["settle", "arm.toml", "--tool", "arm:tip", "--after", "1000"]):
            program = self.start(*words, "-o", "out", "--json")
            time.sleep(1)
            program.send_signal(signal.SIGINT)
            out, errors = program.communicate(timeout=60)
            self.assertEqual(program.returncode, 130, errors)
            self.assertIn("no figures: interrupted", errors)
            answer = json.loads(out)
            self.assertEqual(answer.get("drives", answer.get("points")), [])

    def test_a_computation_without_a_result_ends_with_1(self):
        loose = ARM.replace("PROFILE", "trapezoid").replace('child_node = "root"\n', 'child_node = "root"\n', 1)
        loose = loose.replace("[[motors]]", """[[links]]
name = "load"
type = "rigid"
mass = 1
nodes = {root = [0, 0, 0]}
inertia = [0.01, 0.01, 0.01]
[[joints]]
name = "loose"
parent = "arm"
parent_node = "tip"
child = "load"
child_node = "root"
[[motors]]""", 1)
        self.write("loose.toml", loose)
        result = self.run_program("shape", "loose.toml", "--tool", "arm:tip", "--json")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("moves freely", json.loads(result.stdout)["errors"][0]["message"])
        self.assertNotIn("error:", json.loads(result.stdout)["errors"][0]["message"])
        self.assertEqual(result.stderr.count("error"), 1, result.stderr)

    def test_folders_are_tried_before_anything_is_computed(self):
        self.write("arm.toml", ARM.replace("PROFILE", "trapezoid"))
        self.write("data.csv", "time,angle\n0,0\n1,0\n")
        self.write("taken", "a file")
        for words in (["settle", "arm.toml", "--tool", "arm:tip", "--after", "1e6", "-o", "taken"],
                      ["size", "arm.toml", "--flexible", "--end", "1e3", "--output-step", "0.1", "-o", "taken"],
                      ["shape", "arm.toml", "--tool", "arm:tip", "--after", "1e5", "--results", "taken"],
                      ["shape", "arm.toml", "--tool", "arm:tip", "--after", "1e5", "-o", "taken/shaped.csv"],
                      ["inverse-dynamics", "arm.toml", "--end", "1e6", "--output-step", "10", "-o", "taken"],
                      ["inverse-dynamics", "arm.toml", "--elastic", "-o", "taken"],
                      ["modes", "arm.toml", "-o", "taken"], ["linearise", "arm.toml", "-o", "taken"],
                      ["equilibrium", "arm.toml", "-o", "taken"], ["condense", "arm.toml", "-o", "taken"],
                      ["statespace", "arm.toml", "-o", "taken"], ["sensitivity", "arm.toml", "-o", "taken"],
                      ["contributions", "arm.toml", "--tool", "arm:tip", "-o", "taken"], ["demo", "-o", "taken"]):
            result = self.run_program(*words)
            self.assertEqual(result.returncode, 1, (words, result.stderr))
            self.assertRegex(result.stderr, "cannot make the directory|Not a directory", words)
        self.assertEqual(self.files(), ["arm.toml", "data.csv", "taken"])

    def test_a_shaped_move_swings_less_and_can_be_taken_into_the_file(self):
        model = ARM.replace("PROFILE", "trapezoid")
        self.write("arm.toml", model)
        found = self.succeed_json("shape", "arm.toml", "--tool", "arm:tip", "-o", "shaped.csv")
        best = found["moves"][found["best"]]
        self.assertLess(best["residual_m"], 0.1 * found["moves"][0]["residual_m"])
        self.write("shaped.toml", model[:model.index("[[moves]]")] +
                   '[[moves]]\njoints = ["turn"]\ntable = "shaped.csv"\n')
        settled = self.succeed_json("settle", "shaped.toml", "--tool", "arm:tip")
        self.assertAlmostEqual(settled["move_end"], best["move_end"], 9)
        self.assertLess(abs(settled["points"][0]["residual_m"] - best["residual_m"]),
                        0.02 * found["moves"][0]["residual_m"])  # a spline through points 1 ms apart

    def test_a_table_of_motion_has_rows_a_millisecond_apart_and_at_most_a_million_of_them(self):
        for duration, rows in ((2e-4, 2), (0.0302, 32), (1001, 1000001)):
            self.write("arm.toml", SLOW.replace("DURATION", str(duration)))
            result = self.succeed("shape", "arm.toml", "--tool", "arm:tip", "--after", "1", "--output-step", "1",
                                  "--tolerance", "1e-3", "--band", "1", "--slowest", "1.1", "-o", "shaped.csv")
            self.assertIn("as it is", result.stdout)
            lines = (self.folder / "shaped.csv").read_text(encoding="utf-8").splitlines()[1:]
            self.assertEqual(len(lines), rows, result.stdout)
            self.assertEqual(lines[0].split(",")[0], "0")
            self.assertAlmostEqual(float(lines[1].split(",")[0]), duration / (rows - 1))
            self.assertAlmostEqual(float(lines[-1].split(",")[0]), duration)
            (self.folder / "shaped.csv").unlink()

    def test_a_motion_that_no_table_can_hold_is_refused_before_it_is_computed(self):
        self.write("arm.toml", ARM[:ARM.index("[[motors]]")].replace('name = "turn"', 'name = "turn"\ntype = "spherical"') +
                   '[[drives]]\njoint = "turn"\nfreedom = 1\n'
                   'motion = {move = {start_time = 0, end_time = 0.1, start_value = 0, end_value = 0.1}}\n')
        begin = time.monotonic()
        result = self.fail_as_bad_input("shape", "arm.toml", "--tool", "arm:tip", "--after", "1e5", "-o", "shaped.csv")
        self.assertIn("has several degrees of freedom", result.stderr)
        self.assertLess(time.monotonic() - begin, 30)

    def test_torques_for_an_elastic_gearbox_keep_the_link_on_its_path(self):
        self.write("arm.toml", ARM.replace("PROFILE", "s_curve"))
        found = self.succeed_json("inverse-dynamics", "arm.toml", "--elastic", "-o", "out")
        (joint,) = found["joints"]
        self.assertTrue(joint["elastic"])
        self.assertLess(joint["error"], 0.1 * joint["uncorrected_error"])
        heading = next(row for row in (self.folder / "out" / "elastic.csv").read_text().splitlines()
                       if not row.startswith("#"))
        self.assertEqual(heading, "time [s],turn link [rad],turn motor [rad],turn motor speed [rad/s],"
                                  "turn gear torque [N m],turn torque [N m]")


if __name__ == "__main__":
    unittest.main()
