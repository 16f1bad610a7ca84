"""control: the same move with each controller; controllers in simulate; programs as controllers; singular configurations."""
import json
import socket
import sys
import unittest

from program import ROOT, ProgramTest

ARM = ROOT / "models" / "control_arm.toml"
FOUR_BAR = ROOT / "models" / "control_four_bar.toml"

EXTERNAL = """
[[controllers]]
name = "script"
type = "external"
joints = ["shoulder"]
measurements = ["shoulder angle"]
references = ["turn"]
sample_time = 0.01
command = ["sh", "-c", "{script}"]
"""


class Control(ProgramTest):
    def test_compares_the_controllers_of_a_file(self):
        answer = self.succeed_json("control", ARM, "--controllers", "pid,lqg", "--end", "1.5", "-o", "out")
        self.assertEqual([row["controller"] for row in answer["controllers"]], ["pid", "lqg"])
        pid, lqg = answer["controllers"]
        self.assertEqual(len(pid["gains"]), 1)
        self.assertGreater(pid["gains"][0]["proportional"], 0)
        for row in (pid, lqg):
            self.assertTrue(row["finished"])
            self.assertGreater(row["peak_deflection"], 0)
            self.assertEqual([round(p["factor"], 3) for p in row["payloads"]], [0.8, 1.2])
        # damping through the strain gauges settles sooner than the joint alone, and bends the arm less
        self.assertLess(lqg["settling_time_s"], 0.9 * pid["settling_time_s"])
        self.assertLess(lqg["peak_deflection"], pid["peak_deflection"])
        self.assertGreater(lqg["full_decay"], 0)
        self.assertEqual(answer["files"], ["out/control.csv", "out/control.html"])
        self.assertEqual(self.files(), answer["files"])
        head = (self.folder / "out" / "control.csv").read_text().splitlines()
        self.assertTrue(any("lqg: shoulder [N m]" in line for line in head[:10]), head[:10])

    def test_prints_tables(self):
        text = self.succeed("control", ARM, "--controllers", "pid", "--end", "0.2").stdout
        for word in ("settled s", "payload", "decay 1/s", "proportional"):
            self.assertIn(word, text)

    def test_unknown_controllers_and_models_without_any_are_bad_input(self):
        result = self.fail_as_bad_input("control", ARM, "--controllers", "lgq")
        self.assertIn("did you mean 'lqg'?", result.stderr)
        result = self.fail_as_bad_input("control", ROOT / "models" / "l_shape.toml")
        self.assertIn("has no controllers", result.stderr)


MIXED = """
[[controllers]]
name = "{name}"
type = "mixed_norm"
joints = ["shoulder"]
measurements = ["shoulder angle", "root moment"]
references = ["turn"]
allowed_errors = [0.1, 2]
allowed_efforts = [2]
measurement_noise = [1e-3, 0.5]
design_modes = 2
limits = [10]
{more}
"""


