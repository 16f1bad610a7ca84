"""What the tests share. They run with the package of the build on PYTHONPATH."""
import os
import pathlib
import subprocess
import sys

import pytest

os.environ.setdefault("LITHE_CACHE", "off")  # read when lithe is imported

import lithe  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("LITHE_PROGRAM", ROOT / "build" / "lithe"))
os.environ.setdefault("MPLBACKEND", "Agg")

ROD = """# a steel rod that hangs on a pivot
lithe = 1
name = "rod"
gravity = [0, 0, -9.81]

[materials.steel] # from the catalogue
density = 7800
young_modulus = "210 GPa" # measured
poisson_ratio = 0.3

[sections.bar]
shape = "rectangle"
width = "10 mm"
height = "10 mm"

[[links]]
name = "rod"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
[links.reduction]
method = "none"
kept_modes = 4

[[joints]]
name = "pivot"
child = "rod"
child_node = "root"
axis = [0, 1, 0]

[[sensors]]
name = "angle"
quantity = "joint_value"
joint = "pivot"

[[sensors]]
name = "tip"
quantity = "position"
link = "rod"
node = "tip"
"""


@pytest.fixture
def rod():
    return lithe.Model(ROD, file="rod.toml")


@pytest.fixture
def driven_rod(rod):
    rod.drives.add("motor", joint="pivot", torque=0.0)
    return rod


@pytest.fixture
def command_line(tmp_path):
    """Runs the program in a folder of its own."""
    def run(*words):
        done = subprocess.run([str(PROGRAM), *map(str, words)], cwd=tmp_path, capture_output=True, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    return run


def run_python(code, **environment):
    """Another interpreter with the same package."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=900, check=False,
                          env={**os.environ, **environment})
