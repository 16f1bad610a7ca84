"""control: the same move with each controller; controllers in simulate; programs as controllers; singular postures."""
import json
import unittest

from program import ROOT, ProgramTest

ARM = ROOT / "models" / "control_arm.toml"
FOUR_BAR = ROOT / "models" / "control_four_bar.toml"

EXTERNAL = """
[[controllers]]
name = "script"
type = "external"
joints = ["shoulder"]
measurements = ["shoulder angle"]
references = ["turn"]
sample_time = 0.01
command = ["sh", "-c", "{script}"]
"""


class Control(ProgramTest):
    def test_compares_the_controllers_of_a_file(self):
        answer = self.succeed_json("control", ARM, "--controllers", "pid,lqg", "--end", "1.5", "-o", "out")
        self.assertEqual([row["controller"] for row in answer["controllers"]], ["pid", "lqg"])
        pid, lqg = answer["controllers"]
        self.assertEqual(len(pid["gains"]), 1)
        self.assertGreater(pid["gains"][0]["proportional"], 0)
        for row in (pid, lqg):
            self.assertTrue(row["finished"])
            self.assertGreater(row["peak_deflection"], 0)
            self.assertEqual([round(p["factor"], 3) for p in row["payloads"]], [0.8, 1.2])
        # damping through the strain gauges settles sooner than the joint alone, and bends the arm less
        self.assertLess(lqg["settling_time_s"], 0.9 * pid["settling_time_s"])
        self.assertLess(lqg["peak_deflection"], pid["peak_deflection"])
        self.assertGreater(lqg["full_decay"], 0)
        self.assertEqual(answer["files"], ["out/control.csv", "out/control.html"])
        self.assertEqual(self.files(), answer["files"])
        head = (self.folder / "out" / "control.csv").read_text().splitlines()
        self.assertTrue(any("lqg: shoulder [N m]" in line for line in head[:10]), head[:10])

    def test_prints_tables(self):
        text = self.succeed("control", ARM, "--controllers", "pid", "--end", "0.2").stdout
        for word in ("settled s", "payload", "decay 1/s", "proportional"):
            self.assertIn(word, text)

    def test_unknown_controllers_and_models_without_any_are_bad_input(self):
        result = self.fail_as_bad_input("control", ARM, "--controllers", "lgq")
        self.assertIn("did you mean 'lqg'?", result.stderr)
        result = self.fail_as_bad_input("control", ROOT / "models" / "l_shape.toml")
        self.assertIn("has no controllers", result.stderr)


class InSimulation(ProgramTest):
    def simulate(self, *options):
        return self.succeed_json("simulate", ARM, "--end", "0.8", *options)

    def last(self, answer, sensor):
        return [row["last"] for row in answer["sensors"] if row["name"] == sensor][0]

    def test_the_active_controller_acts_and_another_can_be_chosen(self):
        active = self.simulate("-o", "one")
        self.assertAlmostEqual(self.last(active, "shoulder angle"), 0.7854, delta=0.05)
        self.assertTrue(any(row["name"] == "lqg: shoulder" for row in active["sensors"]))
        other = self.simulate("--controller", "pid", "-o", "two")
        self.assertTrue(any(row["name"] == "pid: shoulder" for row in other["sensors"]))
        none = self.simulate("--controller", "none", "-o", "three")
        self.assertEqual(self.last(none, "shoulder angle"), 0)

    def test_the_same_controller_drives_another_formulation(self):
        answer = self.simulate("--formulation", "floating-frame", "-o", "out")
        self.assertAlmostEqual(self.last(answer, "shoulder angle"), 0.7854, delta=0.05)

    def test_a_restarted_run_ends_where_the_whole_one_does(self):
        whole = self.simulate("--checkpoint", "a.checkpoint", "--checkpoint-interval", "0.2", "-o", "one")
        self.succeed_json("simulate", ARM, "--end", "0.4", "--checkpoint", "b.checkpoint", "--checkpoint-interval", "0.2",
                          "-o", "two")
        rest = self.simulate("--restart", "b.checkpoint", "--checkpoint-interval", "0.2", "-o", "three")
        self.assertEqual(self.last(whole, "tip y"), self.last(rest, "tip y"))


class External(ProgramTest):
    def model(self, script):
        text = ARM.read_text().replace('active = ["lqg"]', 'active = ["script"]')
        return self.write("arm.toml", text.replace("\n[control]\n", EXTERNAL.replace("{script}", script) + "\n[control]\n"))

    def test_a_program_controls_and_its_margin_is_told(self):
        model = self.model("read greeting; while read time y rest; do echo 0.25; done")
        answer = self.succeed_json("simulate", model, "--end", "0.1")
        self.assertEqual([row["last"] for row in answer["sensors"] if row["name"] == "script: shoulder"], [0.25])
        self.assertTrue(any("us per sample" in text for text in answer["warnings"]), answer["warnings"])

    def test_a_program_that_ends_is_a_failure_with_results(self):
        model = self.model("read a; read b; echo 0.1; exit 3")
        result = self.run_program("simulate", model, "--end", "0.1", "--json", "-o", "out")
        self.assertEqual(result.returncode, 1, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["message"],
                         "stopped at 0.01 s: controller 'script': the process ended with exit code 3")
        self.assertAlmostEqual(answer["time_s"], 0.01)
        self.assertIn("out/motion.csv", self.files())


class Singular(ProgramTest):
    def test_a_straight_coupler_ends_the_run_with_a_message_and_results(self):
        # A shorter coupler: the crank cannot turn to 170 deg, where coupler and rocker are longer than needed to reach.
        text = FOUR_BAR.read_text().replace("rocker = [0.35, 0, 0]", "rocker = [0.22, 0, 0]")
        text = text.replace('end_value = "110 deg"', 'end_value = "175 deg"').replace('active = ["lqg"]', 'active = ["pid"]')
        model = self.write("straight.toml", text)
        result = self.run_program("simulate", model, "--json", "-o", "out")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        answer = json.loads(result.stdout)
        self.assertRegex(answer["message"], r"^stopped at 0\.\d+ s: .*(singular|unreachable|smallest step)")
        self.assertGreater(answer["time_s"], 0.01)
        self.assertIn("out/motion.csv", self.files())


if __name__ == "__main__":
    unittest.main()
