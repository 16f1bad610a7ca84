"""tools/setup: does nothing when all is there, and says what is missing when it cannot install."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write_program(folder, name, text):
    path = pathlib.Path(folder) / name
    path.write_text("#!/bin/sh\n" + text + "\n", encoding="utf-8")
    path.chmod(0o755)


class Setup(unittest.TestCase):
    """Runs the script with a package manager of our own in front: nothing is ever installed here."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="lithe setup ")
        self.bin = pathlib.Path(self.folder.name) / "bin"
        self.bin.mkdir()
        self.log = pathlib.Path(self.folder.name) / "log"
        for tool in ("sh", "awk", "grep", "sed", "env", "dirname", "cat"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.list = pathlib.Path(self.folder.name) / "dependencies.txt"
        self.list.write_text("# list\n[build]\nhere  # a comment\n\n[test]\nabsent\n", encoding="utf-8")
        write_program(self.bin, "dpkg-query", '[ "$4" = here ] || [ "$3" = here ] && echo installed')
        write_program(self.bin, "apt-cache", "echo '  Candidate: 1.0'")
        write_program(self.bin, "apt-get", f'echo "$DEBIAN_FRONTEND $*" >> "{self.log}"')
        self.become(0)

    def tearDown(self):
        self.folder.cleanup()

    def become(self, user):
        write_program(self.bin, "id", f"echo {user}")

    def run_setup(self, *sections, python="none"):
        environment = {"PATH": str(self.bin), "LITHE_DEPENDENCIES": str(self.list), "LITHE_PYTHON": str(python)}
        return subprocess.run([str(self.bin / "sh"), str(ROOT / "tools" / "setup"), *sections], env=environment,
                              capture_output=True, text=True, check=False)

    def logged(self):
        return self.log.read_text(encoding="utf-8") if self.log.exists() else ""

    def test_is_silent_and_idle_when_all_is_there(self):
        self.become(1000)
        result = self.run_setup("build")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(self.logged(), "")

    def test_installs_only_what_is_missing(self):
        result = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("noninteractive", self.logged())
        self.assertIn(" absent", self.logged())
        self.assertNotIn(" here", self.logged())
        self.assertNotIn("update", self.logged())

    def test_updates_the_lists_when_a_package_is_unknown(self):
        write_program(self.bin, "apt-cache", "echo '  Candidate: (none)'")
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertRegex(self.logged(), "update\n.*install")

    def test_goes_through_sudo_for_other_users(self):
        self.become(1000)
        write_program(self.bin, "sudo", f'echo "sudo $*" >> "{self.log}"')
        self.assertEqual(self.run_setup("build", "test").returncode, 0)
        self.assertRegex(self.logged(), "^sudo env DEBIAN_FRONTEND=noninteractive apt-get .*install.* absent")

    def test_names_the_packages_when_it_may_not_install(self):
        self.become(1000)
        result = self.run_setup()
        self.assertEqual(result.returncode, 1)
        self.assertIn("needs root or sudo", result.stderr)
        self.assertIn("absent", result.stderr)

    def test_reports_a_failed_installation(self):
        write_program(self.bin, "apt-get", "exit 100")
        result = self.run_setup()
        self.assertNotEqual(result.returncode, 0)

    def test_takes_a_command_from_elsewhere_for_its_package(self):
        self.list.write_text("[build]\nabsent (tool)\nother (missing-tool)\n", encoding="utf-8")
        write_program(self.bin, "tool", "true")
        self.assertEqual(self.run_setup("build").returncode, 0)
        self.assertIn(" other", self.logged())
        self.assertNotIn("absent", self.logged())

    def test_installs_python_packages_in_an_environment_once(self):
        self.list.write_text("[docs]\nhere\npip:pages==1.2\n", encoding="utf-8")
        environment = pathlib.Path(self.folder.name) / "python"
        (environment / "bin").mkdir(parents=True)
        write_program(environment / "bin", "pip", f'echo "pip $*" >> "{self.log}"')
        write_program(self.bin, "python3", f'echo "python3 $*" >> "{self.log}"')
        for _ in range(2):
            self.assertEqual(self.run_setup("docs", python=environment).returncode, 0)
        self.assertRegex(self.logged(), r"^python3 -m venv --clear .*\npip install .* pages==1.2\n$")
        self.assertEqual(self.run_setup("build", python=environment).stdout, "")

    def test_leaves_other_systems_alone(self):
        os.remove(self.bin / "dpkg-query")
        result = self.run_setup("test")
        self.assertEqual(result.returncode, 0)
        self.assertIn("absent", result.stderr)


if __name__ == "__main__":
    unittest.main()
