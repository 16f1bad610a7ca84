#!/usr/bin/env python3
"""Springs, rods, ties, equations and couplings of mesh files: frequencies of free parts against CalculiX, and the same
part written for Abaqus and for Nastran."""
import itertools
import re
import shutil
import subprocess
import unittest

from program import ProgramTest

MODEL = """lithe = 1
[[links]]
name = "part"
type = "mesh"
file = "%s"
units = "mm t s"
[[links.interfaces]]
name = "end"
%s
spider = "averaging"  # which adds no stiffness
"""
MOUNT = """[[joints]]
name = "mount"
type = "fixed"
child = "part"
child_node = "end"
"""
END = "box = {low = [-1e-6, -1, -1], high = [1e-6, 1, 1]}"
MATERIAL = "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000, 0.3\n*DENSITY\n7.85e-9\n"
EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
NASTRAN_ORDER = [*range(12), 16, 17, 18, 19, 12, 13, 14, 15]


class Block:
    """A box of bricks of 20 nodes in millimetres; numbers of nodes and elements begin after `first`."""

    def __init__(self, low, high, count, first):
        self.nodes, self.elements = {}, {}
        self.faces = {"low": [], "high": []}  # along x: element, number of the face of Abaqus
        at = {}

        def number(place):
            if place not in at:
                at[place] = first + len(at) + 1
                self.nodes[at[place]] = [l + (h - l) * p / (2 * n) for l, h, p, n in zip(low, high, place, count)]
            return at[place]

        for cell in itertools.product(*map(range, count)):
            corners = [tuple(2 * (c + d) for c, d in zip(cell, corner)) for corner in CORNERS]
            middles = [tuple((a + b) // 2 for a, b in zip(corners[i], corners[j])) for i, j in EDGES]
            label = first + len(self.elements) + 1
            self.elements[label] = [number(place) for place in corners + middles]
            if cell[0] == 0:
                self.faces["low"].append((label, 6))
            if cell[0] == count[0] - 1:
                self.faces["high"].append((label, 4))

    def near(self, *point):
        return min(self.nodes, key=lambda n: sum((a - b) ** 2 for a, b in zip(self.nodes[n], point)))

    def at_x(self, x):
        return [n for n, position in self.nodes.items() if abs(position[0] - x) < 1e-9]


def lines_of(values, per_line=8):
    return ",\n".join(", ".join(map(str, values[k:k + per_line])) for k in range(0, len(values), per_line))


def abaqus(blocks, more, nodes=()):
    text = "*NODE, NSET=ALL\n"
    for label, position in [*(item for block in blocks for item in block.nodes.items()), *nodes]:
        text += f"{label}, " + ", ".join(f"{x!r}" for x in position) + "\n"
    text += "*ELEMENT, TYPE=C3D20, ELSET=SOLID\n"
    for block in blocks:
        text += "".join(f"{label}, {lines_of(own)}\n" for label, own in block.elements.items())
    for k, block in enumerate(blocks):
        for side, faces in block.faces.items():
            text += f"*SURFACE, NAME={side}{k}\n" + "".join(f"{label}, S{face}\n" for label, face in faces)
    return text + MATERIAL + "*SOLID SECTION, ELSET=SOLID, MATERIAL=STEEL\n" + more


def nastran(blocks, more, nodes=()):
    text = "BEGIN BULK\nMAT1,1,210000.,,.3,7.85-9\nPSOLID,1,1\n"
    for label, position in [*(item for block in blocks for item in block.nodes.items()), *nodes]:
        x, y, z = (f"{float(value):.14g}" for value in position)
        x, y, z = (value if "." in value or "e" in value else value + "." for value in (x, y, z))
        text += f"GRID*,{label},,{x},{y}\n*,{z}\n"
    for block in blocks:
        for label, own in block.elements.items():
            own = [own[k] for k in NASTRAN_ORDER]
            text += f"CHEXA,{label},1," + ",".join(map(str, own[:6])) + "\n," + ",".join(map(str, own[6:14]))
            text += "\n," + ",".join(map(str, own[14:])) + "\n"
    return text + more + "ENDDATA\n"


class Couplings(ProgramTest):
    def setUp(self):
        super().setUp()
        # two bars of 60 x 10 x 20 mm, one after the other with a gap of 10 mm
        self.left = Block((0, 0, 0), (60, 10, 20), (4, 1, 2), 0)
        self.right = Block((70, 0, 0), (130, 10, 20), (4, 1, 2), 1000)

    def modes(self, name, count=6):
        self.write("part.toml", MODEL % (name, END))
        done = self.succeed_json("modes", "part.toml", "--link", "part", "--count", str(count), "-o", "m")
        return [mode["frequency_hz"] for mode in done["modes"]]

    def warnings(self, name):
        self.write("part.toml", MODEL % (name, END) + MOUNT)
        done = self.succeed("check", "part.toml")
        return done.stdout + done.stderr

    def of_calculix(self, deck, count=6, rigid=6):
        if not shutil.which("ccx"):
            self.skipTest("CalculiX is not installed")
        self.write("deck.inp", f"{deck}*STEP\n*FREQUENCY\n{count + rigid}\n*END STEP\n")
        done = subprocess.run(["ccx", "deck"], cwd=self.folder, capture_output=True, timeout=100, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:])
        rows = re.findall(r"^ +\d+ +(\S+) +\S+ +(\S+) +\S+$", (self.folder / "deck.dat").read_text(), re.MULTILINE)
        return [float(frequency) for _, frequency in rows][rigid:rigid + count]

    def compare(self, deck, tolerance, count=6, rigid=6):
        self.write("part.inp", deck)
        own = self.modes("part.inp", count)
        theirs = self.of_calculix(deck, count, rigid)
        self.assertEqual(len(theirs), count)
        for a, b in zip(own, theirs):
            self.assertLess(abs(a / b - 1), tolerance, f"{own}\n{theirs}")
        return own

    def same(self, first, second, tolerance=1e-9):
        for a, b in zip(first, second):
            self.assertLess(abs(a / b - 1), tolerance, f"{first}\n{second}")

    def corners(self):
        """Nodes of the gap, opposite each other."""
        places = [(y, z) for y in (0, 10) for z in (0, 20)]
        return [(self.left.near(60, *place), self.right.near(70, *place)) for place in places]

    def springs(self):
        a, b = self.left, self.right
        crossed = [(a.near(60, 0, 0), b.near(70, 10, 0)), (a.near(60, 10, 20), b.near(70, 0, 20)),
                   (a.near(60, 0, 20), b.near(70, 0, 0))]
        return self.corners() + crossed

    def test_springs_along_their_line_are_those_of_calculix(self):
        more = "*ELEMENT, TYPE=SPRINGA, ELSET=S\n"
        more += "".join(f"{5000 + k}, {a}, {b}\n" for k, (a, b) in enumerate(self.springs()))
        self.compare(abaqus([self.left, self.right], more + "*SPRING, ELSET=S\n\n4000.\n"), 2e-4)

    def test_rods_are_those_of_calculix(self):
        more = "*ELEMENT, TYPE=T3D2, ELSET=R\n"
        more += "".join(f"{5000 + k}, {a}, {b}\n" for k, (a, b) in enumerate(self.springs()))
        deck = abaqus([self.left, self.right], more + "*SOLID SECTION, ELSET=R, MATERIAL=STEEL\n3.\n")
        first = self.compare(deck, 1e-3)  # CalculiX makes small bricks of them, with some shear
        rods = "".join(f"CROD,{5000 + k},7,{a},{b}\n" for k, (a, b) in enumerate(self.springs()[:4]))
        rods += "PROD,7,1,3.\n"
        rods += "".join(f"CONROD,{5010 + k},{a},{b},1,3.\n" for k, (a, b) in enumerate(self.springs()[4:]))
        self.write("part.bdf", nastran([self.left, self.right], rods))
        self.same(first, self.modes("part.bdf"))

    def test_springs_between_directions_are_those_of_calculix_and_of_nastran(self):
        right = Block((60, 0, 0), (130, 10, 20), (4, 1, 2), 1000)
        pairs = [(self.left.near(60, y, z), right.near(60, y, z)) for y in (0, 10) for z in (0, 20)]
        more = "".join(f"*ELEMENT, TYPE=SPRING2, ELSET=S{d}\n"
                       + "".join(f"{5000 + 10 * d + k}, {a}, {b}\n" for k, (a, b) in enumerate(pairs))
                       + f"*SPRING, ELSET=S{d}\n{d}, {d}\n{1000.0 * d}\n" for d in (1, 2, 3))
        first = self.compare(abaqus([self.left, right], more), 2e-4)
        self.assertNotIn("depend on the node", self.warnings("part.inp"))
        springs = "".join(f"CELAS1,{5000 + 10 * d + k},{d},{a},{d},{b},{d}\n"
                          for d in (1, 2) for k, (a, b) in enumerate(pairs)) + "PELAS,1,1000.,,,2,2000.\n"
        springs += "".join(f"CELAS2,{5030 + k},3000.,{a},3,{b},3\n" for k, (a, b) in enumerate(pairs))
        self.write("part.bdf", nastran([self.left, right], springs))
        self.same(first, self.modes("part.bdf"))
        bushes = "".join(f"CBUSH,{5000 + k},9,{a},{b},,,,0\n" for k, (a, b) in enumerate(pairs))
        self.write("part.bdf", nastran([self.left, right], bushes + "PBUSH,9,K,1000.,2000.,3000.\n"))
        self.same(first, self.modes("part.bdf"))

    def test_a_bushing_between_spiders_turns_and_shears(self):
        nodes = [(9001, (60, 5, 10)), (9002, (70, 5, 10))]
        rows = [",".join(map(str, b.at_x(x))) for b, x in ((self.left, 60), (self.right, 70))]
        wrap = [re.sub(r"((?:\d+,){8})", r"\1\n,", row) for row in rows]
        spiders = "".join(f"RBE2,{7001 + k},{9001 + k},123456,,,,,\n,{row}\n" for k, row in enumerate(wrap))
        frequencies = []
        for place in (".5", "0.", "1."):
            bush = f"CBUSH,5000,9,9001,9002,0.,1.,0.,,\n,{place}\nPBUSH,9,K,1.+3,2.+4,3.+4,1.+7,2.+7,3.+7\n"
            self.write("part.bdf", nastran([self.left, self.right], spiders + bush, nodes))
            frequencies.append(self.modes("part.bdf"))
            self.assertNotIn("depend on the node", self.warnings("part.bdf"))
        # of two bodies on a spring along x the lowest axial mode: both bars are stiff against it
        mass = 60 * 10 * 20 * 7.85e-9
        axial = (1e3 * 2 / mass) ** 0.5 / (2 * 3.141592653589793)
        for found in frequencies:
            self.assertLess(min(abs(f / axial - 1) for f in found), 1e-3, found)
        apart = [abs(a / b - 1) for a, b in zip(frequencies[0], frequencies[1])]
        self.assertGreater(max(apart), 1e-3)  # the place counts
        self.same(frequencies[1], frequencies[2], 1e-6)  # mirrored

    def test_equations_are_those_of_calculix_and_of_nastran(self):
        right = Block((60, 0, 0), (130, 10, 20), (4, 1, 2), 1000)
        # a hinge along z: the edge y = 0 is joined, and one corner follows the mean of two others
        joined = [(self.left.near(60, 0, z), right.near(60, 0, z)) for z in (0, 5, 10, 15, 20)]
        middle, others = self.left.near(60, 10, 10), (right.near(60, 10, 0), right.near(60, 10, 20))
        more = "".join(f"*EQUATION\n2\n{a}, {d}, 1., {b}, {d}, -1.\n" for a, b in joined for d in (1, 2, 3))
        more += f"*EQUATION\n3\n{middle}, 1, 2., {others[0]}, 1, -1., {others[1]}, 1, -1.\n"
        first = self.compare(abaqus([self.left, right], more), 2e-4)
        mpc = "".join(f"MPC,1,{a},{d},1.,{b},{d},-1.\n" for a, b in joined for d in (1, 2, 3))
        mpc += f"MPC,1,{middle},1,2.,{others[0]},1,-1.\n,,{others[1]},1,-1.\n"
        self.write("part.bdf", nastran([self.left, right], mpc))
        self.same(first, self.modes("part.bdf"))

    def test_a_tie_of_meshes_that_do_not_fit_is_that_of_calculix(self):
        right = Block((60, 0, 0), (130, 10, 20), (4, 2, 3), 1000)
        tie = "*TIE, NAME=T, POSITION TOLERANCE=0.1\nlow1, high0\n"
        found = self.compare(abaqus([self.left, right], tie), 1e-3)
        whole = Block((0, 0, 0), (130, 10, 20), (8, 2, 3), 0)
        self.write("part.inp", abaqus([whole], ""))
        self.same(found, self.modes("part.inp"), 1.5e-2)  # the half of the coarse mesh is stiffer in torsion

    def test_instances_of_a_part_are_the_same_bodies_as_in_a_flat_file(self):
        # the same bar twice, the second one turned by 180 degrees about the y axis, so that the ends x = 60 meet
        other = Block((0, 0, 0), (60, 10, 20), (4, 1, 2), 1000)
        other.nodes = {n: [120.0 - x, y, 20.0 - z] for n, (x, y, z) in other.nodes.items()}
        tie = "*TIE, NAME=T\n%s, %s\n"
        self.write("part.inp", abaqus([self.left, other], tie % ("high1", "high0")))
        flat = self.modes("part.inp")
        text = "*PART, NAME=Bar\n*NODE\n"
        text += "".join(f"{n}, " + ", ".join(map(repr, x)) + "\n" for n, x in self.left.nodes.items())
        text += "*ELEMENT, TYPE=C3D20, ELSET=SOLID\n"
        text += "".join(f"{n}, {lines_of(own)}\n" for n, own in self.left.elements.items())
        text += "*SURFACE, NAME=tip\n" + "".join(f"{n}, S{face}\n" for n, face in self.left.faces["high"])
        text += "*SOLID SECTION, ELSET=SOLID, MATERIAL=STEEL\n*END PART\n*ASSEMBLY, NAME=A\n"
        text += "*INSTANCE, NAME=one, PART=Bar\n*END INSTANCE\n"
        text += "*INSTANCE, NAME=two, PART=Bar\n120., 0., 20.\n120., 0., 20., 120., 1., 20., 180.\n*END INSTANCE\n"
        text += tie % ("two.tip", "one.tip") + "*END ASSEMBLY\n" + MATERIAL
        self.write("part.inp", text)
        self.same(flat, self.modes("part.inp"))
        seen = self.succeed_json("import", "part.inp", "--units", "mm t s")
        self.assertIn("TWO.TIP", [group["name"] for group in seen["groups"]])

    def test_a_tie_over_a_gap_lets_the_part_turn(self):
        right = Block((60.2, 0, 0), (130, 10, 20), (4, 2, 3), 1000)
        self.write("part.inp", abaqus([self.left, right], "*TIE, NAME=T, POSITION TOLERANCE=0.5\nlow1, high0\n"))
        self.assertNotIn("whole link", self.warnings("part.inp"))
        closed = Block((60, 0, 0), (130, 10, 20), (4, 2, 3), 1000)
        with_gap = self.modes("part.inp")
        self.write("part.inp", abaqus([self.left, closed], "*TIE, NAME=T\nlow1, high0\n"))
        self.same(with_gap, self.modes("part.inp"), 1e-2)

    def test_a_kinematic_coupling_is_that_of_calculix(self):
        more = "*COUPLING, REF NODE=9001, SURFACE=high0, CONSTRAINT NAME=C\n*KINEMATIC\n1, 3\n"
        more += "*ELEMENT, TYPE=MASS, ELSET=M\n8000, 9001\n*MASS, ELSET=M\n1.e-4\n"
        self.compare(abaqus([self.left], more, [(9001, (65, 5, 10))]), 2e-4)

    @unittest.skipUnless(shutil.which("ccx"), "CalculiX is not installed")
    def test_a_distributing_coupling_carries_loads_as_that_of_calculix(self):
        # beside the middle of the face, so that every load also turns it
        block, nodes = Block((0, 0, 0), (60, 10, 20), (4, 2, 2), 0), [(9001, (65, 8, 3))]
        more = "*COUPLING, REF NODE=9001, SURFACE=high0, CONSTRAINT NAME=C\n*DISTRIBUTING\n1, 6\n"
        more += f"*NSET, NSET=HELD\n{lines_of(block.at_x(0))}\n*BOUNDARY\nHELD, 1, 3\n"
        more += f"*NSET, NSET=OUT\n{lines_of(block.at_x(60))}\n"
        deck = abaqus([block], more, nodes)
        self.write("part.inp", deck)
        seen = [block.near(60, *place) for place in ((0, 0), (10, 0), (0, 20), (10, 20), (5, 10))]
        model = MODEL % ("part.inp", "plane = {point = [0, 0, 0], normal = [1, 0, 0]}") + MOUNT
        model = model.replace('"averaging"', '"rigid"')
        for name, number in [("ref", 9001), *((f"p{k}", node) for k, node in enumerate(seen))]:
            model += f'[[links.interfaces]]\nname = "{name}"\nnumber = {number}\n'
        for k in range(len(seen)):
            model += f'[[sensors]]\nname = "s{k}"\nlink = "part"\nnode = "p{k}"\nquantity = "position"\n'
        for direction, load in ((2, "force = 100"), (1, "force = 100"), (4, "torque = 1"), (6, "torque = 1")):
            size = 100.0 if direction < 4 else 1000.0
            self.write("deck.inp", f"{deck}*STEP\n*STATIC\n*CLOAD\n9001, {direction}, {size}\n"
                       "*NODE PRINT, NSET=OUT\nU\n*END STEP\n")
            subprocess.run(["ccx", "deck"], cwd=self.folder, check=True, capture_output=True, timeout=100)
            rows = re.findall(r"^ +(\d+) +(\S+) +(\S+) +(\S+)$", (self.folder / "deck.dat").read_text(), re.MULTILINE)
            theirs = {int(row[0]): [float(u) * 1e-3 for u in row[1:]] for row in rows}
            axis = [int(k == (direction - 1) % 3) for k in range(3)]
            self.write("part.toml", model + f'[[loads]]\nname = "l"\nlink = "part"\nnode = "ref"\n{load}\n'
                       f"direction = {axis}\n")
            own = {sensor["name"]: sensor["value"] for sensor in self.succeed_json("equilibrium", "part.toml")["sensors"]}
            largest = max(abs(u) for node in seen for u in theirs[node])
            middle = [0.06, 0.005, 0.01]
            for k, node in enumerate(seen):
                start = [x * 1e-3 - m for x, m in zip(block.nodes[node], middle)]
                moved = [own[f"s{k}.{axis_name}"] for axis_name in "xyz"]
                for u, x0, x, m in zip(theirs[node], start, moved, middle):
                    # positions count from the interface 'end' of the link, in the middle of the face x = 0
                    self.assertLess(abs(x - (x0 + (m if m == 0.06 else 0)) - u), 1e-6 * largest)

    def test_beams_of_three_nodes_are_those_of_calculix(self):
        nodes = [(9000 + k, (60 + 5 * k, 5, 10)) for k in range(17)]
        beams = "".join(f"{5000 + k}, {9000 + 2 * k}, {9001 + 2 * k}, {9002 + 2 * k}\n" for k in range(8))
        more = f"*COUPLING, REF NODE=9000, SURFACE=high0, CONSTRAINT NAME=C\n*KINEMATIC\n1, 6\n"
        more += f"*ELEMENT, TYPE=B32, ELSET=B\n{beams}*BEAM SECTION, ELSET=B, MATERIAL=STEEL, SECTION=RECT\n6., 8.\n0, 1, 0\n"
        self.write("part.inp", abaqus([self.left], more, nodes))
        first = self.modes("part.inp")
        rows = ",".join(map(str, self.left.at_x(60)))
        cards = "RBE2,7001,9000,123456,,,,,\n," + re.sub(r"((?:\d+,){8})", r"\1\n,", rows) + "\n"
        cards += "".join(f"CBEAM,{5000 + k},5,{9000 + k},{9001 + k},0.,1.,0.\n" for k in range(16))
        cards += "PBEAML,5,1,,BAR,,,,\n,8.,6.\n"
        self.write("part.bdf", nastran([self.left], cards, nodes))
        self.same(first, self.modes("part.bdf"))

    def test_what_holds_the_whole_link_is_a_warning_with_its_number(self):
        a, b = self.left.near(60, 0, 0), self.right.near(70, 0, 0)
        more = "".join(f"*ELEMENT, TYPE=SPRINGA, ELSET=S\n{5000 + k}, {x}, {y}\n"
                       for k, (x, y) in enumerate(self.springs()))
        more += "*SPRING, ELSET=S\n4000.\n"
        across = f"*ELEMENT, TYPE=SPRING2, ELSET=A\n6000, {a}, {b}\n*SPRING, ELSET=A\n2, 2\n100.\n"
        self.write("part.inp", abaqus([self.left, self.right], more))
        self.assertNotIn("whole link", self.warnings("part.inp"))
        self.write("part.inp", abaqus([self.left, self.right], more + across))
        self.assertIn("spring 6000 acts when the whole link turns, by 0.01 m per rad", self.warnings("part.inp"))
        fixed = f"*EQUATION\n1\n{a}, 2, 1.\n"
        self.write("part.inp", abaqus([self.left, self.right], more + fixed))
        self.assertRegex(self.warnings("part.inp"), r"\*EQUATION in line \d+ is violated when the whole link moves")

    def test_what_is_wrong_is_said_with_its_line(self):
        a, b = self.left.near(60, 0, 0), self.right.near(70, 0, 0)
        cases = {
            "*ELEMENT, TYPE=SPRING1, ELSET=S\n5000, 1\n": "elements of type SPRING1 are not supported",
            f"*ELEMENT, TYPE=SPRINGA, ELSET=S\n5000, {a}, {b}\n": "element 5000 is a spring without *SPRING",
            "*TIE, NAME=T, POSITION TOLERANCE=0.1\nlow1, high0\n": "no node of the slave surface is within 0.1",
            "*TIE, NAME=T\nlow1, nowhere\n": "the master NOWHERE is no surface of faces",
            f"*EQUATION\n2\n{a}, 1, 1.\n": "*EQUATION ends after 1 of its 2 terms",
            f"*EQUATION\n2\n{a}, 7, 1., {b}, 1, -1.\n": "a direction 1 to 6 expected, got '7'",
            f"*EQUATION\n2\n{a}, 1, 1., 77777, 1, -1.\n": "has node 77777, which does not exist",
            f"*MPC\nSLIDER, {a}, {b}\n": "*MPC: only BEAM, LINK, PIN and TIE",
        }
        for more, sentence in cases.items():
            with self.subTest(sentence=sentence):
                self.write("part.inp", abaqus([self.left, self.right], more))
                self.write("part.toml", MODEL % ("part.inp", END))
                done = self.fail_as_bad_input("check", "part.toml")
                self.assertIn(sentence, done.stderr)
                self.assertRegex(done.stderr, r"part\.inp:\d+")


if __name__ == "__main__":
    unittest.main()
