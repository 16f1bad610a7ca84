"""--what-if: a playground with a result inside; here with one that holds nothing but the place for it. What the page
does is tested in tests/playground."""
import json
import os
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import program  # noqa: E402
from program import L_SHAPE, ProgramTest  # noqa: E402

PLACE = '<script type="application/json" id="part-start">'


class WhatIf(ProgramTest):
    def setUp(self):
        super().setUp()
        self.beside = self.folder / "installed" / "bin"
        self.beside.mkdir(parents=True)
        shutil.copy(program.PROGRAM, self.beside / "lithe")
        self.model = self.write("arm.toml", "# </script>\n" + L_SHAPE.read_text(encoding="utf-8"))
        self.usual, program.PROGRAM = program.PROGRAM, self.beside / "lithe"

    def tearDown(self):
        program.PROGRAM = self.usual
        super().tearDown()

    def install(self, page):
        place = self.folder / "installed" / "share" / "lithe"
        place.mkdir(parents=True)
        (place / "playground.html").write_text(page, encoding="utf-8")

    def test_without_a_playground_one_sentence_says_what_is_missing(self):
        said = self.fail_as_bad_input("modes", self.model, "--what-if")
        self.assertIn("there is none beside this program", said.stderr)
        self.assertFalse((self.folder / "results").exists())

    def test_the_page_has_text_settings_sliders_and_result(self):
        self.install(f"<html>{PLACE}</script></html>")
        told = self.succeed_json("simulate", self.model, "--end", "0.01", "--what-if", "--slider", "sections.rod.width")
        page = next(pathlib.Path(self.folder / path) for path in told["files"] if path.endswith("motion_what_if.html"))
        text = page.read_text(encoding="utf-8")
        before, inside = text.removesuffix("</script></html>").split(PLACE)
        self.assertEqual(before, "<html><!-- written by lithe -->")
        start = json.loads(inside)
        self.assertNotIn("<", inside)
        self.assertEqual(start["text"], self.model.read_text(encoding="utf-8"))
        self.assertEqual((start["what"], start["name"], start["sliders"]), ("motion", "arm.toml", ["sections.rod.width"]))
        self.assertEqual(start["settings"]["end_time"], 0.01)
        self.assertEqual(len(json.loads(start["report"])["runs"]), 1)
        self.assertTrue(page.with_name("motion.html").exists())

    def test_a_page_replaces_its_own_kind_alone(self):
        self.install(f"<!DOCTYPE html><html>{PLACE}</script></html>")
        for words, stem in ((["simulate", "--end", "0.01"], "motion"), (["modes"], "modes"), (["linearise"], "linear"),
                            (["sweep", "--analysis", "modes", "--axis", "sections.rod.width = 0.005, 0.006"], "sweep")):
            with self.subTest(command=words[0]):
                words = [words[0], self.model, *words[1:], "--what-if", "-o", stem]
                self.succeed(*words)
                self.succeed(*words)
                page = self.folder / stem / f"{stem}_what_if.html"
                written = {path.name: path.read_bytes() for path in page.parent.iterdir()}
                page.write_text("mine")
                self.assertIn("that Lithe has not written", self.fail_as_bad_input(*words).stderr)
                self.assertEqual({path.name: path.read_bytes() for path in page.parent.iterdir()}, {**written, page.name: b"mine"})

    def test_all_sliders_that_are_no_numbers_are_named(self):
        self.install(f"<html>{PLACE}</script></html>")
        said = self.fail_as_bad_input("modes", self.model, "--what-if", "--slider", "sections.rod.widht", "--slider",
                                      "links.nobody.mass")
        self.assertIn("widht", said.stderr)
        self.assertIn("nobody", said.stderr)

    def test_a_playground_of_before_is_refused(self):
        self.install("<html></html>")
        self.assertIn("older than the program", self.fail_as_bad_input("modes", self.model, "--what-if").stderr)

    def test_modes_of_one_link_are_refused(self):
        self.install(f"<html>{PLACE}</script></html>")
        said = self.fail_as_bad_input("modes", self.model, "--link", "arm", "--what-if")
        self.assertIn("leave out --link", said.stderr)


if __name__ == "__main__":
    unittest.main()
