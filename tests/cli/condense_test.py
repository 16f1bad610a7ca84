"""condense and sweep: results, options, restart after a kill, messages."""
import csv
import json
import os
import re
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ROOT, ProgramTest

MODELS = ROOT / "models"


def rows_of(path):
    with open(path, encoding="utf-8") as stream:
        return list(csv.DictReader(line for line in stream if not line.startswith("#")))


class Condense(ProgramTest):
    def test_both_routes_give_the_same_matrices(self):
        first = self.succeed_json("condense", MODELS / "planar_3rrr.toml", "-o", "a")
        second = self.succeed_json("condense", MODELS / "planar_3rrr.toml", "--route", "direct", "-o", "b")
        for i in range(6):
            for j in range(6):
                level = (first["tool"]["stiffness"][i][i] * first["tool"]["stiffness"][j][j]) ** 0.5
                self.assertAlmostEqual(first["tool"]["stiffness"][i][j] / level, second["tool"]["stiffness"][i][j] / level, delta=1e-9)
        self.assertEqual(self.files(), [f"{folder}/{name}" for folder in "ab" for name in ("condense.csv", "condense.h5", "condense.html")])
        self.assertIn("natural frequencies", (self.folder / "a" / "condense.html").read_text(encoding="utf-8"))

    def test_options_override_the_file(self):
        answer = self.succeed_json("condense", MODELS / "two_beam_frame.toml", "--independent", "left:middle,left:hinge,right:middle",
                                   "--count", "3", "--full")
        self.assertEqual([node["node"] for node in answer["independent"]], ["left:middle", "left:hinge", "right:middle"])
        self.assertEqual(len(answer["frequencies_hz"]), 3)
        self.assertAlmostEqual(answer["full"]["frequencies_hz"][1], 32.40, delta=0.005)
        self.assertEqual(len(answer["stiffness"]), 18)

    def test_stiffness_is_told_with_the_other_axes_locked_and_free(self):
        model = MODELS / "planar_3rrr.toml"
        full = self.succeed_json("condense", model, "--tool", "platform:centre", "--full", "-o", "full")
        tool = full["tool"]
        for k in range(6):
            self.assertAlmostEqual(tool["stiffness_others_free"][k] * tool["compliance"][k][k], 1, delta=1e-12)
            self.assertEqual(tool["stiffness_others_locked"][k], tool["stiffness"][k][k])
            self.assertGreaterEqual(tool["stiffness_others_locked"][k], tool["stiffness_others_free"][k] * (1 - 1e-9))
        text = self.succeed("condense", model, "--tool", "platform:centre", "-o", "out").stdout
        self.assertIn("K_ii, others locked", text)
        self.assertIn("1/C_ii, others free", text)
        rows = rows_of(self.folder / "full" / "condense.csv")
        self.assertAlmostEqual(float(rows[0]["frequency of the full model [Hz]"]), full["full"]["frequencies_hz"][0], delta=1e-9)

    def test_the_connection_rule_is_counted(self):
        sets = self.succeed_json("condense", MODELS / "ragnar.toml", "-o", "out")["sets"]
        total = sets["total"]
        self.assertEqual(total["n_c"], total["mobile_connections"] + total["rigid_connections"] + total["imposed_connections"])
        self.assertEqual(total["rule"], total["n_J"] - total["n_c"])
        self.assertEqual(total["n_J"], len(sets["joint"]))
        self.assertEqual(total["n_O"], len(sets["independent"]))
        for subsystem in sets["subsystems"]:
            self.assertEqual(subsystem["n_O"], 0 if subsystem["role"] == "grounded" else 1, subsystem)

    def test_displacements_are_imposed_by_component(self):
        text = """lithe = 1
name = "bar"
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
name = "bar"
nodes = {root = [0, 0, 0], middle = [0.5, 0, 0], tip = [1, 0, 0]}
path = ["root", "middle", "tip"]
material = "steel"
section = "bar"
theory = "euler_bernoulli"
[[joints]]
name = "clamp"
type = "fixed"
child = "bar"
child_node = "root"
[[analyses]]
kind = "condense"
tool = "bar:middle"
[[analyses.imposed]]
link = "bar"
node = "tip"
displacement = [0, 0.001, 0]
COMPONENTS
"""
        free = self.write("free.toml", text.replace("COMPONENTS", 'components = ["y"]'))
        held = self.write("held.toml", text.replace("COMPONENTS", ""))
        moved = lambda model: self.succeed_json("condense", model, "-o", "out")["tool"]["displacements"]["imposed"][1]
        # A tip pushed aside: v(1/2) = (3 (1/2)² - (1/2)³)/2 of it; with its rotation held half of it.
        self.assertAlmostEqual(moved(free), 0.001 * (3 / 4 - 1 / 8) / 2, delta=1e-9)
        self.assertAlmostEqual(moved(held), 0.0005, delta=1e-9)
        wrong = self.write("wrong.toml", text.replace("COMPONENTS", 'components = ["ry", "q"]'))
        stderr = self.fail_as_bad_input("condense", wrong, "-o", "out").stderr
        self.assertIn("unknown component 'q'", stderr)
        self.assertIn("component 'y' has the value 0.001, but is not among the imposed ones", stderr)

    def test_a_loose_joint_is_named(self):
        text = (MODELS / "planar_3rrr.toml").read_text().replace("stiffness = 8000", "")
        self.write("unconstrained.toml", text)
        result = self.run_program("condense", "unconstrained.toml", "--tool", "platform:centre")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("without resistance", result.stdout)
        struts = re.sub(r'type = "universal"\n(.*\n.*\n.*\n)axis.*\nsecond_axis.*', r'type = "spherical"\n\1',
                        (MODELS / "stewart_gough.toml").read_text())
        self.write("held.toml", struts)
        held = self.succeed_json("condense", "held.toml")
        self.assertRegex(held["notes"][0], r"6 struts do not spin.*'base 1' and 'ball 1'")
        self.assertGreater(held["frequencies_hz"][0], 70)
        # Six legs that may spin about themselves: six motions without stiffness, and the joints are named.
        self.assertIn('kind = "condense"', struts)
        self.write("strut.toml", struts.replace('kind = "condense"', 'kind = "condense"\nhold_spins = false'))
        answer = self.succeed_json("condense", "strut.toml")
        self.assertRegex(answer["notes"][0], r"6 motions meet no stiffness.*joint '(base|ball) \d'")
        self.assertRegex(answer["tool"]["message"], r"joint '(base|ball) \d'")
        self.assertLess(max(answer["frequencies_hz"][:6]), 1e-2)
        self.assertGreater(answer["frequencies_hz"][6], 70)

    def test_conflicts_name_the_subsystem(self):
        result = self.fail_as_bad_input("condense", MODELS / "two_beam_frame.toml", "--independent", "left:hinge,right:hinge")
        self.assertIn("the subsystem of joints 'hinge'", result.stderr)
        self.assertIn("did you mean 'left'", self.fail_as_bad_input("condense", MODELS / "two_beam_frame.toml", "--tool", "lft:hinge").stderr)
        self.assertEqual(self.files(), [])

    def test_every_analysis_of_the_file_runs(self):
        answer = self.succeed_json("run", MODELS / "two_beam_frame.toml", "-o", "r")
        self.assertEqual([item["kind"] for item in answer["analyses"]], ["condense"] * 3)
        self.assertIn("r/condense_1N.csv", self.files())


