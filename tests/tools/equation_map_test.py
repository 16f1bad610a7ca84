"""docs/theory/equation_map.md names every equation of the papers, and only pages, files and names that exist."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAST = {"CMS": 99, "CMP": 20, "LIN": 65, "EVO": 25, "SC": 47}
ROW = re.compile(r"\| \[(\w+)\] \| ([^|]+) \| ([^|]+) \| `([^`]+)` \| `([^`]+)`: `(\w+)` \|")


def numbers(text):
    found = set()
    for part in text.split(","):
        ends = [int(re.match(r"\s*(\d+)", end)[1]) for end in part.split("-")]
        found.update(range(ends[0], ends[-1] + 1))
    return found


class EquationMap(unittest.TestCase):
    def setUp(self):
        lines = (ROOT / "docs" / "theory" / "equation_map.md").read_text(encoding="utf-8").splitlines()
        self.lines = [line for line in lines if line.startswith("| [")]
        self.rows = [ROW.fullmatch(line) for line in self.lines]

    def test_every_row_can_be_read(self):
        for line, row in zip(self.lines, self.rows):
            self.assertIsNotNone(row, line)

    def test_every_equation_is_named_once(self):
        for paper, last in LAST.items():
            named = [number for row in self.rows if row[1] == paper for number in numbers(row[2])]
            self.assertEqual(sorted(named), list(range(1, last + 1)), paper)

    def test_pages_files_and_names_exist(self):
        for row in self.rows:
            self.assertTrue((ROOT / "docs" / "theory" / row[4]).is_file(), row[0])
            file = (ROOT if row[5].startswith("app/") else ROOT / "src" / "lithe") / row[5]
            self.assertTrue(file.is_file(), row[0])
            self.assertRegex(file.read_text(encoding="utf-8"), rf"\b{row[6]}\b", row[0])


if __name__ == "__main__":
    unittest.main()
