"""Input that once crashed the program, was taken for something else, or took all memory: always a clear end."""
import json
import os
import pathlib
import re
import socket
import subprocess
import time
import unittest

from program import PROGRAM, ROOT, ProgramTest

MODELS = ROOT / "models"


def rigid(name, nodes, mass=1):
    return (f'[[links]]\nname = "{name}"\ntype = "rigid"\nnodes = {{{nodes}}}\nmass = {mass}\n'
            'inertia = [0.01, 0.01, 0.01]\n')


PENDULUM = """lithe = 1
name = "{name}"
gravity = [0, 0, -9.81]
""" + rigid("bar", "root = [0, 0, 0], tip = [1, 0, 0]").replace("{", "{{").replace("}", "}}") + """centre = [0.5, 0, 0]
[[joints]]
name = "hinge"
child = "bar"
child_node = "root"
axis = [0, 1, 0]
{joint}
[[sensors]]
name = "{sensor}"
quantity = "joint_value"
joint = "hinge"
{more}
"""


def pendulum(name="pendulum", joint="", sensor="angle", more=""):
    return PENDULUM.format(name=name, joint=joint, sensor=sensor, more=more)


class Crashes(ProgramTest):
    def ends(self, *words, codes=(0, 1, 2)):
        result = self.run_program(*words)
        self.assertIn(result.returncode, codes, f"{words}: {result.stderr[-300:]}")
        return result

    def test_a_speed_in_a_loop_without_freedom(self):
        bars = "".join(rigid(name, f"l = [0, 0, 0], r = [{length}, 0, 0]") for name, length in (("a", 1), ("b", 1)))
        text = "lithe = 1\n" + bars + """[[joints]]
name = "A"
child = "a"
child_node = "l"
value = "60 deg"
speed = 1
[[joints]]
name = "B"
child = "b"
child_node = "l"
parent_point = [1, 0, 0]
value = "120 deg"
[[joints]]
name = "C"
parent = "a"
parent_node = "r"
child = "b"
child_node = "r"
cut = true
"""
        result = self.fail_as_bad_input("check", self.write("model.toml", text))
        self.assertIn("the initial speed 1 of 'A' contradicts the loops", result.stderr)
        self.succeed("check", self.write("model.toml", text.replace("speed = 1\n", "")))

    def test_state_spaces_where_no_state_is_left(self):
        for name in ("scara_dh", "spatial_3r", "two_beam_frame", "two_blade_rotor"):
            model = MODELS / f"{name}.toml"
            # the reduction of the frame takes longer than a test may
            for words in (["--minimal"], *([["--error", "1e300"]] if name != "two_beam_frame" else [])):
                with self.subTest(model=name, words=words):
                    self.ends("statespace", model, *words, "-o", "out", "--json")

    def test_sample_times_beyond_reason(self):
        for seconds in ("1e15", "5e-324"):
            for method in ("hold", "tustin"):
                with self.subTest(seconds=seconds, method=method):
                    self.ends("statespace", MODELS / "planar_2r.toml", "--sample-time", seconds, "--discretisation", method, "-o", "out")

    def test_nodes_beyond_reason(self):
        text = (MODELS / "planar_2r.toml").read_text()
        for far in ("1e160", "1e99", "1e40"):
            moved = self.write("model.toml", text.replace("tip = [", f"far = [{far}, 0, 0], tip = ["))
            self.ends("condense", moved, "-o", "out")
            moved = self.write("model.toml", pendulum().replace("[1, 0, 0]", f"[{far}, 0, 0]"))
            for command in ("condense", "modes", "simulate"):
                with self.subTest(far=far, command=command):
                    self.ends(command, moved, "-o", "out", *(["--end", "0.01"] if command == "simulate" else []))

    def test_a_ball_joint_that_starts_at_a_right_angle(self):
        text = pendulum(joint='type = "spherical"\nvalue = [0, VALUE, 0]').replace("axis = [0, 1, 0]\n", "").replace(
            'quantity = "joint_value"\njoint = "hinge"', 'quantity = "position"\nlink = "bar"\nnode = "tip"')
        ends = []
        for value in ('"90 deg"', "1.5707963", "1.5707963267948966"):
            model = self.write("model.toml", text.replace("VALUE", value))
            self.succeed("check", model)
            self.succeed("simulate", model, "--end", "0.2", "-o", "out")
            ends.append([float(cell) for cell in (self.folder / "out/motion.csv").read_text().split("\n")[-2].split(",")[:4]])
        for end in ends[1:]:
            for a, b in zip(end, ends[0]):
                self.assertAlmostEqual(a, b, delta=1e-5)


