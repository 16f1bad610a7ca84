"""Meshes, robots and watched folders from elsewhere: refused in seconds with a reason, nothing overwritten or opened."""
import json
import os
import re
import resource
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ROOT, ProgramTest

ROBOT = ROOT / "tests" / "robots" / "lift.urdf"
SOLID = """lithe = 1
[materials.m]
density = 2700
young_modulus = 70e9
poisson_ratio = 0.3
[[links]]
name = "part"
type = "mesh"
file = "part.inp"
material = "m"
reduction = {internal_modes = 1}
[[links.interfaces]]
name = "a"
group = "B"
[[joints]]
name = "hinge"
child = "part"
child_node = "a"
"""
TETRAHEDRON = "*NODE, NSET=A\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4, ELSET=E\n1, 1, 2, 3, 4\n*NSET, NSET=B\n1, 2, 3\n"


class Meshes(ProgramTest):
    def refused(self, mesh):
        self.write("model.toml", SOLID)
        self.write("part.inp", mesh)
        return self.fail_as_bad_input("check", "model.toml").stderr

    def test_a_whole_one_is_read(self):
        self.write("model.toml", SOLID)
        self.write("part.inp", TETRAHEDRON)
        self.succeed("check", "model.toml")

    def test_few_lines_that_ask_for_billions_of_members(self):
        for lines in ("*NSET, NSET=A\n" + 60 * "A\n", "*NSET, NSET=C, GENERATE\n1, 9223372036854775807\n"):
            self.assertIn("part.inp", message := self.refused(TETRAHEDRON + lines))
            self.assertIn("members", message)

    def test_files_that_include_the_next_one_twice(self):
        for k in range(40):
            self.write(f"x{k}.inp", f"*INCLUDE, INPUT=x{k + 1}.inp\n" * 2)
        self.write("x40.inp", "")
        self.assertIn("more than 1000 files are included", self.refused("*INCLUDE, INPUT=x0.inp\n"))

    def test_what_hangs_on_averaging_elements_of_thousands_of_nodes(self):
        nodes = [(i, j) for i in range(60) for j in range(60)]
        cards = [f"GRID,{k + 1},,{i / 100},{j / 100},0." for k, (i, j) in enumerate(nodes)] + ["GRID,9000,,0.,0.,0.1"]
        cards += [f"CQUAD4,{k + 1},1,{k + 1},{k + 2},{k + 62},{k + 61}" for k, (i, j) in enumerate(nodes) if max(i, j) < 59]
        fields = ["RBE3", "9000", "", "9000", "123456", "1.0", "123", *(str(k + 1) for k in range(3600))]
        cards += [",".join(fields[:9])] + ["," + ",".join(fields[k:k + 8]) for k in range(9, len(fields), 8)]
        plate = "\n".join(cards) + "\nPSHELL,1,1,2.-3,1,,1\nMAT1,1,7.+10,,.33,2700.\n"
        self.write("model.toml", SOLID.replace("part.inp", "part.bdf").replace('group = "B"', 'nearest = [0, 0, 0]'))
        for card, what in (("CONM2,9001,9000,,0.1", "its point masses"), ("CELAS2,9001,1.+5,9000,1,1,1", "its springs")):
            self.write("part.bdf", f"BEGIN BULK\n{plate}{card}\nENDDATA\n")
            self.assertIn(f"{what} hang on averaging elements", self.fail_as_bad_input("check", "model.toml").stderr)

    def test_parts_that_are_repeated_until_no_memory_is_left(self):
        part = "*PART, NAME=P\n** " + 8_000_000 * "x" + "\n*END PART\n*ASSEMBLY, NAME=A\n"
        instances = "".join(f"*INSTANCE, NAME=I{k}, PART=P\n*END INSTANCE\n" for k in range(400))
        self.assertIn("have more than 2048 MB together", self.refused(part + instances + "*END ASSEMBLY\n"))


class Robots(ProgramTest):
    def test_import_writes_over_no_file(self):
        self.write("mine.toml", "changed by hand")
        (self.folder / "link.toml").symlink_to("elsewhere.toml")
        for name in ("mine.toml", "link.toml"):
            self.assertIn("there is such a file already", self.fail_as_bad_input("import", ROBOT, "-o", name).stderr)
        self.assertEqual((self.folder / "mine.toml").read_text(), "changed by hand")
        self.assertFalse((self.folder / "elsewhere.toml").exists())
        self.succeed("import", ROBOT, "-o", "robot.toml")
        self.succeed("check", "robot.toml")

    def test_replicas_that_multiply_what_names_them(self):
        body = '<body name="b"><joint name="j" axis="0 0 1"/><geom type="sphere" size="0.1" mass="1"/></body>'
        motors = '<motor joint="j"/>' * 5000
        for count in ("20000", "1e300", "inf", "1.5"):
            (self.folder / "r.xml").write_text(f'<mujoco><worldbody><replicate count="{count}">{body}</replicate></worldbody>'
                                               f"<actuator>{motors}</actuator></mujoco>", encoding="utf-8")
            self.assertIn("<replicate>", self.fail_as_bad_input("import", "r.xml").stderr)

    def test_large_descriptions_are_read_in_seconds(self):
        count = 30000
        links = "".join(f'<link name="l{i}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
                        f'</inertial></link>\n' for i in range(count + 1))

        def described(parent):
            return '<robot name="r">\n' + links + "".join(
                f'<joint name="j{i}" type="continuous"><parent link="{parent(i)}"/><child link="l{i}"/></joint>\n'
                for i in range(1, count + 1)) + "</robot>\n"

        self.write("model.toml", 'lithe = 1\n[robot]\nfile = "r.urdf"\n')
        for parent, code in ((lambda i: f"l{i - 1}", 0), (lambda i: "l0", 0), (lambda i: f"missing{i}", 2)):
            self.write("r.urdf", described(parent))
            before = os.times()
            result = self.run_program("check", "model.toml")
            after = os.times()
            self.assertEqual(result.returncode, code, result.stderr[-500:])
            self.assertLess(after.children_user - before.children_user, 5)


