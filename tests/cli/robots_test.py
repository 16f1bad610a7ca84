#!/usr/bin/env python3
"""`lithe import` and [robot] on the command line."""
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


if __name__ == "__main__":
    unittest.main()