class Nonsense(ProgramTest):
    def test_numbers_of_options(self):
        model = self.write("model.toml", pendulum())
        for option in ("--end", "--tolerance", "--output-step", "--step", "--checkpoint-interval"):
            for value in ("inf", "nan", "", "-1", "0", "1x", "1e999"):
                with self.subTest(option=option, value=value):
                    result = self.fail_as_bad_input("simulate", model, option, value, "--checkpoint", "c")
                    self.assertIn(option, result.stderr)
        for command, *words in (("statespace", "--sample-time", "inf"), ("linearise", "--speed", "nan"), ("modes", "--count", ""),
                                ("sweep", "--tolerance", "inf"), ("simulate", "-o", ""), ("control", "--end", "inf")):
            self.fail_as_bad_input(command, model, *words)
        self.assertEqual(self.files(), ["model.toml"])

    def test_a_sweep_without_a_single_answer_fails(self):
        model = self.write("model.toml", pendulum())
        result = self.run_program("sweep", model, "--tool", "bar:tip", "--axis", "tool.x = 5, 6", "--analysis", "modes", "--json")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(json.loads(result.stdout)["status"]["computed"], 0)
        self.assertIn("no point of the sweep", result.stderr)

    def test_grids_that_overflow(self):
        model = self.write("model.toml", pendulum())
        axes = [word for name in ("mass", "inertia[0]", "inertia[1]") for word in ("--axis", f"links.bar.{name} = 1 : 2 : 10000000")]
        result = self.fail_as_bad_input("sweep", model, "--analysis", "modes", *axes)
        self.assertIn("the limit is", result.stderr)

    def test_check_warns_of_what_cannot_start(self):
        light = self.write("model.toml", pendulum().replace("mass = 1", "mass = 0").replace("[0.01, 0.01, 0.01]", "[0, 0, 0]"))
        warnings = self.succeed_json("check", light)["warnings"]
        self.assertEqual(len(warnings), 1)
        self.assertIn("the mass matrix is not positive definite", warnings[0])
        self.assertIn("warning: no motion can start", self.succeed("check", light).stdout)
        self.assertEqual(self.succeed_json("check", self.write("model.toml", pendulum()))["warnings"], [])

    def test_check_refuses_chosen_coordinates_of_another_formulation(self):
        chosen = '[[coordinates]]\nlink = "bar"\nnode = "tip"\ncoordinate = "x"\n'
        text = pendulum(more=chosen) + '\n[[analyses]]\nkind = "simulate"\nformulation = "erls_cms"\nend_time = 0.1\n'
        result = self.fail_as_bad_input("check", self.write("model.toml", text))
        self.assertIn("transfer-functions", result.stderr)


