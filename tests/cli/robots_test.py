#!/usr/bin/env python3
"""`lithe import` and [robot] on the command line."""
import math
import unittest

from program import ROOT, ProgramTest

ARM = ROOT / "tests" / "robots" / "arm.urdf"


class Robots(ProgramTest):
    def test_an_imported_robot_is_a_model_that_moves(self):
        done = self.succeed("import", ARM, "-o", "arm.toml")
        self.assertIn("7 links, 6 moving joints", done.stdout)
        checked = self.succeed_json("check", "arm.toml")
        self.assertTrue(checked["ok"])
        self.assertEqual(checked["freedoms"], 6)

    def test_errors_of_a_description_have_their_lines(self):
        self.write("bad.urdf", '<robot name="r">\n<link name="a"/>\n<link name="b"/>\n</robot>\n')
        self.write("model.toml", 'lithe = 1\n[robot]\nfile = "bad.urdf"\n')
        for arguments in (("import", "bad.urdf"), ("check", "model.toml")):
            done = self.fail_as_bad_input(*arguments)
            self.assertIn("bad.urdf:3:1: error: the robot has 2 root links, 'a' and 'b'", done.stderr)

    def test_a_flexible_forearm_with_an_elastic_elbow_has_modes(self):
        self.write("arm.urdf", ARM.read_text())
        self.write("arm.toml",
                   'lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = "arm.urdf"\n[links.forearm]\n'
                   'flexible = {beam = "tube 60x2 carbon", from = "elbow", to = "wrist_tilt"}\n'
                   '[[motors]]\njoint = "elbow"\nrotor_inertia = 3e-5\nratio = 100\nstiffness = 12000\n')
        modes = self.succeed_json("modes", "arm.toml")
        self.assertTrue(any("are fixed to its ends" in warning for warning in modes["warnings"]))

    def test_a_file_of_500_megabytes_is_not_read(self):
        with open(self.folder / "huge.urdf", "wb") as file:
            file.truncate(500 << 20)
        done = self.fail_as_bad_input("import", "huge.urdf")
        self.assertIn("the file has 500 MB; at most 16 MB are read", done.stderr)


class Exports(ProgramTest):
    def test_a_model_is_written_as_a_description_that_reads_back(self):
        self.write("arm.urdf", ARM.read_text())
        self.write("arm.toml", 'lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = "arm.urdf"\n')
        for form in ("urdf", "mjcf"):
            done = self.succeed("export", "arm.toml", "--" + form, "-o", "out." + form)
            self.assertIn("out." + form, done.stdout)
            self.write(form + ".toml", f'lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = "out.{form}"\n')
            before, after = self.succeed_json("info", "arm.toml"), self.succeed_json("info", form + ".toml")
            masses = [{link["name"]: link["mass_kg"] for link in model["links"] if link["mass_kg"] > 0} for model in (before, after)]
            self.assertEqual(masses[0].keys(), masses[1].keys())
            for name, mass in masses[0].items():
                self.assertAlmostEqual(mass, masses[1][name], 12)

    def test_what_is_left_out_is_said_beside_the_text_and_in_it(self):
        self.write("arm.urdf", ARM.read_text())
        self.write("arm.toml", 'lithe = 1\n[robot]\nfile = "arm.urdf"\n[joints.elbow]\nstiffness = 5\n')
        said = self.succeed_json("export", "arm.toml", "--urdf")
        self.assertIn("URDF has no springs, left out at: 'elbow'", said["notes"])
        self.assertIn("<!-- URDF has no springs, left out at: 'elbow' -->", said["description"])
        self.assertIn("note: URDF has no springs", self.succeed("export", "arm.toml", "--urdf", "-o", "a.urdf").stdout)

    def test_one_format_is_chosen_and_no_file_written_over(self):
        self.write("arm.urdf", ARM.read_text())
        self.write("arm.toml", 'lithe = 1\n[robot]\nfile = "arm.urdf"\n')
        self.assertIn("choose one format", self.fail_as_bad_input("export", "arm.toml").stderr)
        self.assertIn("choose one format", self.fail_as_bad_input("export", "arm.toml", "--urdf", "--mjcf").stderr)
        self.assertIn("there is such a file already",
                      self.fail_as_bad_input("export", "arm.toml", "--urdf", "-o", "arm.urdf").stderr)


