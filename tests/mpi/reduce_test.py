#!/usr/bin/env python3
"""`mpirun -n N lithe reduce`: the same part from any number of processes, and what goes wrong is said once."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import PROGRAM, ROOT, ProgramTest  # noqa: E402

SOLIDS = ROOT / "models" / "solids"
USER = """lithe = 1
[[links]]
name = "bracket"
type = "reduced"
file = "bracket.h5"
"""


class ReduceByManyProcesses(ProgramTest):
    def setUp(self):
        super().setUp()
        for name in ("bracket.toml", "bracket.msh"):
            shutil.copy(SOLIDS / name, self.folder)

    def start(self, *words):
        """mpirun with these words, in the folder of the test."""
        environment = {"LITHE_CACHE": "off", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1", **os.environ}
        return subprocess.run(["mpirun", *map(str, words)], cwd=self.folder, env=environment, capture_output=True,
                              text=True, timeout=60, check=False)

    def by_processes(self, count, *words):
        result = self.start("-n", count, PROGRAM, "reduce", *words, "--json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def expect_refusal(self, result, *sentences):
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        for sentence in sentences:
            self.assertEqual(result.stderr.count(sentence), 1, result.stderr)
        self.assertEqual([name for name in self.files() if name.endswith(".h5")], [])

    def expect_equal(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for mine, theirs in zip(found, expected):
            self.assertAlmostEqual(mine / theirs, 1, delta=1e-9)

    def test_shells_have_the_same_frequencies_on_two_processes(self):
        for name in ("sheet_arm.toml", "sheet_arm.msh"):
            shutil.copy(ROOT / "models" / "shells" / name, self.folder)
        expected = self.succeed_json("reduce", "sheet_arm.toml", "--modes", 6, "-o", "alone.h5")
        found = self.by_processes(2, "sheet_arm.toml", "--modes", 6, "-o", "both.h5")
        for key in ("held_frequencies_hz", "free_frequencies_hz"):
            self.expect_equal(found[key], expected[key])

    def test_frequencies_are_the_same_on_any_number_of_processes(self):
        expected = self.succeed_json("reduce", "bracket.toml", "--modes", 12, "-o", "alone.h5")
        largest = []
        for count in (1, 2, 4):
            found = self.by_processes(count, "bracket.toml", "--modes", 12, "-o", f"by_{count}.h5")
            for key in ("link", "nodes", "unknowns", "coordinates", "modes"):
                self.assertEqual(found[key], expected[key])
            for key in ("held_frequencies_hz", "free_frequencies_hz"):
                self.expect_equal(found[key], expected[key])
            self.assertEqual(len(found["processes"]), count)
            self.assertTrue(all(process["peak_bytes"] > 1e7 for process in found["processes"]))
            largest.append([max(process[key] for process in found["processes"])
                            for key in ("elements", "unknowns", "factor_bytes")])
        for fewer_processes, more_processes in zip(largest, largest[1:]):
            for large, small in zip(fewer_processes, more_processes):
                self.assertLess(small, 0.9 * large)

    def test_a_model_takes_the_file(self):
        self.by_processes(2, "bracket.toml", "-o", "bracket.h5")
        self.write("user.toml", USER)
        found = self.succeed_json("modes", "user.toml", "--link", "bracket", "--reduced", "-o", "found")
        self.succeed("reduce", "bracket.toml", "-o", "bracket.h5")
        expected = self.succeed_json("modes", "user.toml", "--link", "bracket", "--reduced", "-o", "expected")
        frequencies = [[mode["frequency_hz"] for mode in one["modes"]] for one in (found, expected)]
        self.expect_equal(frequencies[0][-3:], frequencies[1][-3:])

    def test_a_mesh_needs_no_model(self):
        self.succeed("import", "bracket.msh", "--units", "mm t s", "-o", "part.inp")
        text = (self.folder / "part.inp").read_text(encoding="utf-8")
        self.write("part.inp", text + "*MATERIAL, NAME=STEEL\n*ELASTIC\n210e9, 0.3\n*DENSITY\n7850\n"
                                      "*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL\n")
        expected = self.succeed_json("reduce", "part.inp", "-o", "alone.h5")
        found = self.by_processes(2, "part.inp", "-o", "part.h5")
        self.assertEqual(found["nodes"], expected["nodes"])
        self.expect_equal(found["held_frequencies_hz"], expected["held_frequencies_hz"])

    def test_an_interface_that_selects_nothing_is_said_once(self):
        text = (self.folder / "bracket.toml").read_text(encoding="utf-8")
        self.write("bracket.toml", text.replace('radius = "8 mm"', 'radius = "3 mm"'))
        self.expect_refusal(self.start("-n", 2, PROGRAM, "reduce", "bracket.toml", "-o", "part.h5"),
                            "it selects no node")

    def test_a_bad_mesh_is_said_once(self):
        mesh = (self.folder / "bracket.msh").read_bytes()
        (self.folder / "bracket.msh").write_bytes(mesh[:len(mesh) // 2])
        self.expect_refusal(self.start("-n", 2, PROGRAM, "reduce", "bracket.toml", "-o", "part.h5"), "bracket.msh")
        self.expect_refusal(self.start("-n", 2, PROGRAM, "reduce", "missing.toml", "-o", "part.h5"), "missing.toml")

    def test_machines_that_see_other_files_are_told(self):
        for folder, files in (("one", ("bracket.toml", "bracket.msh")), ("two", ("bracket.toml",))):
            (self.folder / folder).mkdir()
            for name in files:
                shutil.copy(self.folder / name, self.folder / folder)
        words = (PROGRAM, "reduce", "bracket.toml", "-o", "part.h5")
        start = ("-n", 1, "--wdir", self.folder / "one", *words, ":", "-n", 1, "--wdir", self.folder / "two", *words)
        self.expect_refusal(self.start(*start), "process 1: ")
        text = (SOLIDS / "bracket.toml").read_text(encoding="utf-8")
        shutil.copy(SOLIDS / "bracket.msh", self.folder / "two")
        self.write("two/bracket.toml", text.replace('units = "mm t s"', 'units = "cm t s"').replace("8 mm", "8 cm")
                   .replace('"150 mm", "120 mm"', '"150 cm", "120 cm"'))
        self.expect_refusal(self.start(*start), "process 1 reads another mesh")

    def test_links_of_beams_are_refused(self):
        shutil.copy(ROOT / "models" / "l_shape.toml", self.folder)
        self.expect_refusal(self.start("-n", 2, PROGRAM, "reduce", "l_shape.toml", "-o", "x.h5"),
                            "only links of type mesh")

    def test_a_file_that_cannot_be_written_is_a_failure(self):
        self.write("folder", "a file")
        result = self.start("-n", 2, PROGRAM, "reduce", "bracket.toml", "-o", "folder/part.h5")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.count("lithe: error:"), 1, result.stderr)
        self.assertNotIn("MPI_ABORT", result.stderr)

    def test_the_place_of_the_file_is_tried_before_the_part_is_reduced(self):
        corners = [(x, y, z) for z in range(3) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
        self.write("block.inp", "*NODE\n" + "".join(f"{k + 1}, {x}., {y}., {z}.\n" for k, (x, y, z) in enumerate(corners)) +
                   "*ELEMENT, TYPE=C3D8, ELSET=BODY\n1, 1, 2, 3, 4, 5, 6, 7, 8\n2, 5, 6, 7, 8, 9, 10, 11, 12\n"
                   "*NSET, NSET=FOOT\n1, 2, 3, 4\n*MATERIAL, NAME=STEEL\n*ELASTIC\n210e9, 0.3\n*DENSITY\n7850\n"
                   "*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL\n")
        words = ("-n", 2, PROGRAM, "reduce", "block.inp", "--modes", 2000, "-o")
        self.expect_refusal(self.start(*words, "block.h5"), "2000 modes wanted")  # what the reduction itself finds
        self.write("folder", "a file")
        result = self.start(*words, "folder/block.h5")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("cannot make the directory 'folder'", result.stderr)

    def test_a_program_without_mpi_says_so(self):
        shutil.copy(PROGRAM, self.folder / "lithe")
        result = self.start("-n", 2, self.folder / "lithe", "reduce", "bracket.toml", "-o", "part.h5")
        self.expect_refusal(result, "LITHE_MPI=ON")

    def test_the_ordinary_program_links_no_mpi(self):
        libraries = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(libraries, "libmpi|petsc|slepc")
        helper = PROGRAM.parent / "lithe_reduce_mpi"
        libraries = subprocess.run(["ldd", helper], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("mumps_seq", libraries)  # whose functions have the same names


if __name__ == "__main__":
    unittest.main()
