"""lithe reproduce: the JSON that other tools rely on, and its exit code."""
import csv
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from program import ROOT, ProgramTest  # noqa: E402

KEYS = {"table", "case", "quantity", "unit", "published", "computed", "gated", "agrees", "note"}


class Reproduce(ProgramTest):
    def test_lists_its_cases(self):
        names = [case["name"] for case in self.succeed_json("reproduce")["cases"]]
        self.assertIn("cmp-frequencies", names)
        self.assertIn("cmp-frequencies", self.succeed("reproduce").stdout)

    def test_unknown_case_is_bad_input(self):
        self.assertIn("cmp-frequencies", self.fail_as_bad_input("reproduce", "cmp-frequency").stderr)

    def test_cmp_frequencies_has_every_printed_value_and_agrees(self):
        answer = self.succeed_json("reproduce", "cmp-frequencies")
        self.assertEqual(set(answer), {"rows"})
        for row in answer["rows"]:
            self.assertEqual(set(row), KEYS)
            self.assertEqual(row["unit"], "Hz")
            self.assertTrue(row["gated"])
            self.assertLessEqual(abs(row["computed"] - row["published"]), max(0.02, 1.5e-4 * row["published"]), row)
        with open(ROOT / "tests/published/cmp_table2_natural_frequencies.csv", encoding="utf-8") as file:
            lines = [line for line in csv.reader(file) if not line[0].startswith("#")]
        printed = sorted(float(cell) for line in lines[1:] for cell in line[1:] if cell)
        self.assertEqual(len(printed), 48)
        self.assertEqual(sorted(row["published"] for row in answer["rows"]), printed)

    def test_text_shows_published_computed_difference_and_the_note(self):
        text = self.succeed("reproduce", "cmp-frequencies").stdout
        for word in ("published", "computed", "difference", "Timoshenko", "48 of 48"):
            self.assertIn(word, text)

    def test_cms_gates_the_rigid_row_and_gives_the_reason_for_the_others(self):
        rows = self.succeed_json("reproduce", "cms")["rows"]
        self.assertEqual(len(rows), 49)
        gated = [row for row in rows if row["gated"]]
        self.assertEqual({row["case"] for row in gated}, {"6 modes"})
        self.assertTrue(all(row["note"] for row in rows if not row["gated"]))

    def test_cmp_shows_every_table(self):
        rows = self.succeed_json("reproduce", "cmp")["rows"]
        tables = {row["table"] for row in rows}
        self.assertEqual(tables, {f"[CMP] Table {n}" for n in ("II", "IV", "V", "VI", "VII", "VIII", "IX")})
        self.assertEqual(sum(row["table"] in ("[CMP] Table V", "[CMP] Table VIII") for row in rows), 44)

    def test_evo_judges_what_its_equations_claim(self):
        rows = self.succeed_json("reproduce", "evo")["rows"]
        gated = [row for row in rows if row["gated"]]
        self.assertEqual({row["case"] for row in gated}, {"four_bar", "five_bar"})
        self.assertGreaterEqual(len(gated), 12)
        self.assertTrue(all(row["note"] for row in rows))
        printed = {(row["case"], row["quantity"]): row["computed"] for row in rows if not row["gated"]}
        self.assertEqual(printed["four_bar", "missing rank as printed"], 1)  # rigid degrees of freedom
        self.assertEqual(printed["five_bar", "missing rank as printed"], 2)
        self.assertGreater(printed["four_bar", "largest growth rate as printed"], 100)

    def test_figures_are_pictures_beside_what_the_paper_says(self):
        answer = self.succeed_json("reproduce", "sc", "--figures", "-o", "figures")
        self.assertEqual([figure["figure"] for figure in answer["figures"]], [f"[SC] Figure {n}" for n in (10, 11, 13, 14)])
        for figure in answer["figures"]:
            picture = (self.folder / "figures" / figure["file"]).read_text(encoding="utf-8")
            self.assertTrue(picture.startswith("<svg") or "<svg" in picture[:200])
            self.assertGreater(len(picture), 2000)
            self.assertTrue(all(claim["agrees"] for claim in figure["claims"]), figure)

    def test_figures_of_the_l_shape_show_what_the_papers_say(self):
        for case, numbers in (("cms", (3, 4, 6, 7, 8)), ("cmp", (4, 5, 6, 7))):
            figures = self.succeed_json("reproduce", case, "--figures", "-o", case)["figures"]
            self.assertEqual([figure["figure"] for figure in figures], [f"[{case.upper()}] Figure {n}" for n in numbers])
            for figure in figures:
                picture = (self.folder / case / figure["file"]).read_text(encoding="utf-8")
                self.assertGreater(picture.count("<polyline"), 4, figure["figure"])
                self.assertTrue(figure["claims"], figure["figure"])
                self.assertTrue(all(claim["agrees"] in (True, None) for claim in figure["claims"]), figure)
            judged = [claim for figure in figures for claim in figure["claims"] if claim["agrees"]]
            self.assertGreaterEqual(len(judged), 5, case)

    def test_one_page_holds_all_cases(self):
        self.succeed("reproduce", "all", "--page", "-o", "page")
        page = (self.folder / "page" / "reproduce.html").read_text(encoding="utf-8")
        for figure in [f"[CMS] Figure {n}" for n in (3, 4, 6, 7, 8)] + [f"[CMP] Figure {n}" for n in (4, 5, 6, 7)] + \
                [f"[LIN] Figure {n}" for n in (3, 5)] + [f"[SC] Figure {n}" for n in (10, 11, 13, 14)]:
            self.assertIn(figure, page)
        for table in ("[CMS] Table 2", "[CMP] Table II", "[CMP] Table IX", "[LIN] 5.1", "[SC] Table 2", "[EVO]"):
            self.assertIn(table, page)
        self.assertEqual(page.count("<svg"), 15)
        self.assertNotIn("<script", page)

    def test_the_page_holds_tables_figures_and_reasons(self):
        self.succeed("reproduce", "lin", "--page", "-o", "page")
        page = (self.folder / "page" / "reproduce.html").read_text(encoding="utf-8")
        for text in ("[LIN] 5.1", "[LIN] Figure 3", "[LIN] Figure 5", "nu = 1.8, upper", "with discs", "agrees", "the paper says"):
            self.assertIn(text, page)
        self.assertNotIn("<script", page)
        self.assertNotIn("http://", page.replace("http://www.w3.org/2000/svg", ""))

    def test_the_page_of_the_site_has_every_row_and_counts_them(self):
        answer = self.succeed_json("reproduce", "cmp-frequencies", "--site", "-o", "site")
        text = (self.folder / "site" / "validation.md").read_text(encoding="utf-8")
        self.assertIn("validation.md", answer["files"][0])
        self.assertIn("48 of 48 judged values agree", text)
        self.assertEqual(text.count("| agrees |"), len(answer["rows"]))

    def test_figures_need_a_case(self):
        self.assertIn("--figures", self.fail_as_bad_input("reproduce", "--figures").stderr)


if __name__ == "__main__":
    unittest.main()