class Shapes(ProgramTest):
    def test_a_missing_mesh_is_a_warning_and_shapes_are_on_the_page(self):
        self.write("arm.urdf", ARM.read_text().replace('<cylinder radius="0.07" length="0.15"/>', '<mesh filename="none.stl"/>'))
        self.write("arm.toml", 'lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = "arm.urdf"\n')
        checked = self.succeed_json("check", "arm.toml")
        self.assertTrue(any("the mesh 'none.stl' is not drawn" in note for note in checked["warnings"]))
        self.succeed("simulate", "arm.toml", "--end", "0.01", "-o", "out")
        page = (self.folder / "out" / "motion.html").read_text()
        self.assertIn('"kind":"cylinder"', page)
        self.assertIn("the mesh 'none.stl' is not drawn", page)


class Sdf(ProgramTest):
    def test_an_sdf_file_with_a_loop_is_imported_and_used_in_place(self):
        source = ROOT / "tests" / "robots" / "five_bar.sdf"
        self.succeed("import", source, "-o", "five_bar.toml")
        self.write("five_bar.sdf", source.read_text())
        self.write("in_place.toml", 'lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = "five_bar.sdf"\n')
        for model in ("five_bar.toml", "in_place.toml"):
            self.assertEqual(self.succeed_json("check", model)["freedoms"], 2)

    def test_robots_of_three_formats_stand_in_one_file(self):
        for name in ("arm.urdf", "crane.xml", "gantry.sdf"):
            self.write(name, (ROOT / "tests" / "robots" / name).read_text())
        self.write("cell.toml", "lithe = 1\n" + "".join(
            f'[[robot]]\nfile = "{name}"\nprefix = "{name[0]}_"\nbase_position = [{2 * i}, 0, 0]\n'
            for i, name in enumerate(("arm.urdf", "crane.xml", "gantry.sdf"))))
        self.assertEqual(self.succeed_json("check", "cell.toml")["freedoms"], 6 + 5 + 4)


# A disc of 2 kg m^2 about its axis behind a gearbox of ratio 50 with a rotor of 1e-4 kg m^2, turned by 3 rad in 1.5 s with
# a trapezoid: a third of the time accelerating, at 4.5 * 3 / 1.5^2 = 6 rad/s^2 up to 3 rad/s. Its centre is on the axis.
TURNTABLE = """lithe = 1
[[links]]
name = "disc"
type = "rigid"
nodes = {root = [0, 0, 0]}
mass = 10
inertia = [1.2, 1.2, 2]
[[joints]]
name = "axis"
child = "disc"
child_node = "root"
[[motors]]
joint = "axis"
rotor_inertia = 1e-4
ratio = 50
efficiency = 0.8
max_torque = 0.3
rated_torque = 0.25
max_speed = 140
gear_max_torque = 20
torque_constant = 0.1
winding_resistance = 0.5
[[moves]]
name = "turn"
joints = ["axis"]
waypoints = [{joints = [3]}]
profile = "trapezoid"
duration = 1.5
"""


