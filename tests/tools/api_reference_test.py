"""The reference pages of the documentation: comments of headers as Doxygen reads them, and every name of the package."""
import ast
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import api_reference  # noqa: E402

HEADER = """// Motion in time: `State` and <more>.
//   const Model model = read();
#pragma once

// 5 % of it; see docs/a.md.
struct Spec {
  double end = 1;      // s
  std::string name = "// no comment";
  void f() {}  // does nothing
};

enum class Kind {
  one,  // the first
  two
};
"""


class CppComments(unittest.TestCase):
    def setUp(self):
        self.lines = api_reference.as_doxygen(HEADER).splitlines()

    def test_the_top_is_about_the_file(self):
        self.assertEqual(self.lines[0], "/// \\file")
        self.assertEqual(self.lines[1], "/// Motion in time: `State` and \\<more\\>.")

    def test_indented_lines_are_code(self):
        self.assertIn("///", self.lines)
        self.assertIn("///         const Model model = read();", self.lines)

    def test_comments_above_and_behind_belong_to_names(self):
        self.assertIn("/// 5 \\% of it; see docs/a.md.", self.lines)
        self.assertIn("  double end = 1;  ///< s", self.lines)
        self.assertIn("  one,  ///< the first", self.lines)

    def test_texts_stay_what_they_are(self):
        self.assertIn('  std::string name = "// no comment";', self.lines)
        code = [line.split("///")[0].rstrip() for line in self.lines if not line.startswith("///")]
        plain = [line.split("  //")[0].rstrip() for line in HEADER.splitlines() if not line.startswith("//")]
        self.assertEqual(code, plain)

    def test_every_public_type_has_a_sentence(self):
        self.assertEqual(api_reference.uncommented(), [])


class PythonPage(unittest.TestCase):
    def test_every_name_of_the_package_is_there_with_its_docstring(self):
        page, missing = api_reference.python_page()
        self.assertEqual(missing, [])
        source = (ROOT / "python/lithe/__init__.py").read_text(encoding="utf-8")
        names = next(ast.literal_eval(node.value) for node in ast.parse(source).body
                     if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
        for name in set(names) - {"__version__"}:
            self.assertTrue(f"\n### {name}\n" in page, name)

    def test_settings_are_those_of_the_types(self):
        page, _ = api_reference.python_page()
        simulate = page[page.index("\n### simulate\n"):]
        simulate = simulate[:simulate.index("\n### ", 5)]
        self.assertIn("lithe.simulate(model, *, ", simulate)
        self.assertIn("| `end_time` | `Union[float, str]` | s |", simulate)


if __name__ == "__main__":
    unittest.main()
