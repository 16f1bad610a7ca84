"""linearise: files, options, messages."""
import json
import shutil
import subprocess
import unittest

from program import ROOT, ProgramTest

MODELS = ROOT / "models"


class Linearise(ProgramTest):
    def test_writes_the_linear_model_for_every_program(self):
        answer = self.succeed_json("linearise", MODELS / "five_bar.toml", "-o", "out")
        names = ["linear.h", "linear.h5", "linear.html", "linear.json", "linear.mat", "linear.py", "linear_response.csv"]
        self.assertEqual(self.files(), [f"out/{name}" for name in names])
        model = answer["models"][0]
        self.assertEqual([signal["name"] for signal in model["inputs"]], ["left motor", "right motor"])
        states = len(model["A"])
        self.assertEqual((len(model["B"]), len(model["B"][0]), len(model["C"][0])), (states, 2, states))
        self.assertEqual(states, 2 * len(model["mass"]))
        with open(self.folder / "out" / "linear.json", encoding="utf-8") as stream:
            self.assertEqual(json.load(stream)["models"][0]["A"], model["A"])
        page = (self.folder / "out" / "linear.html").read_text(encoding="utf-8")
        self.assertIn("eigenvalues", page)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_the_header_is_plain_c(self):
        self.succeed("linearise", MODELS / "control_arm.toml", "-o", "out")
        self.write("use.c", '#include "out/linear.h"\nint main(void) { return linear_A[0][0] > 1e300; }\n')
        for options in (["-std=c99", "-pedantic"], ["-std=c99", "-DLINEAR_REAL=float", "-Wno-overflow"]):
            words = ["cc", *options, "-Wall", "-Wextra", "-Werror", "use.c", "-o", "use"]
            result = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_locked_cranks_leave_the_vibrations(self):
        free = self.succeed_json("linearise", MODELS / "five_bar.toml", "-o", "a")
        locked = self.succeed_json("linearise", MODELS / "five_bar.toml", "--hold", "left crank,right crank", "--input", "tool pin", "-o", "b")
        self.assertEqual(len(locked["models"][0]["mass"]), len(free["models"][0]["mass"]) - 2)
        self.assertGreater(locked["models"][0]["eigenvalues"][0]["frequency_hz"], 10)

    def test_follows_the_motion(self):
        answer = self.succeed_json("linearise", MODELS / "planar_2r.toml", "--time", "0.1,0.2", "-o", "out")
        self.assertEqual([model["time_s"] for model in answer["models"]], [0.1, 0.2])
        self.assertEqual(answer["about"], "motion")

    def test_frozen_eigenvalues_of_a_move_give_no_verdict(self):
        answer = self.succeed_json("linearise", MODELS / "planar_2r.toml", "--time", "0.1,0.2", "-o", "out")
        for model in answer["models"]:
            self.assertIsNone(model["stable"])
            self.assertTrue(model["frozen_time"])
        text = self.succeed("linearise", MODELS / "planar_2r.toml", "--time", "0.1,0.2", "-o", "out").stdout
        self.assertNotIn("Unstable.", text)

    SHAKEN = """lithe = 1
name = "shaken pendulum"
gravity = [0, 0, -9.81]
[[links]]
name = "slide"
type = "rigid"
mass = 1
inertia = [1, 1, 1]
nodes = {o = [0, 0, 0]}
[[links]]
name = "bob"
type = "rigid"
mass = 1
centre = [0, 0, -0.5]
inertia = [1e-9, 1e-9, 1e-9]
nodes = {o = [0, 0, 0]}
[[joints]]
name = "lift"
type = "prismatic"
axis = [0, 0, 1]
child = "slide"
child_node = "o"
[[joints]]
name = "pivot"
axis = [0, 1, 0]
parent = "slide"
parent_node = "o"
child = "bob"
child_node = "o"
[[drives]]
name = "shaker"
joint = "lift"
motion = {sine = {amplitude = "50 mm", frequency = FREQUENCY}}
"""

    def test_floquet_multipliers_of_a_shaken_pendulum(self):
        # sqrt(g/L) is 0.705 Hz: shaken at twice that it grows, at 20 Hz it does not.
        for frequency, verdict in ((1.41, "unstable"), (20, "neutral")):
            self.write("shaken.toml", self.SHAKEN.replace("FREQUENCY", str(frequency)))
            answer = self.succeed_json("linearise", "shaken.toml", "--floquet", "-o", "out")["floquet"]
            self.assertEqual(answer["verdict"], verdict)
            self.assertAlmostEqual(answer["period_s"], 1 / frequency, places=12)
            self.assertEqual(len(answer["multipliers"]), 2)
            text = self.succeed("linearise", "shaken.toml", "--period", str(1 / frequency), "-o", "out").stdout
            self.assertIn("Unstable: the largest" if verdict == "unstable" else "Neutrally stable", text)
        self.write("still.toml", self.SHAKEN.replace("{sine = {amplitude = \"50 mm\", frequency = FREQUENCY}}", "0"))
        self.assertIn("nothing in the model is periodic", self.fail_as_bad_input("linearise", "still.toml", "--floquet").stderr)

    def test_coordinates_of_the_file_are_the_states(self):
        text = (MODELS / "slider_crank.toml").read_text(encoding="utf-8")
        text += '\n[[coordinates]]\nlink = "rod"\nnode = "middle"\ncoordinate = "x"\n'
        self.write("model.toml", text)
        words = ["linearise", "model.toml", "--about", "initial", "-o", "out"]
        model = self.succeed_json(*words, "--formulation", "transfer-functions")["models"][0]
        self.assertIn("x of node 'middle' of link 'rod'", [state["name"] for state in model["states"]])
        message = self.fail_as_bad_input(*words).stderr
        self.assertIn("the formulation erls-cms cannot choose x of node", message)
        self.assertIn("model.toml:", message)

    def test_bad_names_and_ranges_are_input_mistakes(self):
        model = MODELS / "planar_2r.toml"
        for arguments, message in [
            (["--input", "nothing"], "there is no input 'nothing'"),
            (["--hold", "nothing"], "there is no joint 'nothing'"),
            (["--spin", "nothing"], "there is no joint 'nothing'"),
            (["--response", "1:2"], "--response: expected FROM:TO:COUNT, not '1:2'"),
            (["--speeds", "5:1:10"], "--speeds: FROM must be below TO"),
            (["--about", "motion"], "give the times"),
            (["--speeds", "0:1:3"], "needs the joint that turns"),
        ]:
            self.assertIn(message, self.fail_as_bad_input("linearise", model, *arguments, "-o", "out").stderr)
            self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
