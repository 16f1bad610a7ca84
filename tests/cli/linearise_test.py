"""linearise: files, options, messages."""
import json
import math
import shutil
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ROOT, ProgramTest

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

    def test_an_interrupt_ends_the_search_for_a_periodic_motion(self):
        program = subprocess.Popen([str(PROGRAM), "linearise", str(MODELS / "industrial_6r.toml"), "--period", "3"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            time.sleep(1)  # of many
            program.send_signal(signal.SIGINT)
            errors = program.communicate(timeout=60)[1]
        finally:
            program.kill()
        self.assertIn("interrupted", errors)
        self.assertEqual(program.returncode, 130)

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

    def test_bad_names_and_ranges_are_input_errors(self):
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


class Trusses(ProgramTest):
    """[LIN] section 5.1 from a model file: m = 1.5 kg on a rhombus of bars of 0.5 m with a spring of 200 N/m across it."""
    MODEL = ROOT / "tests" / "cli" / "truss_four_bar.toml"

    def test_matrices_and_transfer_functions_are_those_of_the_paper(self):
        answer = self.succeed_json("linearise", self.MODEL, "--formulation", "transfer-functions", "--about", "initial", "-o", "out")
        found = answer["models"][0]["transfer_functions"]
        self.assertEqual([c["unit"] for c in found["coordinates"]], ["m"])
        self.assertAlmostEqual(found["M0"][0][0], 1.5, delta=1e-9)
        self.assertAlmostEqual(found["C0"][0][0], 0, delta=1e-9)
        self.assertAlmostEqual(found["K0"][0][0], 200, delta=1e-9)
        self.assertAlmostEqual(found["G0"][0][0], -(2**0.5) * 1.5 * 9.81 / 0.5, delta=1e-8)
        DF = dict(zip(found["rows"], (row[0] for row in found["DF"])))
        for row, value in (("low left:left.x", -0.5), ("low left:left.y", -0.5), ("low right:right.x", 0.5),
                           ("low right:right.y", -0.5), ("weight:pin.x", 0), ("weight:pin.y", -1)):
            self.assertAlmostEqual(DF[row], value, delta=1e-9, msg=row)
        self.assertEqual(found["units"]["DF"], "m/u_j")

    def test_the_matrices_in_motion_are_those_of_lagrange(self):
        # The weight falls from rest. Its height is y = sqrt(4 l^2 - (e + s)^2), s = l sqrt 2, e the spring's elongation.
        answer = self.succeed_json("linearise", self.MODEL, "--formulation", "transfer-functions", "--time", "0.05", "-o", "out")
        found = answer["models"][0]["transfer_functions"]
        rate, l, k, m, g = found["coordinates"][0]["velocity"], 0.5, 200, 1.5, 9.81
        s = l * 2**0.5
        height = lambda e: (4 * l * l - (e + s) ** 2) ** 0.5
        energy = lambda e: 0.5 * m * ((e + s) / height(e) * rate) ** 2 + m * g * (height(e) - height(0)) + 0.5 * k * e * e
        low, high = 1e-6, 0.05
        for _ in range(60):
            e = 0.5 * (low + high)
            low, high = (e, high) if energy(e) > 0 else (low, e)
        y = height(e)
        y1 = -(e + s) / y
        y2 = -(1 + y1 * y1) / y
        y3 = -3 * y1 * y2 / y
        second = -(m * y1 * y2 * rate**2 + m * g * y1 + k * e) / (m * y1**2)
        near = lambda value, wanted: self.assertAlmostEqual(value, wanted, delta=1e-3 * abs(wanted))
        near(found["M0"][0][0], m * y1**2)
        near(found["C0"][0][0], 2 * m * y1 * y2 * rate)
        near(found["K0"][0][0], k)
        near(found["G0"][0][0], 2 * m * y1 * y2 * second + m * (y2 * y2 + y1 * y3) * rate**2 + m * g * y2)
        row = found["rows"].index("weight:pin.y")
        near(found["DF"][row][0], y1)
        near(found["D2F"][row][0], y2 * rate)
        near(found["D3F"][row][0], y3 * rate**2)

    def test_every_command_takes_trusses_with_transfer_functions_alone(self):
        self.succeed("check", self.MODEL)
        self.succeed("info", self.MODEL)
        options = ["--formulation", "transfer-functions", "-o", "out"]
        rest = self.succeed_json("equilibrium", self.MODEL, "--joints", "free", *options)
        y = {sensor["name"]: sensor["value"] for sensor in rest["sensors"]}["weight.y"]
        # k e e' = - m g y' with e = 2 l sin a - l sqrt 2, y = 2 l cos a: bisection on a.
        low, high = math.pi / 4, math.pi / 2
        for _ in range(60):
            a = 0.5 * (low + high)
            low, high = (a, high) if 200 * (math.sin(a) - 0.5**0.5) * math.cos(a) < 1.5 * 9.81 * math.sin(a) else (low, a)
        self.assertAlmostEqual(y, math.cos(low), delta=1e-6)
        modes = self.succeed_json("modes", self.MODEL, *options)
        self.assertEqual(len(modes["modes"]), 1)
        motion = self.succeed_json("simulate", self.MODEL, "--end", "0.1", *options)
        self.assertLess(abs(motion["energy"]["imbalance_j"]), 1e-4)
        text = self.MODEL.read_text(encoding="utf-8")
        plain = self.write("plain.toml", text[:text.index("[[coordinates]]")])
        for command in ("modes", "simulate", "linearise", "equilibrium"):
            result = self.fail_as_bad_input(command, plain, "--formulation", "floating-frame", "-o", "out")
            self.assertIn("is a truss, which only the formulation transfer-functions has", result.stderr)

    def test_bars_that_are_welded_to_each_other_are_no_trusses(self):
        head = 'lithe = 1\nspace = "planar"\n[materials.s]\ndensity = 7800\nyoung_modulus = 2e11\npoisson_ratio = 0.3\n' \
               '[sections.r]\nshape = "circle"\ndiameter = 0.01\n'
        link = '[[links]]\nname = "crane"\nnodes = {a = [0, 0, 0], b = [0, 0.5, 0], c = [0.5, 0.5, 0]}\npath = ["a", "b", "c"]\n' \
               'material = "s"\nsection = "r"\ntheory = "truss"\n[[joints]]\nname = "base"\nchild = "crane"\nchild_node = "a"\n'
        path = self.write("crane.toml", head + link)
        result = self.fail_as_bad_input("equilibrium", path, "--formulation", "transfer-functions", "-o", "out")
        self.assertIn("write every truss as a link of its own, with hinges (planar) or ball joints at its ends", result.stderr)
        straight = self.write("bar.toml", head + link.replace("c = [0.5, 0.5, 0]", "c = [0, 0.9, 0]"))
        self.succeed("equilibrium", straight, "--formulation", "transfer-functions", "-o", "out")

    def test_a_crane_of_trusses_sinks_as_the_stiffness_method_says(self):
        nodes = {"a": (0, 0), "b": (0, 0.5), "c": (0.5, 0.5), "d": (0.5, 0), "e": (1, 0.5)}
        bars = ["ad", "ab", "bd", "bc", "dc", "de", "ce"]
        area, modulus, density, gravity, payload = math.pi * 0.012**2 / 4, 200e9, 7800, 9.81, 5
        angle = lambda bar: math.atan2(nodes[bar[1]][1] - nodes[bar[0]][1], nodes[bar[1]][0] - nodes[bar[0]][0])
        text = 'lithe = 1\nspace = "planar"\ngravity = [0, -9.81, 0]\n[materials.s]\ndensity = 7800\nyoung_modulus = 200e9\n' \
               'poisson_ratio = 0.3\n[sections.r]\nshape = "circle"\ndiameter = 0.012\n'
        for bar in bars:
            length = math.dist(nodes[bar[0]], nodes[bar[1]])
            text += f'[[links]]\nname = "{bar}"\nnodes = {{{bar[0]} = [0, 0, 0], {bar[1]} = [{length!r}, 0, 0]}}\n' \
                    f'path = ["{bar[0]}", "{bar[1]}"]\ntheory = "truss"\nmaterial = "s"\nsection = "r"\nelements = 1\n'
            text += f'masses = [{{node = "e", mass = {payload}}}]\n' if bar == "ce" else ""
        for parent, child, node in (("", "ad", "a"), ("", "ab", "a"), ("ab", "bd", "b"), ("ab", "bc", "b"), ("ad", "bd", "d"),
                                    ("ad", "dc", "d"), ("ad", "de", "d"), ("bc", "dc", "c"), ("bc", "ce", "c"), ("ce", "de", "e")):
            text += f'[[joints]]\nname = "{parent}-{child}"\nchild = "{child}"\nchild_node = "{node}"\n'
            text += f'parent = "{parent}"\nparent_node = "{node}"\n' if parent else ""
            text += f"guess = {angle(child) - (angle(parent) if parent else 0)!r}\n"
        text += '[[coordinates]]\nlink = "ab"\nnode = "b"\ncoordinate = "x"\nrole = "fixed"\n' \
                '[[sensors]]\nname = "hook"\nquantity = "position"\nlink = "ce"\nnode = "e"\n'
        answer = self.succeed_json("equilibrium", self.write("crane.toml", text), "--formulation", "transfer-functions", "-o", "out")
        hook = [sensor["value"] for sensor in answer["sensors"]]

        names = sorted(nodes)
        stiffness, force = [[0.0] * 10 for _ in range(10)], [0.0] * 10
        for bar in bars:
            length = math.dist(nodes[bar[0]], nodes[bar[1]])
            along = [math.cos(angle(bar)), math.sin(angle(bar))]
            row = [-along[0], -along[1], along[0], along[1]]
            places = [2 * names.index(n) + k for n in bar for k in (0, 1)]
            for i in range(4):
                for j in range(4):
                    stiffness[places[i]][places[j]] += modulus * area / length * row[i] * row[j]
            for n in bar:
                force[2 * names.index(n) + 1] -= density * area * length * gravity / 2
        force[2 * names.index("e") + 1] -= payload * gravity
        free = [k for k in range(10) if k not in (0, 1, 2 * names.index("b"))]
        rows = [[stiffness[i][j] for j in free] + [force[i]] for i in free]
        for i in range(len(free)):  # Gauss and Jordan; the matrix is positive definite
            rows[i] = [value / rows[i][i] for value in rows[i]]
            for k in range(len(free)):
                if k != i:
                    rows[k] = [value - rows[k][i] * other for value, other in zip(rows[k], rows[i])]
        moved = dict(zip(free, (row[-1] for row in rows)))
        self.assertAlmostEqual(hook[0] - 1, moved[2 * names.index("e")], delta=1e-3 * abs(moved[2 * names.index("e") + 1]))
        self.assertAlmostEqual(hook[1] - 0.5, moved[2 * names.index("e") + 1], delta=1e-3 * abs(moved[2 * names.index("e") + 1]))

    def test_the_quadratic_elongation_can_be_left_out(self):
        arm = ROOT / "models" / "rotating_arm.toml"
        spin = [arm, "--formulation", "transfer-functions", "--spin", "hub", "--speed", "600", "-o", "out"]
        frequencies = lambda *more: [e["frequency_hz"] for e in self.succeed_json("linearise", *spin, *more)["models"][0]["eigenvalues"]]
        apart = max(abs(a - b) / max(a, b, 1) for a, b in zip(frequencies(), frequencies("--without-quadratic-elongation")))
        self.assertGreater(apart, 0.02)
        result = self.fail_as_bad_input("modes", arm, "--without-quadratic-elongation", "-o", "out")
        self.assertIn("belongs to transfer-functions; the formulation is erls-cms", result.stderr)


if __name__ == "__main__":
    unittest.main()