class Output(ProgramTest):
    NAME = "esc\\u001b[2Jape\\nline"

    def test_escapes_in_names_are_shown_and_lines_stay_lines(self):
        model = self.write("model.toml", pendulum(name=self.NAME, sensor=self.NAME))
        for words in (["check"], ["info"], ["modes"], ["simulate", "--end", "0.1"], ["simulate", "--controller", "none\x1b[2J"]):
            result = self.run_program(*words[:1], model, *words[1:], *([] if words[0] in ("check", "info") else ["-o", "out"]))
            self.assertNotIn("\x1b", result.stdout + result.stderr)
        text = (self.folder / "out/motion.csv").read_text()
        lines = text.split("\n")
        heading = next(i for i, line in enumerate(lines) if not line.startswith("#"))
        self.assertEqual(len({line.count(",") for line in lines[heading:-1]}), 1)
        self.assertTrue(all(line.startswith("#") for line in lines[:heading]))
        self.succeed("plot", "out", "--sensor", "kinetic_energy", "-o", "p.svg")
        swept = ["sweep", model, "--analysis", "simulate", "--end", "0.1", "--axis", "links.bar.mass = 1, 2", "-o", "out"]
        self.succeed(*swept)
        rows = [line for line in (self.folder / "out/sweep.csv").read_text().split("\n") if line and not line.startswith("#")]
        self.assertEqual(len(rows), 3)

    def test_a_mode_of_what_has_none_is_not_drawn(self):
        model = ROOT / "tools" / "soak_campaigns" / "seeds" / "moves.toml"
        self.assertIn("there is no mode to write", self.fail_as_bad_input("modes", model, "--gltf", "1", "-o", "out").stderr)

    def test_a_picture_larger_than_memory_is_refused(self):
        self.write("model.toml", pendulum())
        self.succeed("simulate", "model.toml", "--end", "0.01", "-o", "out")
        result = self.fail_as_bad_input("plot", "out", "--sensor", "kinetic_energy", "-o", "p.png", "--width", "5000", "--height",
                                        "5000", "--resolution", "1200")
        self.assertIn("pixels is too large", result.stderr)

    def test_a_zero_byte_hides_no_escape(self):
        """What the program writes before the escapes of its own styles may stand in a file, too."""
        (self.folder / "a.csv").write_bytes(b"time [s],\0\x1b[2Jm,\0\x1b]2title\x07m,b\n0,1,2,3\n1,2,3,4\n2,3,4,5\n")
        refused = self.fail_as_bad_input("plot", "a.csv", "--sensor", "x")
        self.assertIn("\\x1b[2Jm", refused.stderr)
        (self.folder / "b.csv").write_bytes((self.folder / "a.csv").read_bytes())
        compared = self.succeed("compare", "a.csv", "b.csv", "-o", "out")
        self.assertNotIn("\x1b", refused.stderr + compared.stdout + compared.stderr)

    def test_json_on_every_exit(self):
        model = self.write("model.toml", pendulum())
        broken = self.write("broken.toml", pendulum().replace("mass = 1", "mass = -1"))
        massless = self.write("massless.toml", re.sub(r"(?m)^inertia = .*$", "", pendulum()).replace("mass = 1", "mass = 0"))
        strangest = self.write("strangest.toml", pendulum().replace("mass = 1", "mass = 1.\u0081\u202e"))
        (self.folder / "in the way").write_text("")
        strange = os.fsencode(self.folder) + b"/\xff\xfe.toml"
        pathlib.Path(os.fsdecode(strange)).write_text(pendulum())
        cases = [(["check", model], 0), (["check", broken], 2), (["check", strangest], 2), (["check", "nowhere.toml"], 2), (["check", os.fsdecode(strange)], 0),
                 (["check", os.fsdecode(b"\xff")], 2), (["simulate", model, "--end", "0.1", "-o", "in the way"], None),
                 (["simulate", model, "--end", "x"], 2), (["linearise", model, "--inputs"], 2), (["nothing"], 2), (["modes", model, "-o", "in the way"], None),
                 (["info", os.fsdecode(strange)], 0), (["modes", massless], 1), (["linearise", massless], 1)]
        for words, code in cases:
            with self.subTest(words=words):
                result = subprocess.run([str(PROGRAM), *map(str, words), "--json"], cwd=self.folder, capture_output=True, timeout=60)
                self.assertIn(result.returncode, (1, 2) if code is None else (code,), result.stderr)
                answer = json.loads(result.stdout.decode("utf-8"))
                if result.returncode != 0:
                    self.assertFalse(answer["ok"])
                    self.assertTrue(answer["errors"][0]["message"])