class Sweep(ProgramTest):
    AXES = ["--tool", "platform:centre", "--axis", "tool.x = -50 mm : 50 mm : 6", "--axis", "tool.y = -0.05 : 0.05 : 5"]

    def test_results_do_not_depend_on_threads(self):
        for threads in ("1", "3"):
            self.succeed("sweep", MODELS / "planar_3rrr.toml", *self.AXES, "--threads", threads, "-o", threads)
        self.assertEqual((self.folder / "1" / "sweep.csv").read_bytes(), (self.folder / "3" / "sweep.csv").read_bytes())
        self.assertEqual(sorted(os.listdir(self.folder / "1")), ["sweep.csv", "sweep.h5", "sweep.html", "sweep.svg"])
        rows = rows_of(self.folder / "1" / "sweep.csv")
        self.assertEqual(len(rows), 30)
        self.assertTrue(all(row["status"] == "0" for row in rows))

    def test_a_killed_sweep_continues_and_ends_as_if_nothing_had_happened(self):
        command = ["sweep", MODELS / "ragnar.toml", "--tool", "platform:E", "--axis", "tool.x = -0.24 : 0.24 : 60", "--axis",
                   "tool.y = -0.45 : 0.45 : 60", "--set", "tool.z = -0.57", "--count", "4"]
        self.succeed(*command, "-o", "whole")
        answer = self.kill_and_continue(command, 100000)
        self.assertGreater(answer["from_earlier_run"], 100)
        self.assertEqual(answer["from_earlier_run"] + answer["computed_now"], 3600)

    def test_a_killed_sweep_of_equations_continues_too(self):
        grids = {"modes": ["--axis", "joint.shoulder = 0 : 1 : 40", "--axis", "joint.elbow = 0.2 : 1 : 40"],
                 "simulate": ["--end", "0.05", "--axis", "materials.aluminium.density = 2000 : 3000 : 5", "--axis", "joint.elbow = 0.2 : 1 : 30"]}
        for analysis, grid in grids.items():
            command = ["sweep", MODELS / "planar_2r.toml", "--analysis", analysis, *grid]
            self.succeed(*command, "-o", "whole")
            answer = self.kill_and_continue(command, 10000)
            self.assertGreater(answer["from_earlier_run"], 5)
            self.assertGreater(answer["computed_now"], 5)
            self.assertEqual(answer["from_earlier_run"] + answer["computed_now"], answer["points"])

    def kill_and_continue(self, command, size):
        """Kills the sweep when its file of points has `size` bytes; the next run must end with what an undisturbed one (in 'whole') has."""
        process = subprocess.Popen([str(PROGRAM), *map(str, command), "-o", "killed", "--threads", "1"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        part = self.folder / "killed" / "sweep.part"
        csv = self.folder / "killed" / "sweep.csv"
        csv.unlink(missing_ok=True)
        for _ in range(20000):
            if part.exists() and part.stat().st_size > size:
                break
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertTrue(part.exists(), "the sweep ended before it could be killed")
        self.assertFalse(csv.exists())
        answer = json.loads(self.succeed(*command, "-o", "killed", "--json").stdout)
        self.assertEqual((self.folder / "whole" / "sweep.csv").read_bytes(), csv.read_bytes())
        self.assertFalse(part.exists())
        return answer

    def test_parameters_of_the_file_can_be_swept(self):
        answer = self.succeed_json("sweep", MODELS / "two_beam_frame.toml", "--tool", "left:hinge", "--axis",
                                   "materials.steel.young_modulus = 100 GPa : 400 GPa : 2", "--count", "2")
        rows = rows_of(self.folder / answer["files"][0])
        # Frequencies go with the root of the modulus; Poisson's ratio keeps the shear modulus in proportion.
        self.assertAlmostEqual(float(rows[1]["frequency_1 [Hz]"]) / float(rows[0]["frequency_1 [Hz]"]), 2, delta=1e-9)

    def test_unreachable_points_are_marked(self):
        answer = self.succeed_json("sweep", MODELS / "planar_3rrr.toml", "--tool", "platform:centre", "--axis", "tool.x = 0, 5", "-o", "r")
        self.assertEqual(answer["status"], {"computed": 1, "unreachable": 1, "unconstrained": 0, "failed": 0})

    def test_any_analysis_can_be_swept(self):
        axis = ["--axis", "joint.shoulder = 0 : 0.4 : 3"]
        for analysis, column in (("modes", "frequency_3 [Hz]"), ("equilibrium", "holding.shoulder"), ("linearise", "growth [1/s]"),
                                 ("simulate", "hand position.x.peak [m]")):
            answer = self.succeed_json("sweep", MODELS / "planar_2r.toml", "--analysis", analysis, *axis, "--end", "0.02", "-o", analysis)
            self.assertEqual(answer["status"]["computed"], 3)
            rows = rows_of(self.folder / answer["files"][0])
            self.assertTrue(all(float(row[column]) == float(row[column]) for row in rows), column)
            self.assertEqual([float(row["joint.shoulder [rad]"]) for row in rows], [0, 0.2, 0.4])

    def test_one_row_is_shared_by_threads_and_the_numbers_are_the_same(self):
        for threads in ("1", "3"):
            self.succeed("sweep", MODELS / "planar_2r.toml", "--analysis", "simulate", "--end", "0.02", "--axis", "joint.elbow = 0.2 : 1 : 7",
                         "--threads", threads, "-o", threads)
        self.assertEqual((self.folder / "1" / "sweep.csv").read_bytes(), (self.folder / "3" / "sweep.csv").read_bytes())

    def test_a_stability_map_over_a_speed_finds_the_unstable_speeds(self):
        answer = self.succeed_json("sweep", MODELS / "unsymmetrical_shaft.toml", "--analysis", "linearise", "--axis", "speed = 0, 80, 200", "-o", "r")
        self.assertEqual(answer["status"]["computed"], 3)
        self.assertEqual(float(rows_of(self.folder / "r" / "sweep.csv")[0]["stable"]), 1)

    def test_points_without_an_answer_say_why(self):
        answer = self.succeed_json("sweep", MODELS / "planar_2r.toml", "--analysis", "modes", "--axis", "materials.aluminium.density = -1, 2700", "-o", "r")
        self.assertEqual(answer["status"]["unreachable"], 1)
        self.assertIn("density", rows_of(self.folder / "r" / "sweep.csv")[0]["reason"])
        self.assertIn("density", answer["reasons"][0]["reason"])

    def test_errors_are_explained(self):
        model = MODELS / "planar_3rrr.toml"
        self.assertIn("cannot repeat 'mode'", self.fail_as_bad_input("sweep", model, "--analysis", "mode", "--axis", "joint.A1 = 0, 1").stderr)
        self.assertIn("--spin", self.fail_as_bad_input("sweep", model, "--analysis", "modes", "--axis", "speed = 0, 1").stderr)
        for axis, part in (("tool.x = 0 : 1", "start : end : count"), ("tool.w = 0 : 1 : 2", "x, y, z"), ("joint.A9 = 0 : 1 : 2", "no joint"),
                           ("materials.aluminum.density = 1 : 2 : 2", "did you mean 'aluminium'"), ("tool.x = 0 kg : 1 : 2", "must be in m"),
                           ("tool.x", "name = start")):
            result = self.fail_as_bad_input("sweep", model, "--tool", "platform:centre", "--axis", axis)
            self.assertIn(part, result.stderr)
        self.assertIn("needs the tool", self.fail_as_bad_input("sweep", MODELS / "four_bar.toml", "--axis", "tool.x = 0 : 1 : 2").stderr)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
