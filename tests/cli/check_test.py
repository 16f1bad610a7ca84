"""check: errors of all stages together, notes, and that it refuses what the other commands refuse."""
import re
import unittest

from program import ProgramTest


def link(name, length):
    return (f'[[links]]\nname = "{name}"\ntype = "rigid"\nnodes = {{l = [0, 0, 0], r = [{length}, 0, 0]}}\nmass = 1\n'
            f'centre = [{length / 2}, 0, 0]\ninertia = [0.01, 0.01, 0.01]\n')


def four_bar(prefix, lengths, x, ground, crank, rocker, coupler=""):
    """Four revolute joints about z; the keys of three of them are given, the fourth closes the loop."""
    a, b, d, c = (prefix + letter for letter in "ABDC")
    names = [prefix + name for name in ("crank", "coupler", "rocker")]
    return "".join(link(name, length) for name, length in zip(names, lengths)) + (
        f'[[joints]]\nname = "{a}"\nchild = "{names[0]}"\nchild_node = "l"\nparent_point = [{x}, 0, 0]\n{crank}\n'
        f'[[joints]]\nname = "{b}"\nparent = "{names[0]}"\nparent_node = "r"\nchild = "{names[1]}"\nchild_node = "l"\n{coupler}\n'
        f'[[joints]]\nname = "{d}"\nchild = "{names[2]}"\nchild_node = "l"\nparent_point = [{x + ground}, 0, 0]\n{rocker}\n'
        f'[[joints]]\nname = "{c}"\nparent = "{names[1]}"\nparent_node = "r"\nchild = "{names[2]}"\nchild_node = "r"\ncut = true\n')


STAGES = """lithe = 1
grvity = 1
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "circle"
radius = 0.01
[[links]]
name = "arm"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
reduction = {kept_modes = 500}
[[links]]
name = "unconstrained"
type = "rigid"
nodes = {o = [0, 0, 0]}
mass = 1
[[joints]]
name = "j"
child = "arm"
child_node = "root"
"""


class CheckStages(ProgramTest):
    def places(self, text):
        result = self.fail_as_bad_input("check", self.write("model.toml", text))
        return re.findall(r"model\.toml:(\d+:\d+): error: (.*)", result.stderr)

    def test_an_unknown_key_hides_no_later_error(self):
        found = self.places(STAGES)
        self.assertEqual([place for place, _ in found], ["2:1", "16:27", "17:1"])
        self.assertIn("unknown key 'grvity'", found[0][1])
        self.assertIn("500 elastic modes wanted, but the reduction has 24", found[1][1])
        self.assertIn("'unconstrained' has no way to the ground", found[2][1])

    def test_every_verb_reports_the_errors_of_all_stages(self):
        readable = STAGES.replace("grvity = 1\n", "")  # nothing wrong but what later stages find
        for text in (STAGES, readable):
            expected = self.places(text)
            self.assertGreater(len(expected), 1)
            path = self.write("model.toml", text)
            for command in ("info", "modes", "simulate", "compare", "condense", "linearise", "statespace", "control", "sweep"):
                with self.subTest(command=command):
                    result = self.fail_as_bad_input(command, path)
                    found = re.findall(r"model\.toml:(\d+:\d+): error: (.*)", result.stderr)
                    self.assertEqual([error for error in found if error in expected], expected)

    def test_a_wrong_link_hides_only_what_follows_from_it(self):
        found = self.places(STAGES.replace("radius = 0.01", "radius = -0.01"))
        self.assertEqual([place for place, _ in found], ["2:1", "9:10", "17:1"])

    def test_a_mass_that_hides_its_link_is_a_error_with_its_place(self):
        heavy = STAGES.replace("grvity = 1\n", "").replace('reduction = {kept_modes = 500}', 'masses = [{node = "tip", mass = 1e30}]')
        heavy = heavy[:heavy.index('[[links]]\nname = "unconstrained"')] + heavy[heavy.index("[[joints]]"):]
        for command in ("check", "modes"):
            result = self.fail_as_bad_input(command, self.write("model.toml", heavy))
            self.assertRegex(result.stderr, r"model\.toml:9:1: error: link 'arm': its masses are too different .* 1e\+30 kg at node 'tip'")

    def test_a_joint_to_an_unknown_link_leads_to_no_other_error(self):
        found = self.places(STAGES.replace('child = "arm"', 'child = "arn"'))
        self.assertEqual([place for place, _ in found], ["2:1", "24:9"])

    def test_every_loop_that_cannot_be_closed_is_reported(self):
        bars = [four_bar(prefix, (0.2, 0.3, 0.3), x, 1.2, "value = 0.7", "guess = 1.5") for prefix, x in (("p", 0), ("q", 3))]
        found = self.places("lithe = 1\n" + "".join(bars))
        self.assertEqual(len(found), 2)
        for (_, message), cut in zip(found, ("pC", "qC")):
            self.assertIn(f"at joint '{cut}' a gap of ", message)


