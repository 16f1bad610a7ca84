"""statespace: reduced and sampled linear models, their zeros and margins, and what other programs make of them."""
import math
import re
import shutil
import subprocess
import sys
import unittest

from program import ROOT, ProgramTest

ARM = ROOT / "models" / "control_arm.toml"
FOUR_BAR = ROOT / "models" / "control_four_bar.toml"


class StateSpace(ProgramTest):
    def of(self, model, *options):
        return self.succeed_json("statespace", model, *options, "-o", "out")

    def test_poles_are_those_of_the_linear_model(self):
        linear = self.succeed_json("linearise", FOUR_BAR, "-o", "linear")["models"][0]["eigenvalues"]
        wanted = sorted(e["frequency_hz"] for e in linear if e["imaginary"] > 0)
        found = sorted(p["frequency_hz"] for p in self.of(FOUR_BAR)["poles"] if p["imaginary"] > 0)
        for a, b in zip(wanted[:12], found):
            self.assertAlmostEqual(a, b, delta=1e-6 * a)

    def test_collocated_zeros_are_the_frequencies_with_the_motor_locked(self):
        locked = self.succeed_json("linearise", FOUR_BAR, "--hold", "crank bearing", "--input", "crank pin", "-o", "linear")
        wanted = [e["frequency_hz"] for e in locked["models"][0]["eigenvalues"] if e["imaginary"] > 0][:3]
        channel = self.of(FOUR_BAR, "--input", "crank bearing", "--sensor", "crank angle")["channels"][0]
        found = sorted(math.hypot(*z) / (2 * math.pi) for z in channel["zeros"] if z[1] > 0)
        for frequency in wanted:
            self.assertLess(min(abs(frequency - other) for other in found), 1e-3 * frequency, (frequency, found))

    def test_a_bound_of_the_error_is_kept(self):
        full = self.of(ARM, "--input", "shoulder", "--sensor", "root moment")
        few = self.of(ARM, "--input", "shoulder", "--sensor", "root moment", "--error", "0.05")
        self.assertLess(few["states"], full["states"])
        self.assertLessEqual(few["error_bound"], 0.05)
        for hertz in (0.5, 2, 5, 20, 60, 200):
            self.assertLessEqual(abs(response(full, hertz) - response(few, hertz)), few["error_bound"] + 1e-9)
        modal = self.of(ARM, "--input", "shoulder", "--sensor", "root moment", "--states", "8", "--reduction", "modal")
        self.assertEqual(modal["states"], 8)
        for hertz in (0.5, 2, 5, 20, 60, 200):
            self.assertLessEqual(abs(response(full, hertz) - response(modal, hertz)), modal["error_bound"] + 1e-9)

    def test_sampling_moves_the_poles_to_their_exponentials(self):
        continuous = self.of(ARM, "--states", "6", "--reduction", "modal")
        sampled = self.of(ARM, "--states", "6", "--reduction", "modal", "--sample-time", "0.002")
        self.assertEqual(sampled["sample_time_s"], 0.002)
        for pole in continuous["poles"]:
            z = cexp(0.002 * complex(pole["real"], pole["imaginary"]))
            near = min(abs(z - complex(p["real"], p["imaginary"])) for p in sampled["poles"])
            self.assertLess(near, 1e-6)
        tustin = self.of(ARM, "--states", "6", "--reduction", "modal", "--sample-time", "0.002", "--discretisation", "tustin")
        for pole in continuous["poles"]:
            s = complex(pole["real"], pole["imaginary"])
            z = (1 + 0.001 * s) / (1 - 0.001 * s)
            self.assertLess(min(abs(z - complex(p["real"], p["imaginary"])) for p in tustin["poles"]), 1e-6)

    def test_other_programs_read_it(self):
        answer = self.of(ARM, "--states", "6", "--sample-time", "0.001")
        code = "import sys; sys.path.insert(0, 'out'); import statespace as s; print(len(s.A), float(s.A[0][0]))"
        text = subprocess.run([sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True, check=True)
        rows, first = text.stdout.split()
        self.assertEqual((int(rows), float(first)), (answer["states"], answer["A"][0][0]))
        if not shutil.which("cc"):
            self.skipTest("no C compiler")
        self.write("use.c", '#include <stdio.h>\n#include "out/statespace.h"\n'
                            'int main(void) { printf("%d %.17g", statespace_states, statespace_A[0][0]); return 0; }\n')
        subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", "use.c", "-o", "use"], cwd=self.folder, check=True)
        text = subprocess.run(["./use"], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(int(text.stdout.split()[0]), answer["states"])
        self.assertEqual(float(text.stdout.split()[1]), answer["A"][0][0])

    def test_rigid_body_modes_are_integrators_apart(self):
        model = ROOT / "models" / "l_shape.toml"
        answer = self.of(model, "--states", "8", "--sample-time", "0.001")
        self.assertEqual(answer["states"], 8)
        text = self.succeed("statespace", model, "--states", "8", "--sample-time", "0.001", "-o", "out").stdout
        self.assertNotRegex(text, r"\bnan\b|\binf\b|e-[2-9]\d|e\+1\d")
        # Without gravity the shoulder is a double integrator: G = 1/(J s²) + ..., and the moment of the root does not see it.
        still = self.write("still.toml", ARM.read_text(encoding="utf-8").replace("gravity = ", "gravity = [0, 0, 0] # ", 1))
        answer = self.of(still, "--input", "shoulder")
        first = answer["poles"][0]
        self.assertEqual((first["integrator"], first["real"], first["imaginary"]), (2, 0, 0))
        self.assertTrue(all(pole["integrator"] == 0 for pole in answer["poles"][1:]))
        by_name = {channel["output"]: channel for channel in answer["channels"]}
        angle = by_name["shoulder angle"]
        self.assertIsNone(angle["steady_gain"])
        self.assertEqual(angle["steady_gain_limit"], "infinite: integrator")
        moment = by_name["root moment"]
        self.assertTrue(math.isfinite(moment["steady_gain"]) and math.isfinite(moment["largest_gain"]))
        self.assertGreaterEqual(moment["largest_gain"], abs(moment["steady_gain"]))

    def test_a_mechanism_that_finds_no_rest_is_a_failure_and_no_bad_input(self):
        text = (ROOT / "models" / "l_shape.toml").read_text(encoding="utf-8")
        self.write("heavy.toml", re.sub(r"(?m)^gravity.*", "gravity = [0, -1e12, 0]", text))
        for command in ("statespace", "linearise"):
            for form in ([], ["--json"]):
                result = self.run_program(command, "heavy.toml", *form, "-o", "out")
                self.assertEqual(result.returncode, 1, (command, result.stderr))
                self.assertIn("no linear model of 'L-shape'", result.stderr)

    def test_errors_are_told(self):
        for options, message in [
            (["--sensor", "shoulder angel"], "did you mean 'shoulder angle'?"),
            (["--input", "elbow"], "there is no input 'elbow'"),
            (["--delay", "2"], "--delay: samples of a --sample-time"),
            (["--error", "0.1", "--reduction", "modal"], "only a balanced truncation"),
        ]:
            self.assertIn(message, self.fail_as_bad_input("statespace", ARM, *options, "-o", "out").stderr)
            self.assertEqual(self.files(), [])


def cexp(value):
    return math.exp(value.real) * complex(math.cos(value.imag), math.sin(value.imag))


def response(answer, hertz):
    """C (iω - A)⁻¹ B + D of a system with one input and one output, by elimination."""
    n, s = answer["states"], 2j * math.pi * hertz
    rows = [[(s if i == j else 0) - answer["A"][i][j] for j in range(n)] + [answer["B"][i][0]] for i in range(n)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            if factor:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    x = [0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return sum(c * v for c, v in zip(answer["C"][0], x)) + answer["D"][0][0]


if __name__ == "__main__":
    unittest.main()
