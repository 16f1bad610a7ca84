"""Types of files in the packages: report pages and models are known by their content and by their names."""
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("make_package", str(ROOT / "tools" / "make_package"))
make_package = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_package", loader))
loader.exec_module(make_package)
SPACE = "{http://www.freedesktop.org/standards/shared-mime-info}"


class FileTypes(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.share = pathlib.Path(self._folder.name)
        make_package.desktop_files(self.share)

    def tearDown(self):
        self._folder.cleanup()

    def test_pages_have_what_the_type_looks_for(self):
        types = ElementTree.parse(self.share / "mime/packages/lithe.xml").getroot()
        match = types.find(f".//{SPACE}match")
        last = int(match.get("offset").split(":")[1])
        page = (ROOT / "viewer/dist/page.html").read_bytes()
        self.assertTrue(0 <= page.find(match.get("value").encode()) <= last)

    def test_every_type_has_an_icon_and_pages_a_program(self):
        types = ElementTree.parse(self.share / "mime/packages/lithe.xml").getroot()
        for kind in types.iter(f"{SPACE}mime-type"):
            icon = self.share / "icons/hicolor/scalable/mimetypes" / (kind.get("type").replace("/", "-") + ".svg")
            self.assertTrue(icon.read_text(encoding="utf-8").lstrip().startswith("<svg"))
        entry = (self.share / "applications/lithe-report.desktop").read_text(encoding="utf-8")
        self.assertIn("Exec=lithe view %f\n", entry)
        self.assertIn("MimeType=text/x-lithe-report;\n", entry)

    @unittest.skipUnless(shutil.which("desktop-file-validate"), "desktop-file-utils is not installed")
    def test_the_desktop_entry_is_valid(self):
        done = subprocess.run(["desktop-file-validate", str(self.share / "applications/lithe-report.desktop")], check=False,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    @unittest.skipUnless(shutil.which("update-mime-database") and shutil.which("gio"), "no database of types here")
    def test_the_system_knows_the_names(self):
        subprocess.run(["update-mime-database", str(self.share / "mime")], check=True, capture_output=True)
        environment = {**os.environ, "XDG_DATA_HOME": str(self.share)}
        for name, expected in (("arm.lithe.html", "text/x-lithe-report"), ("arm.lithe.toml", "text/x-lithe-model"),
                               ("page", "text/x-lithe-report")):
            file = self.share / name
            file.write_bytes((ROOT / "viewer/dist/page.html").read_bytes() if "toml" not in name else b"lithe = 1\n")
            told = subprocess.run(["gio", "info", "-a", "standard::content-type", str(file)], env=environment, check=True,
                                  capture_output=True, text=True).stdout
            self.assertIn(f"standard::content-type: {expected}\n", told, name)


if __name__ == "__main__":
    unittest.main()