class DynamicFeedback(ProgramTest):
    def model(self, **controllers):
        added = "".join(MIXED.format(name=name, more=more) for name, more in controllers.items())
        return self.write("arm.toml", ARM.read_text().replace("\n[control]\n", added + "\n[control]\n"))

    def test_without_a_bound_it_is_lqg_and_with_one_it_tells_its_norms(self):
        model = self.model(free="", mixed="peak_gain_ratio = 1.2\ndelay = 0.001\norder = 7")
        answer = self.succeed_json("control", model, "--controllers", "free,mixed,lqg", "--nominal", "--end", "1.5")
        free, mixed, lqg = answer["controllers"]
        for key in ("settling_time_s", "residual", "peak_effort", "rms_effort"):
            self.assertAlmostEqual(free[key], lqg[key], delta=1e-3 * lqg[key], msg=key)
        self.assertLess(mixed["settling_time_s"], 1.2)
        self.assertGreater(mixed["full_decay"], 0)
        note = [text for text in mixed["notes"] if "H2 norm" in text][0]
        self.assertIn("7 states of 8", note)
        self.assertIn("smallest of any controller", note)
        moved = self.succeed_json("simulate", model, "--controller", "mixed", "--end", "1.5")
        last = [row["last"] for row in moved["sensors"] if row["name"] == "shoulder angle"][0]
        self.assertAlmostEqual(last, 0.7854, delta=0.005)

    def test_one_failing_design_leaves_the_others_and_fails_the_command(self):
        model = self.model(strict="peak_gain = 1e-6")
        result = self.run_program("control", model, "--controllers", "strict,lqg", "--nominal", "--end", "0.1", "-o", "out")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("controller 'strict'", result.stdout)
        self.assertIn("no controller has a peak gain below", result.stdout)
        self.assertIn("out/control.csv", self.files())
        self.assertIn("lqg shoulder angle", (self.folder / "out" / "control.csv").read_text())
        alone = self.run_program("control", model, "--controllers", "strict", "--json")
        self.assertEqual(alone.returncode, 1, alone.stdout + alone.stderr)
        answer = json.loads(alone.stdout)
        self.assertEqual([row["controller"] for row in answer["failures"]], ["strict"])
        self.assertEqual(answer["controllers"], [])
        self.assertEqual(answer["files"], [])


class Paced(ProgramTest):
    def test_samples_wait_for_the_clock(self):
        answer = self.succeed_json("simulate", ARM, "--end", "0.2", "--pace", "0.5", "-o", "paced")
        pace = answer["pace"]
        self.assertEqual(pace["samples"], 201)
        self.assertGreaterEqual(pace["elapsed_s"], 0.4)
        self.assertEqual(pace["missed_deadlines"] == 0, pace["worst_lateness_s"] == 0)
        free = self.succeed_json("simulate", ARM, "--end", "0.2", "-o", "free")
        self.assertNotIn("pace", free)
        self.assertEqual(free["sensors"], answer["sensors"])  # the motion is the same
        self.assertIn("deadlines missed", self.succeed("simulate", ARM, "--end", "0.05", "--real-time").stdout)

    def test_a_paced_run_that_cannot_begin_again_with_geometric_stiffening_warns(self):
        model = ROOT / "models" / "control_l_shape.toml"
        answer = self.succeed_json("simulate", model, "--end", "0.2", "--pace", "50")
        self.assertIn("this run cannot begin again", " ".join(answer["warnings"]))

    def test_a_slow_program_misses_deadlines(self):
        script = "read greeting; while read time y rest; do sleep 0.03; echo 0.1; done"
        text = ARM.read_text().replace('active = ["lqg"]', 'active = ["script"]')
        model = self.write("arm.toml", text.replace("\n[control]\n", EXTERNAL.replace("{script}", script) + "\n[control]\n"))
        pace = self.succeed_json("simulate", model, "--end", "0.1", "--real-time", "--allow-commands")["pace"]
        self.assertEqual(pace["samples"], 11)
        self.assertEqual(pace["missed_deadlines"], 10)
        self.assertGreater(pace["worst_lateness_s"], 0.15)

    def test_without_a_controller_there_is_nothing_to_pace(self):
        result = self.fail_as_bad_input("simulate", ARM, "--controller", "none", "--real-time")
        self.assertIn("need a controller", result.stderr)


class InRun(ProgramTest):
    def test_an_analysis_of_kind_control_compares_controllers(self):
        text = ARM.read_text() + """
[[analyses]]
kind = "control"
controllers = ["pid", "pid zvd"]
payloads = false
end_time = 0.3
"""
        answer = self.succeed_json("run", self.write("arm.toml", text), "-o", "out")
        found = [part for part in answer["analyses"] if part["kind"] == "control"][0]
        self.assertEqual([row["controller"] for row in found["controllers"]], ["pid", "pid zvd"])
        self.assertEqual(found["controllers"][0]["payloads"], [])
        self.assertEqual(found["files"], ["out/control.csv", "out/control.html"])
        rows = (self.folder / "out" / "control.csv").read_text().splitlines()
        self.assertTrue(rows[-1].startswith("0.3"), rows[-1])

    def test_its_unknown_controllers_are_bad_input(self):
        text = ARM.read_text() + '\n[[analyses]]\nkind = "control"\ncontrollers = ["pdi"]\n'
        self.assertIn("did you mean 'pid'?", self.fail_as_bad_input("run", self.write("arm.toml", text)).stderr)


