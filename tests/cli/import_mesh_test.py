#!/usr/bin/env python3
"""`lithe import` of finite-element meshes, and the same part through files of other programs."""
import math
import re
import shutil
import subprocess
import unittest

from program import ROOT, ProgramTest

BRACKET = ROOT / "models" / "solids" / "bracket.msh"
STEEL = "*MATERIAL, NAME=STEEL\n*ELASTIC\n210e9, 0.3\n*DENSITY\n7850\n*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL\n"
LINK = """lithe = 1
[materials.steel]
density = 7850
young_modulus = "210 GPa"
poisson_ratio = 0.3
[[links]]
name = "part"
type = "mesh"
file = "%s"
units = "%s"
material = "steel"
[[links.interfaces]]
name = "pivot"
group = "%s"
spider = "averaging"  # which adds no stiffness
"""
MATRICES = """lithe = 1
[[links]]
name = "part"
type = "matrices"
mass_matrix = "matrices.mas"
stiffness_matrix = "matrices.sti"
unknowns = "matrices.dof"
node_coordinates = "part.inp"
[[links.interfaces]]
name = "pivot"
cylinder = {point = [0, 0, 0], axis = [0, 0, 1], radius = "8 mm"}
spider = "averaging"
"""
# Two cubes side by side and one on top of them, tied.
TIED_BARS = """*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
11, 0, 0, 1
12, 1, 0, 1
13, 1, 1, 1
14, 0, 1, 1
15, 0, 0, 2
16, 1, 0, 2
17, 1, 1, 2
18, 0, 1, 2
21, 2, 0, 0
22, 2, 1, 0
23, 2, 0, 1
24, 2, 1, 1
*ELEMENT, TYPE=C3D8, ELSET=BODY
1, 1, 2, 3, 4, 5, 6, 7, 8
2, 11, 12, 13, 14, 15, 16, 17, 18
3, 2, 21, 22, 3, 6, 23, 24, 7
*SURFACE, NAME=BOTTOM
2, S1
*SURFACE, NAME=TOP
1, S2
3, S2
*SURFACE, NAME=END
2, S2
*TIE, NAME=GLUE
BOTTOM, TOP
""" + STEEL
TWO_CUBES = """*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
11, 3, 0, 0
12, 4, 0, 0
13, 3, 1, 0
14, 3, 0, 1
*ELEMENT, TYPE=C3D8
1, 1, 2, 3, 4, 5, 6, 7, 8
*ELEMENT, TYPE=C3D4
7, 11, 13, 12, 14
"""


