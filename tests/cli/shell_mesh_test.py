#!/usr/bin/env python3
"""Links of shells: against CalculiX on the same meshes, through other files, and the largest stress of a run."""
import math
import re
import shutil
import subprocess
import unittest

from program import ROOT, ProgramTest

MATERIALS = """*MATERIAL, NAME=STEEL
*ELASTIC
2.1e11, 0.3
*DENSITY
7850
*MATERIAL, NAME=PLY
*ELASTIC, TYPE=ENGINEERING CONSTANTS
135e9, 9e9, 9e9, .3, .3, .4, 5e9, 5e9
3.2e9
*DENSITY
1550
"""
LINK = """lithe = 1
[[links]]
name = "panel"
type = "mesh"
file = "%s"
interfaces = [{name = "corner", number = 1}]
[[joints]]
name = "mount"
type = "fixed"
child = "panel"
child_node = "corner"
"""
WEIGHT = """lithe = 1
gravity = [0, 0, -9.81]
[[links]]
name = "strip"
type = "mesh"
file = "strip.inp"
reduction = {internal_modes = 4}
damping = {modal_ratios = [0.5]}
interfaces = [{name = "root", group = "ROOT"}, {name = "tip", group = "TIP"}]
[[joints]]
name = "mount"
type = "fixed"
child = "strip"
child_node = "root"
[initial]
static_equilibrium = true
[[analyses]]
kind = "simulate"
end_time = 0.01
"""


def panel(point, nx, ny, section, kind="S8R"):
    """An input file with nx x ny elements over a map of the unit square."""
    label, nodes, elements = {}, [], []
    for j in range(0, 2 * ny, 2):
        for i in range(0, 2 * nx, 2):
            places = [(i, j), (i + 2, j), (i + 2, j + 2), (i, j + 2)]
            if kind == "S8R":
                places += [(i + 1, j), (i + 2, j + 1), (i + 1, j + 2), (i, j + 1)]
            for place in places:
                if place not in label:
                    label[place] = len(label) + 1
                    position = point(place[0] / (2 * nx), place[1] / (2 * ny))
                    nodes.append(", ".join([str(label[place]), *(f"{x:.12g}" for x in position)]))
            elements.append(", ".join(str(k) for k in [len(elements) + 1, *(label[place] for place in places)]))
    return "\n".join(["*NODE", *nodes, f"*ELEMENT, TYPE={kind}, ELSET=PANEL", *elements, MATERIALS + section, ""])


def arc(u, v):
    angle = 0.5 * (v - 0.5)
    return (0.2 * u, 0.3 * math.sin(angle), 0.3 * math.cos(angle))


def flat(u, v):
    return (0.2 * u, 0.15 * v, 0)


