"""The stubs: what the table in C++ gives, and accepted by mypy --strict."""
import inspect
import re
import subprocess
import sys

import pytest

from conftest import ROOT, run_python

import lithe


def test_the_stubs_are_those_of_the_specs():
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "make_stubs"), "--check"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_mypy_accepts_the_package_and_finds_errors(tmp_path):
    pytest.importorskip("mypy")
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text("import lithe\nmotion = lithe.simulate(lithe.Model(), end_time='2 s', drives={})\n"
                    "time: float = float(motion.time[0])\n")
    bad.write_text("import lithe\nlithe.simulate(lithe.Model(), end_tim=2.0)\n")

    def check(*names):
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"),
                               "--cache-dir", str(tmp_path / "cache"), "--python-version",
                               f"{sys.version_info[0]}.{sys.version_info[1]}", *map(str, names)],
                              capture_output=True, text=True, cwd=ROOT, check=False, env={"MYPYPATH": str(ROOT / "python")})

    done = check(ROOT / "python" / "lithe", good, bad)
    errors = [line for line in done.stdout.split("\n") if ": error:" in line]
    assert len(errors) == 1 and "bad.py:2" in errors[0] and "end_tim" in errors[0], done.stdout + done.stderr


def test_help_teaches():
    for name in ("simulate", "natural_modes", "find_equilibrium", "linearise", "condense", "compare", "sweep",
                 "state_space"):
        assert "Settings, with their defaults" in getattr(lithe, name).__doc__
    for name in set(lithe.__all__) - {"controller_type", "input_type"}:  # types of ctypes
        assert getattr(lithe, name).__doc__, name


def test_help_of_every_method_says_what_it_is_for():
    for name in lithe.__all__:
        kind = getattr(lithe, name)
        if not inspect.isclass(kind) or not kind.__module__.startswith("lithe"):
            continue
        for method in dir(kind):
            value = getattr(kind, method)
            if method.startswith("_") or not callable(value) or method in dir(tuple) or method in dir(ValueError):
                continue
            text = inspect.getdoc(value) or ""
            assert " " in re.sub(r"^\w+\(.*", "", text).strip(), f"{name}.{method}"  # more than a signature
    assert "(..., n)" in lithe.Equations.evaluate.__doc__ and "m/s" in lithe.Equations.jacobian.__doc__


def test_importing_loads_no_heavy_package():
    heavy = "('numpy', 'matplotlib', 'scipy', 'pandas', 'dask')"
    code = f"import sys, lithe; print([m for m in {heavy} if m in sys.modules])"
    assert run_python(code).stdout.strip() == "[]"
