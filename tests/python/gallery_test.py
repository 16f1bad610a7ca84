"""Every example runs, draws its picture, and its own assertions hold; the notebook is executed from top to bottom."""
import ast
import os
import subprocess
import sys

import pytest

from conftest import ROOT

FOLDER = ROOT / "examples" / "python"
EXAMPLES = sorted(FOLDER.glob("*.py"))
RUN = """
import runpy, sys
runpy.run_path(sys.argv[1], run_name="__main__")
from matplotlib import pyplot
assert pyplot.get_fignums(), "no picture"
"""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    text = path.read_text()
    asserts = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]
    assert len(text.split("\n")) <= 60 and len(asserts) >= 2
    done = subprocess.run([sys.executable, "-c", RUN, str(path)], cwd=tmp_path, capture_output=True, text=True,
                          timeout=300, check=False, env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_gallery_shows_every_example():
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "make_pictures"), "--check"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_lesson(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    lesson = nbformat.read(FOLDER / "lesson.ipynb", as_version=4)
    texts = [cell.source for cell in lesson.cells if cell.cell_type == "markdown"]
    assert sum("**Exercise" in text for text in texts) == 5
    nbclient.NotebookClient(lesson, timeout=300, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in lesson.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in shown) >= 4  # curves are drawn
    html = next(output["data"]["text/html"] for output in shown if "text/html" in output.get("data", {}))
    assert "<iframe" in html  # the model, in 3-D
