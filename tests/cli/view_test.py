"""Pages and pictures of results: plot, view, exports, small plots in the terminal."""
import json
import math
import os
import pty
import re
import select
import signal
import subprocess
import unittest
import urllib.error
import urllib.request
import xml.etree.ElementTree as ElementTree

from program import L_SHAPE, PROGRAM, ProgramTest


def read_csv(path):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return lines[0].split(","), [[float(cell) for cell in line.split(",")] for line in lines[1:]]


class Plot(ProgramTest):
    def setUp(self):
        super().setUp()
        self.succeed("simulate", L_SHAPE, "--end", "0.05", "-o", "m")

    def test_draws_all_components_of_a_sensor(self):
        answer = self.succeed_json("plot", "m", "--sensor", "tip position", "--sensor", "energy", "-o", "tip.svg")
        self.assertEqual(answer, {"curves": 4, "files": ["tip.svg"]})
        svg = ElementTree.parse(self.folder / "tip.svg").getroot()
        words = "".join(svg.itertext())
        for name in ("tip position.x", "tip position.z", "energy", "time [s]"):
            self.assertIn(name, words)

    def test_writes_png(self):
        self.succeed("plot", "m/motion.csv", "--sensor", "shoulder angle", "-o", "pictures/angle.png", "--resolution", "72")
        data = (self.folder / "pictures/angle.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(data[16:20], "big"), 640)

    def test_finds_sensors_whatever_their_names(self):
        evil = 'a "b", <i>c</i>; # d\\n\\te'
        model = L_SHAPE.read_text(encoding="utf-8").replace('"tip position"', '"' + evil.replace('"', '\\"') + '"')
        model = model.replace('name = "L-shape"', 'name = "L\\nshape"')
        self.write("evil.toml", model)
        self.succeed("simulate", "evil.toml", "--end", "0.02", "-o", "evil")
        name = evil.replace("\\n", "\n").replace("\\t", "\t")
        answer = self.succeed_json("plot", "evil", "--sensor", name, "-o", "evil.svg")
        self.assertEqual(answer["curves"], 3)
        self.assertIn('a "b", <i>c</i>; # d', "".join(ElementTree.parse(self.folder / "evil.svg").getroot().itertext()))

    def test_draws_names_that_are_no_text(self):
        (self.folder / "old.csv").write_bytes(b"time [s],caf\xe9 <b> [m]\n0,1\n1,2\n")
        for picture in ("old.png", "old.svg"):
            self.succeed("plot", "old.csv", "--sensor", "caf\udce9 <b>", "-o", picture)  # the byte as it is
        words = "".join(ElementTree.parse(self.folder / "old.svg").getroot().itertext())
        self.assertIn("caf? <b>", words)

    def test_overlays_several_results(self):
        self.succeed("simulate", L_SHAPE, "--end", "0.05", "--gauge", "minimum_norm", "-o", "n")
        self.succeed("plot", "m", "n", "--sensor", "tip position.z", "-o", "both.svg")
        words = "".join(ElementTree.parse(self.folder / "both.svg").getroot().itertext())
        self.assertIn("tip position.z, m", words)
        self.assertIn("tip position.z, n", words)

    def test_errors_are_bad_input_and_leave_nothing(self):
        before = self.files()
        self.assertIn("'shoulder angle'", self.fail_as_bad_input("plot", "m", "--sensor", "nose").stderr)
        self.assertIn(".svg or .png", self.fail_as_bad_input("plot", "m", "--sensor", "energy", "-o", "x.gif").stderr)
        self.assertIn("cannot be read", self.fail_as_bad_input("plot", "nowhere", "--sensor", "energy").stderr)
        self.fail_as_bad_input("plot", "m", "--sensor", "energy", "--from", "7")
        self.assertEqual(self.files(), before)


class View(ProgramTest):
    def test_finds_the_page_of_a_directory_and_of_a_file_in_it(self):
        self.succeed("simulate", L_SHAPE, "--end", "0.01", "-o", "m")
        for result in ("m", "m/motion.csv", "m/motion.html"):
            self.assertEqual(self.succeed("view", result, "--print").stdout, "m/motion.html\n")

    def test_finds_the_page_of_a_comparison(self):
        self.succeed("compare", L_SHAPE, "--end", "0.01", "-o", "c")
        for result in ("c", "c/comparison.csv"):
            self.assertEqual(self.succeed("view", result, "--print").stdout, "c/comparison.html\n")

    def test_the_page_of_an_equilibrium_lists_joints_and_deflections(self):
        self.succeed("run", L_SHAPE.parent / "cross_hinge.toml", "-o", "e")
        page = (self.folder / "e/report.html").read_text(encoding="utf-8")
        for text in ("joints in equilibrium", "deflections in equilibrium", "second leaf"):
            self.assertIn(text, page)

    def test_says_what_makes_a_page_where_there_is_none(self):
        (self.folder / "empty").mkdir()
        self.assertIn("lithe simulate", self.fail_as_bad_input("view", "empty", "--print").stderr)

    def test_serves_the_files_of_one_directory_to_this_machine(self):
        self.succeed("simulate", L_SHAPE, "--end", "0.01", "-o", "m")
        self.write("secret.txt", "secret")
        self.write("m/.hidden", "secret")
        server = subprocess.Popen([str(PROGRAM), "view", "m", "--serve", "--print"], cwd=self.folder,
                                  stdout=subprocess.PIPE, text=True)
        try:
            line = server.stdout.readline()
            address = next(word for word in line.split() if word.startswith("http://127.0.0.1:"))
            with urllib.request.urlopen(address, timeout=10) as page:
                self.assertEqual(page.read(), (self.folder / "m/motion.html").read_bytes())
                self.assertIn("text/html", page.headers["Content-Type"])
            base = address.rsplit("/", 1)[0]
            for path in ("/../secret.txt", "/%2e%2e/secret.txt", "/.hidden", "/nothing", "/%2e%2e%2fsecret.txt"):
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    urllib.request.urlopen(base + path, timeout=10)
                self.assertEqual(caught.exception.code, 404, path)
                caught.exception.close()
            with self.assertRaises(urllib.error.HTTPError) as caught:  # another site's name for this machine
                urllib.request.urlopen(urllib.request.Request(address, headers={"Host": "evil.example"}), timeout=10)
            caught.exception.close()
        finally:
            server.send_signal(signal.SIGINT)
            self.assertEqual(server.wait(timeout=10), 0)
            server.stdout.close()


class ViewOfTwo(ProgramTest):
    def setUp(self):
        super().setUp()
        self.succeed("simulate", L_SHAPE, "--end", "0.02", "-o", "runs/soft")
        self.succeed("simulate", L_SHAPE, "--end", "0.03", "-o", "runs/s&iff")

    def data(self, page, name):
        text = (self.folder / page).read_text(encoding="utf-8")
        found = re.search(f'<script type="application/json" id="{name}"[^>]*>(.*?)</script>', text, re.DOTALL)
        return found and json.loads(found.group(1))

    def test_writes_one_page_with_the_data_of_both_beside_their_folders(self):
        answer = self.succeed_json("view", "runs/soft", "runs/s&iff", "--print")
        self.assertEqual(answer["page"], "runs/soft_and_s&iff.html")
        page = answer["page"]
        self.assertEqual(self.data(page, "lithe-data"), self.data("runs/soft/motion.html", "lithe-data"))
        self.assertEqual(self.data(page, "lithe-other"), self.data("runs/s&iff/motion.html", "lithe-data"))
        self.assertIn('data-first="soft" data-second="s&amp;iff"', (self.folder / page).read_text(encoding="utf-8"))
        # The folder's own page stays its newest one.
        self.assertEqual(self.succeed("view", "runs/soft", "--print").stdout, "runs/soft/motion.html\n")

    def test_takes_the_first_result_of_a_page_of_two(self):
        self.succeed("view", "runs/soft", "runs/s&iff", "--print", "-o", "both.html")
        self.succeed("view", "both.html", "runs/s&iff", "--print", "-o", "again.html")
        self.assertEqual(self.data("again.html", "lithe-data"), self.data("runs/soft/motion.html", "lithe-data"))

    def test_replaces_only_pages_of_two(self):
        self.write("mine.html", "<html>my notes</html>")
        for page in ("mine.html", "runs/soft/motion.html", "runs/s&iff/motion.html"):
            before = (self.folder / page).read_bytes()
            done = self.fail_as_bad_input("view", "runs/soft", "runs/s&iff", "--print", "-o", page)
            self.assertIn("there is such a file already, and it is no page of two results", done.stderr)
            self.assertEqual((self.folder / page).read_bytes(), before)
        for _ in range(2):
            self.succeed("view", "runs/soft", "runs/s&iff", "--print", "-o", "both.html")
        self.fail_as_bad_input("view", "both.html", "runs/s&iff", "--print", "-o", "both.html")  # its own input

    def test_refuses_what_is_no_report(self):
        self.write("other.html", "<html><p>nothing</p></html>")
        self.assertIn("other.html: this is no report page of Lithe",
                      self.fail_as_bad_input("view", "runs/soft", "other.html", "--print").stderr)
        self.write("bad.html", '<script type="application/json" id="lithe-data">{"title": </script>')
        self.assertIn("bad.html: its data are damaged",
                      self.fail_as_bad_input("view", "runs/soft", "bad.html", "--print").stderr)
        self.assertIn("--output is for the page of two results",
                      self.fail_as_bad_input("view", "runs/soft", "--print", "-o", "page.html").stderr)
        self.assertFalse((self.folder / "runs/soft_and_.html").exists())


class Exports(ProgramTest):
    def test_vtk_files_hold_the_motion(self):
        answer = self.succeed_json("simulate", L_SHAPE, "--end", "0.1", "--vtk", "--gltf", "-o", "m")
        self.assertIn("m/vtk/motion.pvd", answer["files"])
        self.assertIn("m/motion.glb", answer["files"])
        series = ElementTree.parse(self.folder / "m/vtk/motion.pvd").getroot().findall("./Collection/DataSet")
        header, rows = read_csv(self.folder / "m/motion.csv")
        tip = [header.index(f"tip position.{axis} [m]") for axis in "xyz"]
        for entry in (series[0], series[len(series) // 2], series[-1]):
            time = float(entry.get("timestep"))
            piece = ElementTree.parse(self.folder / "m/vtk" / entry.get("file")).getroot().find("./PolyData/Piece")
            points = [float(word) for word in piece.find("./Points/DataArray").text.split()]
            self.assertEqual(len(points), 3 * int(piece.get("NumberOfPoints")))
            lines = piece.find("./Lines/DataArray[@Name='connectivity']").text.split()
            self.assertEqual(len(lines), 2 * int(piece.get("NumberOfLines")))
            row = min(rows, key=lambda r: abs(r[0] - time))
            # The third node is the tip; shapes are kept to 1e-7 of 1 m.
            self.assertLess(math.dist(points[6:9], [row[i] for i in tip]), 5e-7)
        self.assertEqual((self.folder / "m/motion.glb").read_bytes()[:4], b"glTF")

    def test_modes_for_other_programs(self):
        answer = self.succeed_json("modes", L_SHAPE, "--vtk", "--gltf", "2", "--count", "4", "-o", "m")
        self.assertIn("m/modes.vtp", answer["files"])
        piece = ElementTree.parse(self.folder / "m/modes.vtp").getroot().find("./PolyData/Piece")
        names = [array.get("Name") for array in piece.findall("./PointData/DataArray")]
        self.assertEqual(len(names), 4)
        self.assertTrue(names[0].startswith("mode 1, "), names)
        self.assertIn("no mode 99", self.fail_as_bad_input("modes", L_SHAPE, "--gltf", "99").stderr)


class Terminal(ProgramTest):
    def run_in_terminal(self, *arguments):
        """What the program prints when its output is a terminal."""
        controller, terminal = pty.openpty()
        process = subprocess.Popen([str(PROGRAM), *map(str, arguments)], cwd=self.folder, stdout=terminal,
                                   stderr=subprocess.DEVNULL, env={**os.environ, "NO_COLOR": "1"})
        os.close(terminal)
        text = b""
        while select.select([controller], [], [], 60)[0]:
            try:
                part = os.read(controller, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            text += part
        os.close(controller)
        self.assertEqual(process.wait(timeout=60), 0)
        return text.decode("utf-8")

    def test_small_plots_for_people_alone(self):
        shown = self.run_in_terminal("simulate", L_SHAPE, "--end", "0.5", "-o", "m")
        angle = next(line for line in shown.splitlines() if line.startswith("shoulder angle"))
        # The pendulum falls: a curve from the highest block to the lowest.
        self.assertIn("█", angle)
        self.assertTrue(angle.rstrip().endswith("▁"), angle)
        self.assertNotIn("█", self.succeed("simulate", L_SHAPE, "--end", "0.5", "-o", "m").stdout)
        peaks = self.run_in_terminal("spectrum", "m/motion.csv", "--sensor", "elbow acceleration z")
        self.assertIn("█" * 24, peaks)


if __name__ == "__main__":
    unittest.main()