class NewModels(ProgramTest):
    def test_any_name_of_a_file_gives_a_model_that_reads(self):
        for name in (b"two\nlines.toml", b'quo"te\\.toml', b"esc\x1b[31m.toml", b"del\x7f.toml", b"no \xff text.toml"):
            with self.subTest(name=name):
                self.succeed("new", os.fsdecode(name))
                self.succeed("check", os.fsdecode(name))

    def test_names_that_no_file_can_have_are_bad_input(self):
        self.assertIn("File name too long", self.fail_as_bad_input("new", "x" * 300).stderr)
        self.assertIn("there is no such file", self.fail_as_bad_input("watch", "x" * 5000).stderr)


BAR = """lithe = 1
[[links]]
name = "bar"
type = "rigid"
nodes = {a = [0, 0, 0], b = [0.5, 0, 0]}
mass = 1
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "hinge"
child = "bar"
child_node = "a"
[[moves]]
name = "there and back"
joints = ["hinge"]
"""


class Moves(ProgramTest):
    def test_thousands_of_time_optimal_waypoints_are_refused_before_memory_is_taken(self):
        waypoints = ", ".join(f"{{joints = [{0.1 * (i % 2)}]}}" for i in range(1, 20001))
        self.write("model.toml", BAR + f"""profile = "time_optimal"
joint_speed = 1
joint_acceleration = 10
waypoints = [{waypoints}]
""")
        self.assertIn("may have 500 waypoints together, got 20000", self.fail_as_bad_input("check", "model.toml").stderr)

    def test_limits_and_durations_at_the_ends_of_the_range(self):
        ends = ("5e-324", "1e-300", "1e-160", "1e-20", "1e20", "1e160", "1e300", "1.7e308")
        for profile in ("trapezoid", "s_curve", "minimum_jerk", "spline", "time_optimal"):
            for end in ends:
                limits = {"joint_speed": "1", "joint_acceleration": "10", "joint_jerk": "100"}
                cases = ["".join(f"{key} = {end if key == extreme else value}\n" for key, value in limits.items()) for extreme in limits]
                cases += [f"duration = {end}\n"] if profile != "time_optimal" else []
                for case in cases:
                    self.write("model.toml", BAR + f'profile = "{profile}"\nwaypoints = [{{joints = [0.1]}}, {{joints = [0]}}]\n{case}')
                    result = self.run_program("check", "model.toml")
                    self.assertIn(result.returncode, (0, 2), f"{profile} {case} {result.stderr}")
            self.write("model.toml", BAR + f'profile = "{profile}"\nwaypoints = [{{joints = [5e-324]}}]\njoint_speed = 1\njoint_acceleration = 1\njoint_jerk = 1\n')
            self.assertIn(self.run_program("check", "model.toml").returncode, (0, 2), profile)


class LittleMemory(ProgramTest):
    """A library that asks for memory without an end, before main() or at its first product, must not hang the program."""

    def limited(self, megabytes, *words):
        size = megabytes << 20
        return subprocess.run([str(PROGRAM), *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))

    def test_too_little_for_the_libraries_threads(self):
        for megabytes in (110, 125, 150, 250):
            result = self.limited(megabytes, "version")
            self.assertIn(result.returncode, (0, 1, 127), result.stderr)  # 127: the loader had no room for the libraries

    def test_too_little_for_a_large_mesh(self):
        for megabytes in (150, 200, 260, 320):
            result = self.limited(megabytes, "modes", ROOT / "models/solids/cast_arm.toml", "--count", "2", "-o", "out")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("not enough memory", result.stderr)


class Watched(ProgramTest):
    def watch(self, *words):
        """watch.json of the first computation."""
        program = subprocess.Popen([str(PROGRAM), "watch", *words, "--print", "-o", "out"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertRegex(program.stdout.readline(), re.compile("Watching"))
            answer = self.folder / "out" / "watch.json"
            end = time.monotonic() + 100
            while not answer.exists() and program.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            if program.poll() is None:
                program.send_signal(signal.SIGINT)
            errors = program.communicate(timeout=60)[1]
            self.assertEqual(program.returncode, 0, errors)
            return json.loads(answer.read_text())
        finally:
            if program.poll() is None:
                program.kill()
                program.communicate()

    def test_files_outside_are_not_read_without_consent(self):
        (self.folder / "inside").mkdir()
        self.write("t.csv", "0, 1\n1, 2\n")
        self.write("inside/model.toml", """lithe = 1
[[links]]
name = "bar"
type = "rigid"
nodes = {a = [0, 0, 0]}
mass = 1
inertia = [1, 1, 1]
[[joints]]
name = "hinge"
child = "bar"
child_node = "a"
[[drives]]
joint = "hinge"
torque = {table = "../t.csv"}
""")
        state = self.watch("inside/model.toml")
        self.assertEqual(state["command"], "check")  # what the model asks for is not known without that file
        self.assertFalse(state["ok"])
        self.assertIn("--allow-outside-files", state["messages"])

    def test_a_link_that_leads_nowhere_ends_nothing(self):
        self.write("model.toml", SOLID)
        self.write("part.inp", TETRAHEDRON)
        (self.folder / "out").mkdir()
        (self.folder / "out" / "lost.html").symlink_to("nowhere.html")
        state = self.watch("model.toml", "--command", "modes")
        self.assertTrue(state["ok"], state["messages"])
        self.assertEqual(state["page"], "modes.html")


if __name__ == "__main__":
    unittest.main()