class ShellMesh(ProgramTest):
    def frequencies(self, file):
        self.write("panel.toml", LINK % file)
        found = self.succeed_json("modes", "panel.toml", "--link", "panel", "--count", "6", "-o", "m")["modes"]
        return [mode["frequency_hz"] for mode in found]

    def frequencies_of_calculix(self, file):
        self.write("deck.inp", f"*INCLUDE, INPUT={file}\n*STEP\n*FREQUENCY\n12\n*END STEP\n")
        subprocess.run(["ccx", "deck"], cwd=self.folder, check=True, capture_output=True, timeout=100)
        rows = re.findall(r"^ +\d+ +(\S+) +\S+ +(\S+) +\S+$", (self.folder / "deck.dat").read_text(), re.MULTILINE)
        found = [float(frequency) for _, frequency in rows][6:12]
        self.assertEqual(len(found), 6)
        return found

    # CalculiX makes bricks of 20 nodes of S8R, with reduced integration: elements of the same kind.
    @unittest.skipUnless(shutil.which("ccx"), "CalculiX is not installed")
    def test_calculix_finds_the_same_frequencies(self):
        steel = "*SHELL SECTION, ELSET=PANEL, MATERIAL=STEEL%s\n0.004\n"
        layers = "".join(f"0.001, 3, PLY, {angle}\n" for angle in (0, 90, 90, 0))
        for point, section in ((arc, steel % ""), (arc, steel % ", OFFSET=0.5"), (arc, steel % ", OFFSET=-0.5"),
                               (flat, steel % "")):
            with self.subTest(section=section, point=point.__name__):
                self.write("part.inp", panel(point, 16, 12, section))
                for own, other in zip(self.frequencies("part.inp"), self.frequencies_of_calculix("part.inp")):
                    self.assertLess(abs(own / other - 1), 2e-3)
        header = "*SHELL SECTION, ELSET=PANEL, COMPOSITE\n"
        self.write("layers.inp", panel(flat, 16, 12, header + layers))
        # CalculiX turns layers by orientations, not by angles
        turned = header + "".join(f"0.001, , PLY, O{angle}\n" for angle in (0, 90, 90, 0))
        axes = "*ORIENTATION, NAME=O0\n1, 0, 0, 0, 1, 0\n*ORIENTATION, NAME=O90\n0, 1, 0, -1, 0, 0\n"
        self.write("turned.inp", panel(flat, 16, 12, axes + turned))
        for own, other in zip(self.frequencies("layers.inp"), self.frequencies_of_calculix("turned.inp")):
            self.assertLess(abs(own / other - 1), 5e-3)  # a brick per layer has another distribution of shear

    def test_a_converted_mesh_is_the_same_part(self):
        layers = "*SHELL SECTION, ELSET=PANEL, COMPOSITE, OFFSET=0.25\n0.001, 3, PLY, 30\n0.002, 3, STEEL\n"
        self.write("part.inp", panel(arc, 6, 4, layers))
        self.succeed("import", "part.inp", "-o", "again.inp")
        for own, other in zip(self.frequencies("part.inp"), self.frequencies("again.inp")):
            self.assertLess(abs(own / other - 1), 1e-9)
        seen = self.succeed_json("import", "part.inp")
        area = 0.2 * 2 * 0.3 * 0.25  # of the arc, which a mesh of 4 elements of 8 nodes follows to 1e-4
        self.assertLess(abs(seen["mass"] / (area * (1.55 + 15.7)) - 1), 2e-3)

    # Plies of PCOMP count from the first side of each element, those of *SHELL SECTION from the x axis: the same here.
    def test_a_laminate_for_nastran_is_that_for_abaqus(self):
        layers = "*SHELL SECTION, ELSET=PANEL, COMPOSITE\n" + "".join(f"0.001, 3, PLY, {a}\n" for a in (30, 90, 90, 30))
        text = panel(flat, 6, 4, layers, "S4")
        self.write("part.inp", text)
        nodes, elements = text.split("*NODE\n")[1].split("*MATERIAL")[0].split("*ELEMENT, TYPE=S4, ELSET=PANEL\n")
        lines = []
        for line in nodes.splitlines():
            label, *place = line.split(", ")
            lines.append(f"GRID,{label},," + ",".join(repr(float(x)) for x in place))
        for line in elements.splitlines():
            number, *corners = line.split(", ")
            lines.append(f"CQUAD4,{number},7," + ",".join(corners))
        lines += ["PCOMP,7,,,,,,,SYM\n,8,.001,30.,,8,.001,90.", "MAT8,8,135.+9,9.+9,.3,5.+9,5.+9,3.2+9,1550."]
        self.write("part.bdf", "\n".join(["BEGIN BULK", *lines, "ENDDATA", ""]))
        for own, other in zip(self.frequencies("part.bdf"), self.frequencies("part.inp")):
            self.assertLess(abs(own / other - 1), 1e-9)

    def test_faces_without_a_section_are_no_structure(self):
        self.write("part.inp", panel(flat, 2, 2, ""))
        done = self.run_program("import", "part.inp")
        self.assertEqual(done.returncode, 2)
        self.assertIn("faces become shells in a model file that gives their group a thickness",
                      done.stdout + done.stderr)

    # A strip 200 x 20 x 2 mm under its weight: M = q L²/2 at the root, σ = 6 M/(b t²) at bottom and top.
    def test_the_largest_stress_of_a_run_is_that_of_the_bent_strip(self):
        section = "*SHELL SECTION, ELSET=PANEL, MATERIAL=STEEL\n0.002\n"
        text = panel(lambda u, v: (0.2 * u, 0.02 * (v - 0.5), 0), 40, 4, section, "S4")
        nodes = re.findall(r"^(\d+), (\S+), (\S+), 0$", text, re.MULTILINE)
        for name, x in (("ROOT", 0), ("TIP", 0.2)):
            text += f"*NSET, NSET={name}\n" + "\n".join(n for n, at, _ in nodes if abs(float(at) - x) < 1e-9) + "\n"
        self.write("strip.inp", text)
        self.write("strip.toml", WEIGHT)
        out = self.succeed("simulate", "strip.toml").stdout
        value = float(re.search(r"Largest stress: (\S+) MPa", out).group(1))
        expected = 6 * (7850 * 9.81 * 0.02 * 0.002 * 0.2 ** 2 / 2) / (0.02 * 0.002 ** 2) * 1e-6
        # Held across at the root, it is in plane strain there: von Mises is √(1 − ν + ν²) of the axial stress.
        self.assertGreater(value / expected, 0.85)
        self.assertLess(value / expected, 1.1)

    # Half way along, a force F at the tip bends the strip by M = F L/2: σ = 6 M/(b t²) at bottom and top.
    def test_a_stress_sensor_reads_bottom_and_top_of_shells(self):
        section = "*SHELL SECTION, ELSET=PANEL, MATERIAL=STEEL\n0.002\n"
        text = panel(lambda u, v: (0.2 * u, 0.02 * (v - 0.5), 0), 40, 4, section, "S4")
        nodes = re.findall(r"^(\d+), (\S+), (\S+), 0$", text, re.MULTILINE)
        for name, x in (("ROOT", 0), ("MID", 0.1), ("TIP", 0.2)):
            text += f"*NSET, NSET={name}\n" + "\n".join(n for n, at, _ in nodes if abs(float(at) - x) < 1e-9) + "\n"
        self.write("strip.inp", text)
        model = WEIGHT.replace("-9.81", "0").split("[initial]")[0]
        model += '[[loads]]\nlink = "strip"\nnode = "tip"\nforce = [0, 0, -2]\n'
        for name, keys in (("mid", 'group = "MID"\nmeasure = "xx"'), ("worst", "")):
            model += f'[[sensors]]\nname = "{name}"\nquantity = "stress"\nlink = "strip"\n{keys}\n'
        self.write("strip.toml", model)
        found = {sensor["name"]: sensor["value"] for sensor in self.succeed_json("equilibrium", "strip.toml")["sensors"]}
        expected = 6 * (2 * 0.1) / (0.02 * 0.002 ** 2)
        self.assertAlmostEqual(abs(found["mid"]) / expected, 1, 3)
        self.assertGreater(found["worst"], 1.7 * expected)  # at the root the moment is twice as large

    def test_the_examples_move(self):
        for name in ("sheet_arm", "carbon_arm", "carbon_arm_beam"):
            with self.subTest(name=name):
                model = str(ROOT / "models" / "shells" / f"{name}.toml")
                self.assertIn("reached 0.02 s", self.succeed("simulate", model, "--end", "0.02", "-o", name).stdout)


if __name__ == "__main__":
    unittest.main()