class InSimulation(ProgramTest):
    def simulate(self, *options):
        return self.succeed_json("simulate", ARM, "--end", "0.8", *options)

    def last(self, answer, sensor):
        return [row["last"] for row in answer["sensors"] if row["name"] == sensor][0]

    def test_the_active_controller_acts_and_another_can_be_chosen(self):
        active = self.simulate("-o", "one")
        self.assertAlmostEqual(self.last(active, "shoulder angle"), 0.7854, delta=0.05)
        self.assertTrue(any(row["name"] == "lqg: shoulder" for row in active["sensors"]))
        other = self.simulate("--controller", "pid", "-o", "two")
        self.assertTrue(any(row["name"] == "pid: shoulder" for row in other["sensors"]))
        none = self.simulate("--controller", "none", "-o", "three")
        self.assertEqual(self.last(none, "shoulder angle"), 0)

    def test_the_same_controller_drives_another_formulation(self):
        answer = self.simulate("--formulation", "floating-frame", "-o", "out")
        self.assertAlmostEqual(self.last(answer, "shoulder angle"), 0.7854, delta=0.05)

    def test_a_restarted_run_ends_where_the_whole_one_does(self):
        whole = self.simulate("--checkpoint", "a.checkpoint", "--checkpoint-interval", "0.2", "-o", "one")
        self.succeed_json("simulate", ARM, "--end", "0.4", "--checkpoint", "b.checkpoint", "--checkpoint-interval", "0.2",
                          "-o", "two")
        rest = self.simulate("--restart", "b.checkpoint", "--checkpoint-interval", "0.2", "-o", "two")
        self.assertEqual(self.last(whole, "tip y"), self.last(rest, "tip y"))


class External(ProgramTest):
    def model(self, script):
        text = ARM.read_text().replace('active = ["lqg"]', 'active = ["script"]')
        return self.write("arm.toml", text.replace("\n[control]\n", EXTERNAL.replace("{script}", script) + "\n[control]\n"))

    def test_a_program_controls_and_its_margin_is_told(self):
        model = self.model("read greeting; while read time y rest; do echo 0.25; done")
        answer = self.succeed_json("simulate", model, "--allow-commands", "--end", "0.1")
        self.assertEqual([row["last"] for row in answer["sensors"] if row["name"] == "script: shoulder"], [0.25])
        self.assertTrue(any("us per sample" in text for text in answer["warnings"]), answer["warnings"])

    def test_a_program_that_ends_is_a_failure_with_results(self):
        model = self.model("read a; read b; echo 0.1; exit 3")
        result = self.run_program("simulate", model, "--allow-commands", "--end", "0.1", "--json", "-o", "out")
        self.assertEqual(result.returncode, 1, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["message"],
                         "stopped at 0.01 s: controller 'script': the process ended with exit code 3")
        self.assertAlmostEqual(answer["time_s"], 0.01)
        self.assertIn("out/motion.csv", self.files())


    def test_a_run_with_a_program_is_not_restarted(self):
        model = self.model("read greeting; while read time y rest; do echo 0.25; done")
        self.succeed_json("simulate", model, "--allow-commands", "--end", "0.1", "--checkpoint", "a.checkpoint", "-o", "one")
        result = self.fail_as_bad_input("simulate", model, "--allow-commands", "--end", "0.2", "--restart", "a.checkpoint", "-o", "two")
        self.assertIn("controller 'script': a program keeps its own memory", result.stderr)