class Sizes(ProgramTest):
    def test_a_turntable_needs_the_torque_of_its_inertia(self):
        self.write("turntable.toml", TURNTABLE)
        sized = self.succeed_json("size", "turntable.toml")
        self.assertAlmostEqual(sized["end_time"], 1.5, 12)
        drive = sized["drives"][0]
        rotor, output = 1e-4 * 50 * 50 * 6, 2 * 6
        driving, braking = (rotor + output / 0.8) / 50, (rotor + output * 0.8) / 50
        self.assertAlmostEqual(drive["peak_torque"], driving, 9)
        self.assertAlmostEqual(drive["peak_speed_rad_s"], 150, 9)
        self.assertAlmostEqual(drive["output_peak"], output, 9)
        # A third of the cycle each; the recorded step of 1 ms smears both jumps over one step.
        rms = ((driving ** 2 + braking ** 2) / 3) ** 0.5
        self.assertLess(abs(drive["rms_torque"] / rms - 1), 2e-3)
        self.assertLess(abs(drive["heat_W"] / (0.5 * (rms / 0.1) ** 2) - 1), 4e-3)
        self.assertLess(abs(drive["braking_energy_J"] / (braking * 50 * 3 * 0.5 / 2) - 1), 4e-3)
        used = {limit["name"]: limit["used"] for limit in drive["limits"]}
        self.assertAlmostEqual(used["peak torque of the motor"], driving / 0.3, 9)
        self.assertAlmostEqual(used["speed of the motor"], 150 / 140, 9)
        self.assertEqual(drive["limits"][0]["name"], "peak torque of the motor")

    def test_the_torque_speed_line_is_a_limit_where_the_motor_drives(self):
        line = "stall_torque = 1.2\nno_load_speed = 200\n"
        self.write("table.toml", TURNTABLE.replace("[[moves]]", line + "[[moves]]", 1))
        drive = self.succeed_json("size", "table.toml")["drives"][0]
        used = {limit["name"]: limit for limit in drive["limits"]}["torque of the motor at its speed"]
        # The most is used at the end of the acceleration, at 150 rad/s: a quarter of the line is left.
        self.assertAlmostEqual(used["limit"], 1.2 * (1 - 150 / 200), delta=1.2 * 300e-3 / 200 + 1e-9)  # 1 ms before
        self.assertAlmostEqual(used["time_s"], 0.5, 2)
        self.assertAlmostEqual(used["value"], drive["peak_torque"], 6)

    def test_limits_of_a_description_are_those_of_moves_and_sizes(self):
        self.write("arm.urdf", ARM.read_text())
        model = ('lithe = 1\ngravity = [0, 0, -9.81]\n[robot]\nfile = "arm.urdf"\n[[moves]]\nname = "swing"\n'
                 'joints = ["pan"]\nwaypoints = [{joints = [1]}]\nprofile = "minimum_jerk"\n')
        self.write("fastest.toml", model)
        # 1.875 * 1 rad / 3.2 rad/s
        self.assertAlmostEqual(self.succeed_json("size", "fastest.toml")["end_time"], 1.875 / 3.2, 6)
        self.write("fast.toml", model + "duration = 0.5\n")
        limit = self.succeed_json("size", "fast.toml")["drives"][0]["limits"][0]
        self.assertEqual(limit["name"], "speed of the joint")
        self.assertAlmostEqual(limit["used"], 3.75 / 3.2, 4)  # 3.75 rad/s in the middle

    def test_joints_that_mimic_move_with_a_moved_one_and_others_stay(self):
        link = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
        joint = ('<joint name="{0}" type="revolute"><parent link="base"/><child link="{0}"/><axis xyz="0 0 1"/>'
                 '<limit lower="-3" upper="3" effort="9" velocity="9"/>{1}</joint>')
        self.write("gripper.urdf", '<robot name="g"><link name="base"/>' + "".join(
            f'<link name="{name}">{link}</link>' + joint.format(name, mimic) for name, mimic in
            (("left", ""), ("right", '<mimic joint="left" multiplier="-2" offset="0.1"/>'), ("other", ""))) + "</robot>")
        self.write("gripper.toml", 'lithe = 1\n[robot]\nfile = "gripper.urdf"\n[[moves]]\njoints = ["left"]\n'
                   'waypoints = [{joints = [0.5]}]\nprofile = "minimum_jerk"\nduration = 1\n')
        sized = self.succeed_json("size", "gripper.toml")
        drives = {drive["joint"]: drive for drive in sized["drives"]}
        self.assertAlmostEqual(drives["left"]["peak_speed_rad_s"], 1.875 * 0.5, 9)
        self.assertNotIn("right", drives)  # the coupling moves it: its inertia counts by the factor's square
        self.assertAlmostEqual(drives["left"]["peak_torque"], (1 + 2**2) * 10 / 3**0.5 * 0.5, 3)
        self.assertEqual(drives["other"]["peak_speed_rad_s"], 0)
        self.assertTrue(any("stay where they are: 'other'" in warning for warning in sized["warnings"]))

    def test_without_moves_it_says_what_is_missing(self):
        self.write("still.toml", TURNTABLE.split("[[moves]]")[0])
        done = self.fail_as_bad_input("size", "still.toml")
        self.assertIn("no joint's motion is prescribed", done.stderr)


# A mass of 2 kg on a massless arm of 0.5 m, which a gearbox of 800 N m/rad carries: 800 / (2 * 0.25) = 40^2 (rad/s)^2.
# A damper of 4 N m s/rad is 4 / (2 * 0.5 * 40) = 10 % of critical.
SWINGING = """lithe = 1
[[links]]
name = "arm"
type = "rigid"
nodes = {root = [0, 0, 0], tool = [0.5, 0, 0]}
mass = 2
centre = [0.5, 0, 0]
inertia = [1e-9, 1e-9, 1e-9]
[[joints]]
name = "axis"
child = "arm"
child_node = "root"
[[motors]]
joint = "axis"
rotor_inertia = 1e-5
ratio = 100
stiffness = 800
damping = 4
[[moves]]
joints = ["axis"]
waypoints = [{joints = [0.3]}]
profile = "trapezoid"
duration = 0.12
"""