class CheckStart(ProgramTest):
    LENGTHS = (0.2, 0.5, 0.4)

    def bar(self, crank, rocker, coupler=""):
        return self.write("bar.toml", "lithe = 1\n" + four_bar("x", self.LENGTHS, 0, 0.6, crank, rocker, coupler))

    def closed_rocker(self):
        info = self.succeed_json("info", self.bar("value = 0.7", "guess = 1.5"))
        return {joint["name"]: joint["values"] for joint in info["joints"]}["xD"][0]

    def test_speeds_that_contradict_a_loop_are_errors(self):
        result = self.fail_as_bad_input("check", self.bar("value = 0.7\nspeed = 1", "guess = 1.5\nspeed = 5"))
        self.assertRegex(result.stderr, r"bar\.toml:\d+:\d+: error: the initial speed .* contradicts the loops")

    def test_values_that_nearly_close_a_loop_are_corrected(self):
        rocker = self.closed_rocker()
        for offset, told in ((1e-8, False), (1e-4, True)):
            answer = self.succeed_json("check", self.bar("value = 0.7", f"value = {rocker + offset:.17g}"))
            self.assertEqual(any("corrected" in note for note in answer["notes"]), told, answer["notes"])

    def test_values_that_do_not_close_a_loop_are_measured(self):
        rocker = self.closed_rocker()
        result = self.fail_as_bad_input("check", self.bar("value = 0.7", f"value = {rocker + 0.1:.17g}"))
        self.assertIn("the loop of joints", result.stderr)
        gap = float(re.search(r"at joint 'xC' a gap of (\S+) m", result.stderr)[1])
        # The coupler's end is where the crank puts it, but for the coupler's angle: the gap is at most the rocker's arc.
        self.assertLess(gap, 0.4 * 0.1)
        move = float(re.search(r"moved by up to (\S+) ", result.stderr)[1])
        self.assertLessEqual(move, 0.1)  # what the rocker alone would have to move

    def test_a_configuration_outside_the_limits_is_a_error(self):
        model = ("lithe = 1\n" + link("b", 1) + '[[joints]]\nname = "j"\nchild = "b"\nchild_node = "l"\nlimits = [-1, 1]\n'
                 '[[initial.targets]]\nlink = "b"\nnode = "r"\nposition = [0, 1, 0]\n')
        result = self.fail_as_bad_input("check", self.write("ik.toml", model))
        self.assertRegex(result.stderr, r"ik\.toml:\d+:1: error: in the initial configuration 'j' is at 1\.57\d* rad, outside its limits \[-1, 1\]")

    def test_a_singular_configuration_is_noteed_with_its_loop(self):
        flat = "lithe = 1\n" + four_bar("p", self.LENGTHS, 0, 0.6, "value = 0.7", "guess = 1.5") + four_bar(
            "q", (0.2, 0.6, 0.2), 3, 0.6, "value = 0", "guess = 0")
        path = self.write("flat.toml", flat)
        for command in ("check", "info"):
            notes = " ".join(self.succeed_json(command, path)["notes"])
            self.assertIn("the configuration is singular", notes)
            self.assertIn("(cut at 'qC')", notes)
            self.assertNotIn("(cut at 'pC')", notes)
        self.assertIn("note: the configuration is singular", self.succeed("check", path).stdout)

    def test_a_stretched_configuration_is_noteed_and_named_by_modes(self):
        path = self.write("limit.toml", "lithe = 1\n" + four_bar(
            "x", self.LENGTHS, 0, 0.7, "value = 3.141592653589793", "guess = 1.5"))
        self.assertIn("the configuration is singular", " ".join(self.succeed_json("check", path)["notes"]))
        result = self.run_program("modes", path)
        self.assertEqual(result.returncode, 1)
        self.assertIn("(cut at 'xC')", result.stderr)


