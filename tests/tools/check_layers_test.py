"""tools/check_layers accepts the tree as it is and refuses each kind of disorder."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tools" / "check_layers"


def run(root):
    return subprocess.run([sys.executable, str(PROGRAM), str(root)], capture_output=True, text=True, check=False)


class CheckLayers(unittest.TestCase):
    def verdict_on(self, path, text):
        return self.verdict_on_files({path: text})

    def verdict_on_files(self, files, readme=True):
        with tempfile.TemporaryDirectory(prefix="lithe layers ") as folder:
            for path, text in files.items():
                file = pathlib.Path(folder) / "src" / "lithe" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text + "\n", encoding="utf-8")
                if readme:
                    (file.parent / "README.md").touch()
            return run(folder)

    def assert_refused(self, path, text, reason):
        result = self.verdict_on(path, text)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(f"src/lithe/{path}:1: error: ", result.stdout)
        self.assertIn(reason, result.stdout)

    def assert_accepted(self, path, text):
        result = self.verdict_on(path, text)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_refuses_a_room_below(self):
        self.assert_refused("control/linear/a.h", '#include "lithe/control/design/tuning.h"', "control/design/, which is")
        self.assert_refused("control/linear/a.h", '#include "lithe/control/pid.h"', "which uses its rooms")
        self.assert_refused("model/model.h", '#include "lithe/model/mesh/mesh.h"', "model/mesh/, which is below it")

    def test_accepts_rooms_above(self):
        self.assert_accepted("control/pid.h", '#include "lithe/control/linear/state_space.h"')
        self.assert_accepted("model/mesh/mesh.h", '#include "lithe/model/model.h"')

    def test_refuses_a_full_folder(self):
        with tempfile.TemporaryDirectory(prefix="lithe layers ") as folder:
            full = pathlib.Path(folder) / "src" / "lithe" / "fem"
            full.mkdir(parents=True)
            for number in range(27):
                (full / f"a{number}.cpp").touch()
            result = run(folder)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("src/lithe/fem: error: 27 sources in one folder", result.stdout)

    def test_refuses_a_folder_without_readme(self):
        result = self.verdict_on_files({"fem/a.h": ""}, readme=False)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("src/lithe/fem: error: no README.md", result.stdout)

    def test_refuses_two_types_of_one_name(self):
        definition = "namespace lithe {\nstruct Twice : Base<int> {\n  int a;\n};\n}"
        for other in (definition, "namespace lithe { enum class Twice { a, b }; }", "namespace lithe {\ntemplate <class S>\nclass Twice final {};\n}"):
            result = self.verdict_on_files({"fem/a.h": definition, "reduce/b.cpp": other})
            self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
            self.assertIn("type lithe::Twice is defined in src/lithe/fem/a.h:2 already", result.stdout)

    def test_accepts_types_that_only_look_alike(self):
        definition = "namespace lithe {\nstruct Twice {};\n}"
        for other in ("namespace lithe {\nstruct Twice;\nvoid f(struct Twice* t) { struct Twice2 {}; }\n}",
                      "namespace lithe {\nnamespace {\nstruct Twice {};\n}\n}",
                      "namespace lithe::other {\nstruct Twice {};\n}",
                      "namespace lithe {\nstruct Outer {\n  struct Twice {};\n};\n}",
                      "// namespace lithe { struct Twice {}; }\nconst char* text = \"namespace lithe { struct Twice {\";"):
            result = self.verdict_on_files({"fem/a.h": definition, "reduce/b.cpp": other})
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_refuses_casts_outside_their_place(self):
        cast = "const auto* erls = dynamic_cast<const ErlsCms*>(&equations);"
        self.assert_refused("analyse/a.cpp", cast, "cast to a derived class outside capabilities.cpp")
        self.assert_accepted("formulate/contract/capabilities.cpp", cast)
        self.assert_accepted("analyse/a.cpp", "// no dynamic_cast here")

    def test_refuses_more_installed_headers(self):
        rooms = {f"fem/{number // 20}/a{number}.h": "" for number in range(120)}
        whole = "\n".join(f'#include "lithe/{name}"' for name in rooms)
        result = self.verdict_on_files({**rooms, "lithe.h": whole})
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("121 headers are installed, more than", result.stdout)

    def test_accepts_the_project(self):
        result = run(ROOT)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_refuses_a_folder_below(self):
        self.assert_refused("model/model.h", '#include "lithe/fem/assemble.h"', "must not include fem/")

    def test_accepts_a_folder_above(self):
        self.assert_accepted("fem/assemble.h", '#include "lithe/model/model.h"')

    def test_refuses_the_reader_in_the_core(self):
        self.assert_refused("fem/assemble.cpp", '#include "lithe/read/read_model.h"', "must not include read/")

    def test_accepts_the_reader_in_results(self):
        self.assert_accepted("results/a.cpp", '#include "lithe/read/read_model.h"')

    def test_refuses_another_library_in_the_core(self):
        self.assert_refused("analyse/modes/modes.cpp", "#include <fmt/format.h>", "in the core")

    def test_refuses_another_library_in_a_header(self):
        self.assert_refused("read/read_model.h", "#include <toml++/toml.h>", "in a header")

    def test_accepts_another_library_in_an_adaptor(self):
        self.assert_accepted("integrate/cvode_sundials.cpp", "#  include <cvode/cvode.h>")

    def test_accepts_eigen_and_the_standard_library_in_the_core(self):
        self.assert_accepted("fem/a.cpp", "#include <Eigen/Dense>\n#include <vector>")

    def test_refuses_an_include_without_its_folder(self):
        self.assert_refused("fem/a.cpp", '#include "assemble.h"', "must be written")

    def test_refuses_an_unknown_folder(self):
        result = self.verdict_on("helpers/a.cpp", "")
        self.assertEqual(result.returncode, 1)
        self.assertIn("not in a folder of the architecture", result.stdout)

    def test_says_when_there_is_nothing_to_check(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertNotEqual(run(folder).returncode, 0)


if __name__ == "__main__":
    unittest.main()
