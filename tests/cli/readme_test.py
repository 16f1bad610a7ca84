"""The README's first model and the commands below it, as a newcomer would try them."""
import math
import pathlib
import re
import shlex
import unittest

from program import ProgramTest

README = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


class FirstModel(ProgramTest):
    def test_the_commands_of_the_readme_run_on_its_model(self):
        model, commands = re.search(r"```toml\n(.*?)```\s*```sh\n(.*?)```", README, re.S).groups()
        self.write("arm.toml", model)
        lines = [shlex.split(line, comments=True) for line in commands.splitlines()]
        self.assertEqual([line[1] for line in lines], ["check", "modes", "simulate", "view"])
        for program, *words in lines:
            self.assertEqual(program, "build/lithe")
            result = self.run_program(*words, *(["--print"] if words[0] == "view" else []))
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_its_arm_ends_the_move_at_45_degrees(self):
        self.write("arm.toml", re.search(r"```toml\n(.*?)```", README, re.S).group(1))
        sensors = self.succeed_json("simulate", "arm.toml", "--end", "1")["sensors"]
        tip = {sensor["name"]: sensor["last"] for sensor in sensors}
        # At 45 degrees up to the deflection: F L^3 / (3 E I) = 1.4 mm under 1 kg, and vibrations about that.
        self.assertAlmostEqual(tip["tip.x"], 0.8 * math.cos(math.pi / 4), delta=3e-3)
        self.assertAlmostEqual(tip["tip.z"], 0.8 * math.sin(math.pi / 4), delta=3e-3)


if __name__ == "__main__":
    unittest.main()
