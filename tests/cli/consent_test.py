"""Nothing runs and nothing outside the model's folder is read without consent."""
import json
import socket
import unittest

from program import ROOT, ProgramTest

# A hinged bar, and a program that leaves a file behind when it is started.
MODEL = """lithe = 1
name = "hinged"
{head}
[[links]]
name = "bar"
type = "rigid"
nodes = {{root = [0, 0, 0], tip = [1, 0, 0]}}
mass = 1
centre = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "hinge"
child = "bar"
child_node = "root"
[[sensors]]
name = "angle"
quantity = "joint_value"
joint = "hinge"
[[references]]
name = "turn"
sensor = "angle"
signal = 0
{controller}
"""
CONTROLLER = """[[controllers]]
name = "mine"
type = "external"
joints = ["hinge"]
measurements = ["angle"]
references = ["turn"]
sample_time = 0.01
{how}
"""
STARTS = """command = ["sh", "-c", "touch started; read hello; while read line; do echo 0; done"]"""
ANALYSES = """
[[analyses]]
kind = "simulate"
end_time = 0.02
output_step = 0.01
"""


class Commands(ProgramTest):
    def model(self, how=STARTS, extra=ANALYSES):
        text = MODEL.format(head="", controller=CONTROLLER.format(how=how) + '[control]\nactive = ["mine"]\n' + extra)
        return self.write("model.toml", text)

    def started(self):
        return (self.folder / "started").exists()

    def test_every_command_that_would_start_one_asks_first(self):
        model = self.model()
        swept = ["--analysis", "simulate", "--axis", "links.bar.mass = 1, 2"]
        for words in (["simulate", model], ["run", model], ["control", model, "--nominal", "--end", "0.02"],
                      ["sweep", model, *swept, "--end", "0.02"],
                      ["linearise", model, "--about", "motion", "--time", "0.02"]):
            with self.subTest(command=words[0]):
                result = self.fail_as_bad_input(*words)
                self.assertIn("model.toml:23:1: error: controller 'mine' starts a program: sh -c", result.stderr)
                self.assertIn("touch started", result.stderr)
                self.assertIn("--allow-commands", result.stderr)
                self.assertFalse(self.started())
                self.assertEqual(self.files(), ["model.toml"])  # nothing was computed
                allowed = self.run_program(*words, "--allow-commands")
                self.assertIn(allowed.returncode, (0, 1), allowed.stderr)
                self.assertTrue(self.started())
                for file in self.files():
                    if file != "model.toml":
                        (self.folder / file).unlink()

    def test_with_json_the_refusal_is_json(self):
        result = self.fail_as_bad_input("simulate", self.model(), "--json")
        answer = json.loads(result.stdout)
        self.assertFalse(answer["ok"])
        self.assertIn("--allow-commands", answer["errors"][0]["message"])

    def test_check_and_info_list_programs_and_start_none(self):
        model = self.model(how='command = ["python3", "-u", "it\'s mine.py"]\naddress = "127.0.0.1:5000"')
        for command in ("check", "info"):
            text = self.succeed(command, model).stdout
            self.assertIn("controller 'mine' starts a program and connects to 127.0.0.1:5000: "
                          "python3 -u 'it'\\''s mine.py'", text)
            programs = self.succeed_json(command, model)["programs"]
            self.assertEqual(programs, [{"controller": "mine", "command": ["python3", "-u", "it's mine.py"],
                                         "address": "127.0.0.1:5000", "active": True}])

    def test_what_does_not_act_needs_no_consent(self):
        model = self.model()
        self.succeed("simulate", model, "--controller", "none", "--end", "0.02")
        self.succeed("modes", model)
        self.assertFalse(self.started())

    def test_a_connection_needs_consent_too(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            model = self.model(how=f'address = "127.0.0.1:{server.getsockname()[1]}"')
            result = self.fail_as_bad_input("simulate", model)
            self.assertIn(f"connects to 127.0.0.1:{server.getsockname()[1]}", result.stderr)
            server.settimeout(0)
            self.assertRaises(BlockingIOError, server.accept)  # nobody called

    def test_trusted_folders_give_consent(self):
        model, home = self.model(), self.folder / "home"
        list_file = home / ".config" / "lithe" / "trusted_folders"
        list_file.parent.mkdir(parents=True)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()

        def runs(text, **variables):
            list_file.write_text(text)
            environment = {"HOME": str(home), "XDG_CONFIG_HOME": "", **variables}
            (self.folder / "started").unlink(missing_ok=True)
            code = self.run_program("simulate", model, environment=environment).returncode
            self.assertEqual(code, 0 if self.started() else 2)
            return code == 0

        self.assertFalse(runs(f"# {self.folder}\nrelative\n{elsewhere}\n/no/such/folder\n"))
        self.assertFalse(runs(f"{self.folder}/hom\n"))  # a folder, not letters that paths begin with
        self.assertTrue(runs(f"{elsewhere}\n{self.folder}\n"))
        self.assertTrue(runs(f"{self.folder.parent}/\n"))  # and what lies below
        self.assertTrue(runs("", XDG_CONFIG_HOME=str(home / ".config")) is False)
        self.assertTrue(runs(f"{self.folder}\n", HOME="/nonexistent", XDG_CONFIG_HOME=str(home / ".config")))
        list_file.chmod(0o666)  # anybody could have written it
        self.assertFalse(runs(f"{self.folder}\n"))
        list_file.chmod(0o644)
        link = elsewhere / "model.toml"  # a link in a trusted folder to a model elsewhere
        link.symlink_to(model)
        list_file.write_text(f"{elsewhere}\n")
        self.assertEqual(self.run_program("simulate", link, environment={"HOME": str(home)}).returncode, 2)


class TooMuch(ProgramTest):
    """A program that answers more than it was asked would have every later answer taken for the one before."""

    def ends_with(self, script):
        how = f"command = [\"sh\", \"-c\", \"\"\"{script}\"\"\"]"
        model = self.write("model.toml", MODEL.format(
            head="", controller=CONTROLLER.format(how=how) + '[control]\nactive = ["mine"]\n'))
        result = self.run_program("simulate", model, "--end", "0.1", "--allow-commands")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        return result.stdout

    def test_a_second_line_is_an_error(self):
        self.assertIn("more than one line arrived", self.ends_with("read hello; while read line; do printf '0\\\\n0\\\\n'; done"))

    def test_a_second_number_is_an_error(self):
        self.assertIn("expected 1 numbers in the answer", self.ends_with("read hello; while read line; do echo 0 0; done"))


SECRET = "root:x:0:0,hunter2,7\nanna:x:1:1,swordfish,8\n"
DRIVE = '[[drives]]\nname = "motor"\njoint = "hinge"\ntorque = {{table = "{file}"}}\n'


class OutsideFiles(ProgramTest):
    def setUp(self):
        super().setUp()
        self.inside = self.folder / "model"
        self.inside.mkdir()

    def model(self, file):
        return self.write("model/model.toml", MODEL.format(head="", controller=DRIVE.format(file=file)))

    def test_needs_consent_however_the_path_is_written(self):
        table = self.write("outside.csv", "0,1\n1,2\n")
        (self.inside / "link.csv").symlink_to(table)
        (self.inside / "sub").symlink_to(self.folder)
        for name in ("../outside.csv", str(table), "link.csv", "sub/outside.csv", "./x/../../outside.csv", "../none.csv"):
            with self.subTest(name=name):
                result = self.fail_as_bad_input("check", self.model(name))
                self.assertIn(f"the file '{name}' lies outside the model's folder; --allow-outside-files", result.stderr)
        for name in ("../outside.csv", "link.csv"):
            self.succeed("check", self.model(name), "--allow-outside-files")
        (self.inside / "own.csv").write_text("0,1\n1,2\n")
        (self.inside / "alias.csv").symlink_to("own.csv")
        for name in ("own.csv", "alias.csv", "../model/own.csv", str(self.inside / "own.csv")):
            self.succeed("check", self.model(name))

    def test_messages_never_show_their_content(self):
        self.write("secret", SECRET)
        columns = self.model("../secret").read_text().replace('secret"', 'secret", column = "hunter"')
        self.write("model/columns.toml", columns)
        self.write("secret.mtx", "%%MatrixMarket hunter2 swordfish\n")
        self.write("model/matrix.toml", """lithe = 1
[[links]]
name = "part"
type = "matrices"
nodes = {root = [0, 0, 0]}
mass_matrix = "../secret"
stiffness_matrix = "../secret.mtx"
node_coordinates = "../secret"
""")
        for model in ("model.toml", "columns.toml", "matrix.toml"):
            for form in ([], ["--json"]):
                result = self.fail_as_bad_input("check", self.inside / model, "--allow-outside-files", *form)
                for word in ("hunter", "swordfish", "root:", "anna"):
                    self.assertNotIn(word, (result.stdout + result.stderr).replace('"hunter"', "").replace('\\"hunter\\"', ""))

    def test_messages_never_show_what_is_included_from_outside(self):
        part = ROOT / "tools" / "soak_campaigns" / "seeds"
        self.write("secret.xml", '<mujoco><worldbody><body name="hunter"><joint type="swordfish"/></body></worldbody></mujoco>')
        self.write("model/arm.xml", '<mujoco><include file="../secret.xml"/></mujoco>')
        self.write("model/robot.toml", 'lithe = 1\n[robot]\nfile = "arm.xml"\n')
        self.write("secret.inp", "*NODE\nhunter, swordfish, 0, 0\n")
        self.write("model/solid.inp", "*INCLUDE, INPUT=../secret.inp\n")
        self.write("model/solid.toml", (part / "solid.toml").read_text().replace("solid.msh", "solid.inp"))
        self.write("kept.inp", "*ELEMENT, TYPE=HUNTER\n1, 2\n")
        self.write("model/kept.toml", (part / "solid.toml").read_text().replace("solid.msh", "../kept.inp"))
        for model in ("robot.toml", "solid.toml", "kept.toml"):
            refused = self.fail_as_bad_input("check", self.inside / model)
            self.assertIn("outside", refused.stderr)
            result = self.fail_as_bad_input("check", self.inside / model, "--allow-outside-files")
            self.assertNotRegex(result.stdout + result.stderr, "(?i)hunter|swordfish")

    def test_import_follows_no_link_out_of_the_folder(self):
        self.write("secret.xml", '<mujoco><worldbody><body name="hunter"><joint type="swordfish"/></body></worldbody></mujoco>')
        (self.inside / "link.xml").symlink_to("../secret.xml")
        (self.inside / "sub").symlink_to("..")
        for name in ("link.xml", "sub/secret.xml", "../secret.xml", str(self.folder / "secret.xml")):
            self.write("model/arm.xml", f'<mujoco><include file="{name}"/></mujoco>')
            result = self.fail_as_bad_input("import", self.inside / "arm.xml")
            self.assertIn("outside of the folder", result.stderr)
            self.assertNotRegex(result.stderr, "hunter|swordfish")
        self.write("model/own.xml", "<mujoco><worldbody/></mujoco>")
        (self.inside / "alias.xml").symlink_to("own.xml")
        self.write("model/arm.xml", '<mujoco><include file="alias.xml"/></mujoco>')
        self.assertNotIn("outside", self.run_program("import", self.inside / "arm.xml").stderr)

    def test_a_sweep_asks_as_well(self):
        self.write("outside.csv", "0,1\n1,2\n")
        words = ["sweep", self.model("../outside.csv"), "--analysis", "modes", "--axis", "links.bar.mass = 1, 2"]
        self.fail_as_bad_input(*words)
        self.succeed(*words, "--allow-outside-files")


if __name__ == "__main__":
    unittest.main()