class Settles(ProgramTest):
    def test_an_arm_on_a_spring_swings_as_its_equation_says(self):
        self.write("swinging.toml", SWINGING)
        found = self.succeed_json("settle", "swinging.toml", "--tool", "arm:tool", "--band", "1e-3")
        point = found["points"][0]
        # x'' + 2 z w x' + w^2 x = -a(t) from rest, in closed form per third of the move; x is the deflection.
        w, z, third, a = 40.0, 0.1, 0.04, 0.3 * 4.5 / 0.12 ** 2
        damped = w * math.sqrt(1 - z * z)
        steps = ((0, a), (third, -a), (2 * third, -a), (3 * third, a))

        def deflection(t):
            total = 0
            for start, size in steps:
                s = t - start
                if s > 0:
                    total -= size / w ** 2 * (1 - math.exp(-z * w * s) * (
                        math.cos(damped * s) + z * w / damped * math.sin(damped * s)))
            return total

        after = [i * 1e-5 for i in range(100001)]
        distances = [1.0 * abs(math.sin(deflection(0.12 + t) / 2)) for t in after]  # of the chord, 2 * 0.5 m
        self.assertLess(abs(point["residual_m"] / max(distances) - 1), 1e-3)
        settled = max(t for t, d in zip(after, distances) if d > 1e-3)
        self.assertLess(abs(point["settling_time_s"] - settled), 2e-3)  # outputs are 1 ms apart
        self.assertLess(abs(point["frequency_Hz"] - damped / 2 / math.pi), 1)  # a spectrum of 1 s


class Studies(ProgramTest):
    def test_run_answers_as_the_commands_of_their_own(self):
        asked = {"size": "", "settle": 'band = "1 mm"\ntool = "arm:tool"\n', "contributions": 'tool = "arm:tool"\n',
                 "shape": 'tool = "arm:tool"\nband = "1 mm"\n',
                 "identify": 'data = ["rings.csv"]\nfit = ["motors[0].stiffness"]\nheld = ["axis"]\n'}
        self.write("rings.csv", "frequency [Hz]\n6.0\n")
        text = SWINGING + "".join(f'[[analyses]]\nkind = "{kind}"\n{keys}' for kind, keys in asked.items())
        self.write("swinging.toml", text + '[[analyses]]\nkind = "modes"\nname = "last"\n')
        answers = self.succeed_json("run", "swinging.toml", "-o", "out")["analyses"]
        self.assertEqual([answer["kind"] for answer in answers], [*asked, "modes"])
        size, settle, contributions, shape, identify = answers[:5]
        tool = ("--tool", "arm:tool")
        for answer, own in ((size, self.succeed_json("size", "swinging.toml")),
                            (settle, self.succeed_json("settle", "swinging.toml", *tool, "--band", "1e-3")),
                            (contributions, self.succeed_json("contributions", "swinging.toml", *tool)),
                            (shape, self.succeed_json("shape", "swinging.toml", *tool, "--band", "1e-3"))):
            for key in own:
                if key not in ("files", "warnings"):
                    self.assertEqual(answer[key], own[key], (answer["kind"], key))
        # k = m l^2 (2 pi 6)^2
        self.assertAlmostEqual(identify["numbers"][0]["value"] / (2 * 0.25 * (2 * math.pi * 6) ** 2), 1, 3)
        page = (self.folder / "out" / "report.html").read_text()
        for title in ("motors", "after the motion", "what to stiffen first", "modes that the motions excite", "fitted numbers"):
            self.assertIn(title, page)

    def test_a_study_without_what_it_needs_is_named_and_the_others_go_on(self):
        self.write("measured.csv", "time [s],nobody\n0,0\n1,1\n")
        self.write("swinging.toml", SWINGING + '[[analyses]]\nkind = "identify"\ndata = ["measured.csv"]\nfit = ["links.arm.mass"]\n'
                                               '[[analyses]]\nkind = "size"\n')
        done = self.run_program("run", "swinging.toml", "-o", "out")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"analysis 1 \(identify\) failed: \S+: error: the model has no sensor 'nobody'")
        self.assertIn("Most used limit", done.stdout)
        self.write("bad.toml", SWINGING + '[[analyses]]\nkind = "settle"\ntool = "arm:tol"\n')
        self.assertIn("link 'arm' has no node 'tol'", self.fail_as_bad_input("check", "bad.toml").stderr)
        self.write("bad.toml", SWINGING + '[[analyses]]\nkind = "shape"\n[[analyses]]\nkind = "identify"\n'
                                          'data = ["../secret.csv"]\nfit = ["a"]\n')
        errors = self.fail_as_bad_input("run", "bad.toml").stderr
        self.assertIn("key 'tool' is missing", errors)
        self.assertIn('the file "../secret.csv" is not read', errors)