# Listens where it is told, in the protocol it is told, and answers 0.1 times the sample's number.
SERVER = """
import socket, struct, sys
where, protocol = sys.argv[1:3]
if where.startswith("unix:"):
    server = socket.socket(socket.AF_UNIX)
    server.bind(where[5:])
else:
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", int(where.split(":")[1])))
server.listen(1)
channel = server.accept()[0]
stream = channel.makefile("rwb")
count = 0
if protocol == "binary":
    magic, measurements, references, outputs, step = struct.unpack("<4sIIId", stream.read(24))
    assert magic == b"LTH1" and outputs == 1 and step == 0.01, (magic, outputs, step)
    size = 8 * (1 + measurements + 3 * references)
    while len(data := stream.read(size)) == size:
        assert abs(struct.unpack_from("<d", data)[0] - 0.01 * count) < 1e-9
        count += 1
        stream.write(struct.pack("<d", 0.1 * count))
        stream.flush()
else:
    stream.readline()
    for line in stream:
        count += 1
        stream.write(b"%r\\n" % (0.1 * count))
        stream.flush()
"""


class Sockets(ProgramTest):
    def model(self, address, protocol, command=True):
        self.write("server.py", SERVER)
        words = json.dumps([sys.executable, str(self.folder / "server.py"), address, protocol])
        controller = EXTERNAL.replace('command = ["sh", "-c", "{script}"]', f"command = {words}" if command else "")
        controller += f'address = "{address}"\nprotocol = "{protocol}"\ntimeout = {10 if command else 0.1}\n'
        text = ARM.read_text().replace('active = ["lqg"]', 'active = ["script"]')
        return self.write("arm.toml", text.replace("\n[control]\n", controller + "\n[control]\n"))

    def free_port(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    def test_text_and_numbers_over_unix_sockets_and_ports(self):
        for k, (address, protocol) in enumerate([(f"unix:{self.folder}/a", "text"), (f"unix:{self.folder}/b", "binary"),
                                                 (f"127.0.0.1:{self.free_port()}", "text"),
                                                 (f"127.0.0.1:{self.free_port()}", "binary")]):
            answer = self.succeed_json("simulate", self.model(address, protocol), "--allow-commands", "--end", "0.095",
                                       "-o", f"out{k}")
            last = [row["last"] for row in answer["sensors"] if row["name"] == "script: shoulder"][0]
            self.assertAlmostEqual(last, 1.0, delta=1e-12)  # ten samples
            self.assertTrue(any("us per sample" in text for text in answer["warnings"]), answer["warnings"])

    def test_nobody_listening_is_a_failure_with_a_message(self):
        model = self.model(f"unix:{self.folder}/nobody", "binary", command=False)
        result = self.run_program("simulate", model, "--allow-commands", "--end", "0.1", "--json", "-o", "out")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("nobody listens at unix:", json.loads(result.stdout)["message"])


class Singular(ProgramTest):
    def test_a_straight_coupler_ends_the_run_with_a_message_and_results(self):
        # A shorter coupler: the crank cannot turn to 170 deg, where coupler and rocker are longer than needed to reach.
        text = FOUR_BAR.read_text().replace("rocker = [0.35, 0, 0]", "rocker = [0.22, 0, 0]")
        text = text.replace('end_value = "110 deg"', 'end_value = "175 deg"').replace('active = ["lqg"]', 'active = ["pid"]')
        model = self.write("straight.toml", text)
        result = self.run_program("simulate", model, "--json", "-o", "out")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        answer = json.loads(result.stdout)
        self.assertRegex(answer["message"], r"^stopped at 0\.\d+ s: .*(singular|unreachable|smallest step)")
        self.assertGreater(answer["time_s"], 0.01)
        self.assertIn("out/motion.csv", self.files())


if __name__ == "__main__":
    unittest.main()
