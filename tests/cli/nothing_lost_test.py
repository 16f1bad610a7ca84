"""Killed, stopped, full or doubled: what was computed is kept, restarts are exact, and nothing foreign is touched."""
import json
import os
import resource
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from program import L_SHAPE, PROGRAM, ProgramTest  # noqa: E402

PENDULUM = """lithe = 1
gravity = [0, 0, -9.81]
[[links]]
name = "arm"
type = "rigid"
mass = 1
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
centre = [1, 0, 0]
inertia = [0.01, 0.01, 0.01]
[[joints]]
name = "hinge"
type = "revolute"
child = "arm"
child_node = "root"
axis = [0, 1, 0]
damping = 0.1
[[drives]]
joint = "hinge"
torque = {table = "torque.csv"}
[[sensors]]
name = "tip"
quantity = "position"
link = "arm"
node = "tip"
"""
TORQUE = "time, torque\n0, 0\n0.1, 1.5\n0.2, -0.5\n1, 0\n"


class Kept(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("arm.toml", PENDULUM)
        self.write("torque.csv", TORQUE)

    def start(self, *arguments):
        return subprocess.Popen([str(PROGRAM), *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def start_until(self, part, size, *arguments):
        """The process, once the file has so many bytes."""
        process = self.start(*arguments)
        path = self.folder / part
        for _ in range(20000):
            if path.exists() and path.stat().st_size > size:
                return process
            time.sleep(0.0005)
        self.fail(f"{part} does not grow: {process.communicate()}")

    def bytes_of(self, folder):
        return {path.name: path.read_bytes() for path in (self.folder / folder).iterdir()}

    def rows(self, path):
        lines = (self.folder / path).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if not line.startswith("#")]


class Simulate(Kept):
    LONG = ["simulate", "arm.toml", "--end", "100", "--output-step", "1e-4"]

    def test_rows_of_a_killed_run_can_be_recovered(self):
        command = ["simulate", "arm.toml", "--end", "5", "--output-step", "1e-4", "-o"]
        process = self.start_until("out/motion.part", 200000, *command, "out")
        process.kill()
        process.communicate()
        answer = self.succeed_json("recover", "out")
        self.assertEqual(len(answer["recovered"]), 1)
        recovered = self.rows("out/motion_recovered.csv")
        self.assertEqual(len(recovered) - 1, answer["recovered"][0]["instants"])
        self.assertGreater(len(recovered), 1000)
        self.succeed(*command, "whole")
        self.assertEqual(recovered, self.rows("whole/motion.csv")[:len(recovered)])
        # The next run sets it aside, and leaves nothing of its own but results.
        result = self.succeed("simulate", "arm.toml", "--end", "0.1", "-o", "out")
        self.assertIn("motion_interrupted.part", result.stderr)
        self.assertEqual(sorted(self.bytes_of("out")), ["motion.csv", "motion.h5", "motion.html", "motion_interrupted.part",
                                                        "motion_recovered.csv", "motion_recovered.h5"])

    def test_signals_end_in_order_with_their_code(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start_until(f"{number}/motion.part", 100000, *self.LONG, "-o", int(number))
            process.send_signal(number)
            output, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number)
            self.assertIn("interrupted at", output)
            self.assertGreater(len(self.rows(f"{int(number)}/motion.csv")), 500)
            self.assertEqual(sorted(self.bytes_of(str(int(number)))), ["motion.csv", "motion.h5", "motion.html"])

    def test_a_killed_run_is_continued_byte_by_byte(self):
        command = ["simulate", "arm.toml", "--end", "8", "--output-step", "1e-3", "--checkpoint-interval", "0.5"]
        self.succeed(*command, "--checkpoint", "whole.c", "-o", "whole")
        whole = self.bytes_of("whole")
        for number in (signal.SIGKILL, signal.SIGTERM):
            process = self.start_until(f"{number}/motion.part", 400000, *command, "--checkpoint", "c", "-o", int(number))
            process.send_signal(number)
            process.communicate()
            self.assertEqual(process.returncode, -9 if number == signal.SIGKILL else 128 + number)
            self.succeed("simulate", "arm.toml", "--end", "8", "--output-step", "1e-3", "--restart", "c",
                         "--checkpoint", "c", "-o", int(number))
            self.assertTrue(self.bytes_of(str(int(number))) == whole, f"restarted after {number}: other files")
            (self.folder / "c").unlink()

    def test_a_finished_run_is_made_longer_and_keeps_its_rows(self):
        common = ["simulate", "arm.toml", "--checkpoint-interval", "0.5", "--checkpoint", "c", "-o"]
        self.succeed(*common, "whole", "--end", "4")
        self.succeed(*common, "out", "--end", "2")
        self.succeed(*common, "out", "--end", "4", "--restart", "c")
        self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))

    def test_other_data_are_refused_with_what_changed(self):
        self.succeed("simulate", "arm.toml", "--end", "0.2", "--checkpoint", "c", "-o", "out")
        restart = ["simulate", "arm.toml", "--end", "0.4", "--restart", "c", "-o", "out"]
        self.assertIn("the setting tolerance was 9.9999999999999995e-07 and is ",
                      self.fail_as_bad_input(*restart, "--tolerance", "1e-5").stderr)
        self.assertIn("the setting output_step", self.fail_as_bad_input(*restart, "--output-step", "0.01").stderr)
        self.write("torque.csv", TORQUE.replace("1.5", "1.6"))
        self.assertIn("the file 'torque.csv' has changed", self.fail_as_bad_input(*restart).stderr)
        self.write("torque.csv", TORQUE)
        self.write("arm.toml", PENDULUM + "# a note\n")
        self.assertIn("the model file has changed", self.fail_as_bad_input(*restart).stderr)
        self.write("arm.toml", PENDULUM)
        self.succeed(*restart)

    def test_a_failed_checkpoint_warns_and_the_run_goes_on(self):
        (self.folder / "c").mkdir()
        process = self.start_until("out/motion.part", 5000, "simulate", "arm.toml", "--end", "20", "--checkpoint", "c/c",
                                   "--checkpoint-interval", "0.01", "--output-step", "1e-4", "-o", "out")
        process.send_signal(signal.SIGSTOP)  # else it may make the folder anew before the file is there
        os.waitpid(process.pid, os.WUNTRACED)
        (self.folder / "c").rename(self.folder / "away")
        (self.folder / "c").write_text("a file")
        process.send_signal(signal.SIGCONT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn("warning: no checkpoint at", errors)

    def test_the_folder_is_tried_first(self):
        (self.folder / "taken").write_text("a file")
        begin = time.monotonic()
        result = self.run_program("simulate", "arm.toml", "--end", "1e6", "-o", "taken")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot make the directory", result.stderr)
        result = self.run_program("simulate", "arm.toml", "--end", "1e6", "--checkpoint", "arm.toml", "-o", "new")
        self.assertEqual(result.returncode, 1)
        self.assertIn("there is a file of that name that is none", result.stderr)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(self.files(), ["arm.toml", "taken", "torque.csv"])

    def test_two_in_one_folder(self):
        process = self.start_until("out/motion.part", 1000, *self.LONG, "-o", "out")
        result = self.run_program("simulate", "arm.toml", "--end", "0.1", "-o", "out")
        self.assertEqual(result.returncode, 1)
        self.assertIn("another program records to 'out/motion.part'", result.stderr)
        self.succeed("modes", "arm.toml", "-o", "out")  # beside it
        process.kill()
        process.communicate()

    def test_memory_does_not_grow_with_the_number_of_instants(self):
        def peak(step):
            code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
                    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            result = subprocess.run([sys.executable, "-c", code, str(PROGRAM), "simulate", "arm.toml", "--end", "0.2",
                                     "--output-step", step, "-o", step], cwd=self.folder, capture_output=True, text=True, check=True)
            return int(result.stdout)
        few, many = peak("1e-3"), peak("1e-6")
        self.assertGreaterEqual(len(self.rows("1e-6/motion.csv")), 200002)
        # What the page shows of them is at most 16384 rows and 4096 states: some megabytes. All rows would be 32 MB.
        self.assertLess(many - few, 16000)

    def test_the_disk_is_full(self):
        def little_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000))
        result = subprocess.run([str(PROGRAM), *self.LONG, "-o", "out"], cwd=self.folder, capture_output=True, text=True,
                                timeout=120, check=False, preexec_fn=little_room)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write 'out/motion.part'", result.stderr)
        self.assertIn("lithe recover", result.stderr)
        self.assertGreater(self.succeed_json("recover", "out")["recovered"][0]["instants"], 1500)

    def test_inputs_and_tables_of_others_are_not_replaced(self):
        text = PENDULUM.replace("torque.csv", "motion.csv")
        (self.folder / "out").mkdir()
        self.write("own.toml", text)
        self.write("motion.csv", "# mine\n" + TORQUE)
        self.write("out/motion.csv", "time,force\n0,1\n")
        self.write("out/sweep.csv", "time,force\n0,1\n")
        self.write("out/modes.html", "<html>my notes</html>")
        before = self.bytes_of("out"), (self.folder / "motion.csv").read_bytes()
        begin = time.monotonic()
        for words, reason in ((["simulate", "own.toml", "--end", "1e5", "-o", "."], "this file was read and is not replaced"),
                              (["simulate", "arm.toml", "--end", "1e5", "-o", "out"], "that Lithe has not written"),
                              (["sweep", "arm.toml", "--analysis", "modes", "--axis", "gravity[1] = 0, 1", "-o", "out"],
                               "that Lithe has not written"),
                              (["modes", "arm.toml", "-o", "out"], "that Lithe has not written")):
            self.assertIn(reason, self.fail_as_bad_input(*words).stderr)
        self.assertLess(time.monotonic() - begin, 30)  # before it was computed
        self.assertEqual((self.bytes_of("out"), (self.folder / "motion.csv").read_bytes()), before)

    def test_links_and_foreign_files_stay(self):
        (self.folder / "out").mkdir()
        precious = self.write("precious", "precious\n")
        for name in ("motion.part", "motion.csv", "motion.html"):
            link = self.folder / "out" / name
            link.symlink_to(precious)
            result = self.run_program("simulate", "arm.toml", "--end", "0.1", "-o", "out")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("symbolic link", result.stderr)
            self.assertTrue(link.is_symlink())
            link.unlink()
        self.assertEqual(precious.read_text(encoding="utf-8"), "precious\n")
        self.write("out/motion.part", "my notes\n")
        self.write("out/.lithe.motion.csv.1234.0.part", "a leftover")
        self.write("out/.lithe.notes.part", "mine")
        self.assertIn("that lithe did not make", self.run_program("simulate", "arm.toml", "--end", "0.1", "-o", "out").stderr)
        self.assertEqual((self.folder / "out/motion.part").read_text(), "my notes\n")
        self.succeed("modes", "arm.toml", "-o", "out")
        self.assertFalse((self.folder / "out/.lithe.motion.csv.1234.0.part").exists())
        self.assertTrue((self.folder / "out/.lithe.notes.part").exists())