# A beam of 0.5 m on a gearbox: 0.5^2 / 2000 m/N come from the gearbox, 0.5^3 / (3 E I) from the beam.
BEAM = """lithe = 1
[materials.steel]
density = 7800
young_modulus = 2e11
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = 0.01
height = 0.02
[[links]]
name = "beam"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
theory = "euler_bernoulli"
elements = 2
[[joints]]
name = "axis"
child = "beam"
child_node = "root"
[[motors]]
joint = "axis"
rotor_inertia = 1e-5
ratio = 100
stiffness = 2000
"""


# A rigid bar along x whose weight turns its gearbox.
SAGGING_BAR = """lithe = 1
name = "bar"
gravity = [0, -9.81, 0]
[[links]]
name = "bar"
type = "rigid"
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
mass = 2
centre = [0.5, 0, 0]
inertia = [[0.01, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]
[[joints]]
name = "hinge"
type = "revolute"
child = "bar"
child_node = "root"
axis = [0, 0, 1]
[[motors]]
joint = "hinge"
rotor_inertia = 0.0001
ratio = 100
stiffness = 2000
"""


class Contributions(ProgramTest):
    def test_a_beam_on_a_gearbox_shares_its_compliance_as_in_closed_form(self):
        self.write("beam.toml", BEAM)
        found = self.succeed_json("contributions", "beam.toml", "--tool", "beam:tip")
        parts = {part["name"]: part for part in found["parts"]}
        gear, bent = 0.5 ** 2 / 2000, 0.5 ** 3 / 3 / (2e11 * 0.02 * 0.01 ** 3 / 12)
        self.assertLess(abs(found["compliance_m_per_N"][1] / (gear + bent) - 1), 1e-8)
        # Central differences with steps of 1 %.
        self.assertLess(abs(parts["axis gear"]["compliance"][1] - gear / (gear + bent)), 1e-4)
        self.assertLess(abs(parts["beam"]["compliance"][1] - bent / (gear + bent)), 1e-4)
        self.assertLess(abs(parts["beam"]["compliance"][2] - 1), 1e-4)  # the axis is stiff out of its plane
        for k in range(len(found["frequencies_Hz"])):
            self.assertLess(abs(sum(part["frequencies"][k] for part in parts.values()) - 1), 1e-3)

    def test_the_only_position_sensor_is_the_tool(self):
        sensor = '[[sensors]]\nname = "{0}"\nquantity = "position"\nlink = "beam"\nnode = "{0}"\n'
        self.write("beam.toml", BEAM + sensor.format("tip"))
        named = self.succeed_json("contributions", "beam.toml", "--tool", "beam:tip")
        self.assertEqual(self.succeed_json("contributions", "beam.toml")["compliance_m_per_N"],
                         named["compliance_m_per_N"])
        self.write("two.toml", BEAM + sensor.format("tip") + sensor.format("root"))
        self.assertIn("position sensors are at several nodes, beam:tip, beam:root",
                      self.fail_as_bad_input("contributions", "two.toml").stderr)
        self.write("none.toml", BEAM)
        self.assertIn("name the tool, link:node (--tool)", self.fail_as_bad_input("contributions", "none.toml").stderr)

    def test_sag_makes_shares_of_three_along_a_bar_and_is_named(self):
        self.write("bar.toml", SAGGING_BAR)
        done = self.run_program("contributions", "bar.toml", "--tool", "bar:tip")
        self.assertEqual(done.returncode, 0)
        self.assertIn("along x add up to 300 %; gravity and loads push out, or sag", done.stderr)
        self.assertNotIn("along y", done.stderr)
        part = self.succeed_json("contributions", "bar.toml", "--tool", "bar:tip")["parts"][0]
        self.assertLess(abs(part["compliance"][0] - 3), 1e-2)
        self.assertLess(abs(part["compliance"][1] - 1), 1e-3)

    def test_a_rigid_robot_has_nothing_to_stiffen(self):
        self.write("turntable.toml", TURNTABLE)
        done = self.fail_as_bad_input("contributions", "turntable.toml", "--tool", "disc:root")
        self.assertIn("nothing bends", done.stderr)


if __name__ == "__main__":
    unittest.main()
