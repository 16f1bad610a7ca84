"""Every example runs, and its own assertions hold."""
import os
import subprocess
import sys

import pytest

from conftest import ROOT

EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    assert len(path.read_text().split("\n")) <= 60 and "\nassert " in path.read_text().replace("\n    assert", "\nassert")
    done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=300,
                          check=False, env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stdout + done.stderr