class Others(Kept):
    def test_equal_runs_make_equal_files(self):
        self.write("all.toml", PENDULUM + """
[[analyses]]
kind = "modes"
[[analyses]]
kind = "simulate"
end_time = 0.2
[[analyses]]
kind = "linearise"
""")
        commands = [["run", "all.toml"], ["simulate", "arm.toml", "--end", "0.1", "--vtk", "--gltf"],
                    ["modes", "arm.toml"], ["linearise", "arm.toml"], ["statespace", "arm.toml"]]
        for folder in "ab":
            for command in commands:
                self.succeed(*command, "-o", folder)
            time.sleep(1.1)  # times in files have seconds
        first, second = ({path.relative_to(self.folder / folder): path.read_bytes()
                          for path in (self.folder / folder).rglob("*") if path.is_file()} for folder in "ab")
        self.assertEqual(sorted(first), sorted(second))
        self.assertEqual([str(name) for name in first if first[name] != second[name]], [])
        pages = sorted(str(name) for name in first if name.suffix == ".html")
        self.assertEqual(pages, ["linear.html", "modes.html", "motion.html", "report.html"])

    def test_run_goes_on_after_a_part_that_fails(self):
        self.write("all.toml", PENDULUM + """
[[analyses]]
kind = "simulate"
end_time = 0.1
[[analyses]]
kind = "spectrum"
name = "wrong"
sensor = "tip"
component = "x"
start_time = 0.0995
[[analyses]]
kind = "modes"
""")
        result = self.run_program("run", "all.toml", "-o", "out")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("analysis 2 (spectrum 'wrong') failed", result.stderr)
        self.assertIn("modes.csv", self.bytes_of("out"))
        self.assertIn("report.html", self.bytes_of("out"))

    def test_run_stops_after_an_interrupted_part(self):
        self.write("all.toml", PENDULUM + """
[[analyses]]
kind = "simulate"
end_time = 100
output_step = 1e-4
[[analyses]]
kind = "modes"
""")
        process = self.start_until("out/motion.part", 100000, "run", "all.toml", "-o", "out", "--json")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual([part["kind"] for part in json.loads(output)["analyses"]], ["simulate"])
        self.assertEqual(sorted(self.bytes_of("out")), ["motion.csv", "motion.h5", "report.html"])

    def test_an_unfinished_sweep_is_not_overwritten_by_another(self):
        sweep = ["sweep", "arm.toml", "--analysis", "simulate", "-o", "out", "--threads", "1", "--axis"]
        axis = "joint.hinge = 0 : 1 : 400"
        process = self.start_until("out/sweep.part", 5000, *sweep, axis, "--end", "1")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        kept = (self.folder / "out/sweep.part").read_bytes()
        self.assertIn("the setting end was 1 and is 0.5", self.fail_as_bad_input(*sweep, axis, "--end", "0.5").stderr)
        self.write("torque.csv", TORQUE + "2, 0\n")
        result = self.fail_as_bad_input(*sweep, axis, "--end", "1")
        self.assertIn("there is another unfinished sweep: the file 'torque.csv' has changed; --fresh", result.stderr)
        self.assertEqual((self.folder / "out/sweep.part").read_bytes(), kept)
        self.succeed(*sweep, "joint.hinge = 0 : 1 : 3", "--end", "0.1", "--fresh")

    def test_a_command_without_results_to_keep_ends_at_once(self):
        process = self.start("sweep", L_SHAPE, "--analysis", "modes", "--axis", "joint.shoulder = 0 : 1 : 100000", "-o", "out")
        for _ in range(2000):
            if (self.folder / "out/sweep.part").exists():
                break
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    unittest.main()