class CheckNotes(ProgramTest):
    def notes(self, kept, height):
        text = STAGES.replace("grvity = 1\n", "").replace("kept_modes = 500", f"kept_modes = {kept}")
        text = text.replace('shape = "circle"\nradius = 0.01', f'shape = "rectangle"\nwidth = 0.01\nheight = {height}')
        text = text[:text.index('[[links]]\nname = "unconstrained"')] + text[text.index("[[joints]]"):]
        return self.succeed_json("check", self.write("pair.toml", text))["notes"]

    def test_half_a_pair_of_equal_modes_is_noteed(self):
        self.assertIn("a pair of equal frequencies at", " ".join(self.notes(1, 0.01)))
        self.assertEqual(self.notes(2, 0.01), [])
        self.assertEqual(self.notes(1, 0.02), [])


CANTILEVER = """lithe = 1
name = "cantilever"
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = 0.03
height = 0.03
[[links]]
name = "rod"
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
elements = 6
reduction = {REDUCTION}
[[joints]]
name = "wall"
type = "fixed"
child = "rod"
child_node = "root"
[[loads]]
name = "pull"
link = "rod"
node = "tip"
direction = [0, 1, 0]
force = 10
[[sensors]]
name = "root moment"
quantity = "section_moment"
link = "rod"
node = "root"
component = "z"
[[sensors]]
name = "tip"
quantity = "displacement"
link = "rod"
node = "tip"
component = "y"
[[analyses]]
kind = "equilibrium"
"""


class ModesThatAreLeftOut(ProgramTest):
    """A rod with 10 N at its end, 1 m from the wall: F L^3 / (3 E I) and F L whatever modes it has, or a warning."""

    def test_internal_modes_lose_nothing_and_warn_of_nothing(self):
        for reduction in ("internal_modes = 0", "internal_modes = 3", 'method = "guyan"', 'method = "rubin", internal_modes = 2',
                          'max_frequency = "1 Hz"'):
            path = self.write("rod.toml", CANTILEVER.replace("REDUCTION", reduction))
            for command in ("check", "info", "modes", "linearise"):
                warnings = self.succeed_json(command, path).get("warnings", [])
                self.assertEqual(warnings, [], (command, reduction))

    def test_every_command_warns_of_a_truncation_with_numbers(self):
        path = self.write("rod.toml", CANTILEVER.replace("REDUCTION", "kept_modes = 6"))
        for command in (["check"], ["info"], ["modes"], ["linearise"], ["statespace", "--input", "pull"],
                        ["simulate", "--end", "0.001"]):
            warnings = " ".join(self.succeed_json(command[0], path, *command[1:])["warnings"])
            self.assertRegex(warnings, r"leave out [\d.]+ % of the static deflection under a force along [yz] at node 'tip'")
            self.assertRegex(warnings, r"first frequency, joints held, is [\d.]+ Hz instead of [\d.]+ Hz")
        self.assertIn("warning: link 'rod'", self.succeed("check", path).stderr)

    def test_the_formulation_in_use_is_judged(self):
        path = self.write("rod.toml", CANTILEVER.replace("REDUCTION", "kept_modes = 6"))
        for formulation in ("erls-cms", "floating-frame"):
            warnings = self.succeed_json("modes", path, "--formulation", formulation)["warnings"]
            self.assertIn(f"link 'rod' in {formulation}: its modes leave out", warnings[0])
        for command in (["modes"], ["linearise"], ["equilibrium"], ["statespace", "--input", "pull"],
                        ["simulate", "--end", "0.001"]):
            for formulation in ("erls-fem", "corotational", "transfer-functions"):
                answer = self.succeed_json(command[0], path, *command[1:], "--formulation", formulation)
                self.assertNotIn("leave out", " ".join(answer.get("warnings", [])), (command, formulation))
        asks = self.write("asks.toml", path.read_text(encoding="utf-8") + 'formulation = "corotational"\n')
        for command in ("check", "run"):
            self.assertNotIn("leave out", self.succeed(command, asks).stderr)

    def test_what_is_lost_is_in_the_facts_of_the_model(self):
        path = self.write("rod.toml", CANTILEVER.replace("REDUCTION", "kept_modes = 6"))
        lost = self.succeed_json("info", path)["compliance_left_out"]
        self.assertGreater(lost["links"][0]["softest"]["part"], 0.01)
        self.assertGreater(lost["first_frequency_hz"], lost["complete_first_frequency_hz"])


if __name__ == "__main__":
    unittest.main()