class ImportedMeshes(ProgramTest):
    def setUp(self):
        super().setUp()
        shutil.copy(BRACKET, self.folder / "bracket.msh")

    def test_what_is_in_a_mesh_is_shown(self):
        seen = self.succeed_json("import", "bracket.msh", "--units", "mm t s")
        self.assertEqual(seen["format"], "Gmsh")
        self.assertEqual(seen["elements"]["10-node tetrahedron"], 1097)
        for value, wanted in zip(seen["high"] + seen["low"], [0.165, 0.135, 0.02, -0.015, -0.015, 0]):
            self.assertAlmostEqual(value, wanted, 9)
        # two bars of 30 x 20 mm, their ends and corner counted once, without two bores of 16 mm; bores of straight
        # edges are smaller than round ones
        exact = 20 * (180 * 30 + 120 * 30) * 1e-9 - 2 * 3.141592653589793 * 64 * 20 * 1e-9
        self.assertAlmostEqual(seen["volume"] / exact, 1, 2)
        self.assertEqual({group["name"]: group["of"] for group in seen["groups"]},
                         {"pivot": "faces", "tip": "faces", "body": "solids"})
        self.assertEqual(seen["warnings"], [])
        without = self.succeed_json("import", "bracket.msh")
        self.assertIn('units = "mm t s" would fit', without["warnings"][0])

    def test_the_model_that_is_written_computes(self):
        self.succeed("import", "bracket.msh", "--units", "mm t s", "-o", "part.toml")
        checked = self.succeed_json("check", "part.toml")
        self.assertTrue(checked["ok"])
        self.assertEqual(checked["links"], 1)
        done = self.fail_as_bad_input("import", "bracket.msh", "-o", "part.toml")
        self.assertIn("there is such a file already", done.stderr)

    def test_of_groups_that_share_nodes_one_becomes_an_interface(self):
        self.succeed("import", "bracket.msh", "--units", "mm t s", "-o", "part.inp")
        mesh = (self.folder / "part.inp").read_text()
        nodes = mesh.split("*NSET, NSET=tip\n")[1].split("*")[0]
        self.write("part.inp", f"{mesh}*NSET, NSET=SAME\n{nodes}*NSET, NSET=ALL, GENERATE\n1, 2000\n")
        self.succeed("import", "part.inp", "-o", "part.toml")
        text = (self.folder / "part.toml").read_text()
        self.assertEqual(text.count("[[links.interfaces]]"), 2)
        self.assertRegex(text, '# The group "(SAME|TIP)" shares nodes with "(SAME|TIP)"')
        self.assertTrue(self.succeed_json("check", "part.toml")["ok"])

    def test_tied_surfaces_are_no_interfaces_and_count_each_node_once(self):
        self.write("tied.inp", TIED_BARS)
        done = self.succeed("import", "tied.inp", "-o", "tied.toml")
        self.assertRegex(done.stdout, r"TOP +nodes +6 +6 ")  # of two faces that share an edge
        text = (self.folder / "tied.toml").read_text()
        self.assertEqual(re.findall('group = "(.*)"', text), ["END"])
        self.assertTrue(self.succeed_json("check", "tied.toml")["ok"])

    def test_an_element_that_is_folded_at_a_corner_is_named(self):
        self.succeed("import", "bracket.msh", "--units", "mm t s", "-o", "part.inp")
        mesh = (self.folder / "part.inp").read_text()
        head, elements = mesh.split("TYPE=C3D10", 1)
        line = elements.split("\n")[1]
        number, first, second, rest = line.split(",", 3)
        self.write("part.inp", head + "TYPE=C3D10" + elements.replace(line, f"{number},{second},{first},{rest}", 1))
        done = self.run_program("import", "part.inp")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"1 element with negative or zero volume: number {number.strip()}", done.stdout)

    def test_faults_of_a_mesh_are_all_named_and_nothing_is_written(self):
        self.write("bad.inp", TWO_CUBES)
        done = self.run_program("import", "bad.inp")
        self.assertEqual(done.returncode, 2)
        self.assertIn("error: 1 element with negative or zero volume: number 7", done.stdout)
        self.assertIn("error: the mesh has 2 pieces that are not connected", done.stdout)
        done = self.fail_as_bad_input("import", "bad.inp", "-o", "good.msh")
        self.assertIn("number 7", done.stderr)
        self.assertNotIn("good.msh", self.files())

    def test_a_truncated_mesh_is_refused_with_its_place(self):
        self.folder.joinpath("cut.msh").write_bytes(BRACKET.read_bytes()[:20000])
        done = self.fail_as_bad_input("import", "cut.msh")
        self.assertRegex(done.stderr, r"cut\.msh: error: byte \d+: ")

    def test_other_endings_and_units_are_refused(self):
        self.assertIn("the ending says what to write",
                      self.fail_as_bad_input("import", "bracket.msh", "-o", "part.step").stderr)
        self.assertIn('such as "mm t s"', self.fail_as_bad_input("import", "bracket.msh", "--units", "ell").stderr)

    def modes(self, name, units, group):
        self.write("part.toml", LINK % (name, units, group))
        return [mode["frequency_hz"] for mode in
                self.succeed_json("modes", "part.toml", "--link", "part", "--count", "6", "-o", "m")["modes"]]

    def test_the_same_part_through_two_formats_has_the_same_modes(self):
        self.succeed("import", "bracket.msh", "--units", "mm t s", "-o", "part.inp")
        self.succeed("import", "part.inp", "-o", "again.msh")
        first = self.modes("bracket.msh", "mm t s", "pivot")
        second = self.modes("part.inp", "m kg s", "PIVOT")
        self.assertEqual(len(first), 6)
        for a, b in zip(first, second):
            self.assertLess(abs(a / b - 1), 1e-9)
        seen = self.succeed_json("import", "again.msh")
        self.assertEqual(seen["elements"]["10-node tetrahedron"], 1097)

    def test_the_same_part_for_nastran_has_the_same_modes(self):
        self.succeed("import", "bracket.msh", "--units", "mm t s", "-o", "part.inp")
        sections = {}
        for section in (self.folder / "part.inp").read_text().split("*")[1:]:
            head, _, data = section.partition("\n")
            sections[head] = data
        lines = []
        for line in sections["NODE"].splitlines():
            label, x, y, z = (field.strip() for field in line.split(","))
            lines.append(f"GRID*,{label},,{float(x)!r},{float(y)!r}\n*,{float(z)!r}")
        numbers = [int(n) for n in sections["ELEMENT, TYPE=C3D10"].replace("\n", ",").split(",") if n.strip()]
        for k in range(0, len(numbers), 11):
            element, *nodes = numbers[k:k + 11]
            lines.append(f"CTETRA,{element},1," + ",".join(map(str, nodes[:6])) + "\n," + ",".join(map(str, nodes[6:])))
        held = [n.strip() for n in sections["NSET, NSET=pivot"].replace("\n", ",").split(",") if n.strip()]
        lines.append("GRID,90000,,0.,0.,0.01\nPSOLID,1,1\nMAT1,1,2.1+11,,.3,7850.")
        rows = ["", *[",".join(held[k:k + 8]) for k in range(0, len(held), 8)]]
        lines.append("RBE3,90001,,90000,123456,1.,123" + "\n,".join(rows) + "\nENDDATA")
        self.write("part.bdf", "BEGIN BULK\n" + "\n".join(lines) + "\n")
        first = self.modes("bracket.msh", "mm t s", "pivot")
        text = LINK % ("part.bdf", "m kg s", "pivot")
        self.write("part.toml", re.sub('group = .*\nspider = .*', "number = 90000", text))
        second = [mode["frequency_hz"] for mode in
                  self.succeed_json("modes", "part.toml", "--link", "part", "--count", "6", "-o", "n")["modes"]]
        self.assertEqual(len(first), 6)
        for a, b in zip(first, second):
            self.assertLess(abs(a / b - 1), 1e-9)

    @unittest.skipUnless(shutil.which("ccx"), "CalculiX is not installed")
    def test_calculix_finds_the_same_frequencies_from_the_written_mesh(self):
        self.succeed("import", "bracket.msh", "--units", "mm t s", "-o", "part.inp")
        self.write("deck.inp", f"*INCLUDE, INPUT=part.inp\n{STEEL}*STEP\n*FREQUENCY\n12\n*END STEP\n")
        subprocess.run(["ccx", "deck"], cwd=self.folder, check=True, capture_output=True, timeout=100)
        rows = re.findall(r"^ +\d+ +(\S+) +\S+ +(\S+) +\S+$", (self.folder / "deck.dat").read_text(), re.MULTILINE)
        theirs = [float(frequency) for _, frequency in rows][6:12]
        self.assertEqual(len(theirs), 6)
        for own, other in zip(self.modes("bracket.msh", "mm t s", "pivot"), theirs):
            self.assertLess(abs(own / other - 1), 2e-3)  # rules of integration differ

    def test_a_reduction_is_kept_for_the_next_run(self):
        mount = '[[joints]]\nname = "mount"\ntype = "fixed"\nchild = "part"\nchild_node = "pivot"\n'
        self.write("part.toml", LINK % ("bracket.msh", "mm t s", "pivot") + mount)
        kept = self.folder / "kept"
        tables = []
        for k in range(3):
            arguments = ("modes", "part.toml", "--link", "part", "--reduced", "-o", f"m{k}")
            done = self.run_program(*arguments, environment={"LITHE_CACHE": str(kept) if k < 2 else "off"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(list(kept.iterdir())), 1)
            tables.append((self.folder / f"m{k}" / "modes_part.csv").read_text())
        self.assertEqual(tables[0], tables[1])
        self.assertEqual(tables[0], tables[2])

    @unittest.skipUnless(shutil.which("ccx"), "CalculiX is not installed")
    def test_the_matrices_of_calculix_have_the_frequencies_that_it_finds(self):
        self.succeed("import", "bracket.msh", "--units", "mm t s", "-o", "part.inp")
        for name, option in (("matrices", ", SOLVER=MATRIXSTORAGE"), ("modes", "")):
            self.write(f"{name}.inp", f"*INCLUDE, INPUT=part.inp\n{STEEL}*STEP\n*FREQUENCY{option}\n12\n*END STEP\n")
            subprocess.run(["ccx", name], cwd=self.folder, check=True, capture_output=True, timeout=100)
        rows = re.findall(r"^ +\d+ +(\S+) +\S+ +\S+ +\S+$", (self.folder / "modes.dat").read_text(), re.MULTILINE)
        theirs = [float(squared) for squared in rows][6:12]
        self.write("part.toml", MATRICES)
        found = self.succeed_json("modes", "part.toml", "--link", "part", "--count", "6", "-o", "m")["modes"]
        self.assertEqual(len(theirs), 6)
        for mode, squared in zip(found, theirs):  # of which CalculiX prints seven digits
            self.assertLess(abs((2 * math.pi * mode["frequency_hz"]) ** 2 / squared - 1), 1e-6)


if __name__ == "__main__":
    unittest.main()