class Resources(ProgramTest):
    def test_only_regular_files_of_bounded_size_are_read(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        large = self.folder / "large"
        with open(large, "wb") as file:
            file.truncate(8 << 30)  # sparse: no disk is used
        (self.folder / "folder").mkdir()
        whole = self.write("whole.toml", pendulum())
        drive = '[[drives]]\nname = "m"\njoint = "hinge"\ntorque = {{table = "{}"}}\n'
        for name, message in (("fifo", "not a file"), ("large", "the file has 8192 MB"), ("folder", "not a file")):
            with self.subTest(file=name):
                begin = time.monotonic()
                self.assertIn(message, self.fail_as_bad_input("check", name).stderr)
                model = self.write("model.toml", pendulum(more=drive.format(name)))
                self.assertIn(message, self.fail_as_bad_input("check", model).stderr)
                self.fail_as_bad_input("plot", name, "--sensor", "x")
                self.assertIn(message, self.fail_as_bad_input("simulate", whole, "--restart", name, "-o", "out").stderr)
                self.assertLess(time.monotonic() - begin, 5)
        self.assertIn("not a file", self.fail_as_bad_input("check", "/dev/zero").stderr)

    def test_tables_of_countless_columns_are_refused(self):
        self.write("wide.csv", "," * 300000 + "\n")
        drive = '[[drives]]\nname = "m"\njoint = "hinge"\ntorque = {table = "wide.csv"}\n'
        result = self.fail_as_bad_input("check", self.write("model.toml", pendulum(more=drive)))
        self.assertIn("wide.csv:1:1: error: more than 100000 columns", result.stderr)

    def test_countless_errors_end_with_a_message(self):
        more = "".join(f'[[joints]]\nname = "j{i}"\nchild = "nobody {i}"\nchild_node = "a"\n' for i in range(5000))
        begin = time.monotonic()
        result = self.fail_as_bad_input("check", self.write("model.toml", pendulum(more=more)))
        self.assertIn("too many errors", result.stderr)
        self.assertLess(len(result.stderr.splitlines()), 300)
        self.assertLess(time.monotonic() - begin, 20)

    def test_spectra_of_countless_lines_are_refused(self):
        self.succeed("simulate", self.write("model.toml", pendulum()), "--end", "0.1", "-o", "out")
        result = self.fail_as_bad_input("spectrum", "out/motion.csv", "--sensor", "angle", "--resolution", "1e-12")
        self.assertIn("the limit is 16777216", result.stderr)

    def test_large_models_are_checked_in_seconds(self):
        chain = ["lithe = 1\n"]
        for i in range(5000):
            chain.append(rigid(f"l{i}", "a = [0, 0, 0], b = [0.1, 0, 0]"))
            parent = f'parent = "l{i - 1}"\nparent_node = "b"\n' if i else ""
            chain.append(f'[[joints]]\nname = "j{i}"\ntype = "fixed"\nchild = "l{i}"\nchild_node = "a"\n{parent}')
        sensors = "".join(f'[[sensors]]\nname = "s{i}"\nquantity = "joint_value"\njoint = "hinge"\n' for i in range(10000))
        for name, text in (("chain", "".join(chain)), ("sensors", pendulum(more=sensors))):
            with self.subTest(model=name):
                begin = time.monotonic()
                self.succeed("check", self.write("model.toml", text))
                self.assertLess(time.monotonic() - begin, 20)  # quadratic loops take minutes


class Server(ProgramTest):
    def test_a_slow_client_holds_up_nobody(self):
        (self.folder / "report.html").write_text("<p>page</p>")
        with subprocess.Popen([str(PROGRAM), "view", ".", "--serve", "--print", "--json"], cwd=self.folder, stdout=subprocess.PIPE,
                              text=True) as server:
            try:
                lines = ""
                while not lines.endswith("}\n"):
                    lines += server.stdout.readline()
                port = int(json.loads(lines)["address"].split(":")[2].split("/")[0])
                slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(5)]
                slow[0].sendall(b"GET /")
                begin = time.monotonic()
                for _ in range(3):
                    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
                        client.sendall(f"GET /report.html HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                        answer = b""
                        while piece := client.recv(4096):
                            answer += piece
                    self.assertIn(b"<p>page</p>", answer)
                self.assertLess(time.monotonic() - begin, 1.5)  # each slow one used to cost two seconds
                for client in slow:
                    client.close()
            finally:
                server.terminate()


if __name__ == "__main__":
    unittest.main()
