"""The short form of tools/soak: hostile options, damaged files, kills, wrong answers and requests; seconds of each."""
import re
import subprocess
import sys
import unittest

from program import PROGRAM, ROOT


class Soak(unittest.TestCase):
    def run_soak(self, *words):
        return subprocess.run([sys.executable, str(ROOT / "tools" / "soak"), *words, "--program", str(PROGRAM)], capture_output=True,
                              text=True, timeout=250, check=False)

    def test_the_short_campaigns_find_nothing(self):
        for campaign in ("options", "models", "schema", "files", "controllers", "server", "kills"):
            with self.subTest(campaign=campaign):
                result = self.run_soak(campaign, "--short")
                self.assertEqual(result.returncode, 0, result.stdout[-3000:] + result.stderr[-1000:])
                self.assertGreater(int(re.search(rf"{campaign}: (\d+) cases in", result.stdout)[1]), 7)
                early = re.search(r"(\d+) models: forks that end early", result.stdout)  # checks share one: cheap by that alone
                self.assertLess(int(early[1]) if early else 0, 3)

    def test_a_program_that_crashes_is_found(self):
        result = subprocess.run([sys.executable, "-c", f"""
import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
from soak_campaigns.context import Context, Outcome
for code, expected in ((-11, "signal 11"), (134, "signal 6"), (3, "exit code 3"), (0, None), (2, "without a word")):
    reason = Context.reason(["check", "x"], Outcome(code, 0.1, False, False, b"", b""))
    assert (reason is None) if expected is None else expected in reason, (code, reason)
assert "no JSON" in Context.reason(["check", "--json"], Outcome(0, 0.1, False, False, b"text", b""))
assert "hangs" in Context.reason(["check"], Outcome(-9, 9, True, True, b"", b""))
"""], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
