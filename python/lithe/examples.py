"""The example models and the command line that come with the package."""
from __future__ import annotations

import os
import pathlib
import sys

from .errors import InputError
from .model import Model, read_model

_HERE = pathlib.Path(__file__).parent


def _models() -> pathlib.Path:
    inside = _HERE / "models"
    return inside if inside.is_dir() else pathlib.Path(__file__).resolve().parents[2] / "models"


def examples() -> list[str]:
    """Names of the example models."""
    return sorted(path.relative_to(_models()).with_suffix("").as_posix() for path in _models().rglob("*.toml"))


def example(name: str) -> Model:
    """An example model: `lithe.example("l_shape")`."""
    path = _models() / f"{name}.toml"
    if not path.exists():
        raise InputError(f"there is no example '{name}'; there are {', '.join(examples())}")
    return read_model(path)


def program() -> pathlib.Path:
    """The command line program `lithe` of this package."""
    return _HERE / "bin" / "lithe"


def find_playground() -> pathlib.Path:
    """The page of `make playground` beside the program, or installed with it."""
    folder = program().resolve().parent
    for place in ("playground/playground.html", "../share/lithe/playground.html"):
        if (folder / place).is_file():
            return folder / place
    raise InputError("there is no playground beside the program of this package: build it with `make playground`, or "
                     "name it, playground=\"...\"")


def main() -> None:
    """Becomes the program: what the command `lithe` of an installed package does."""
    path = str(program())
    os.execv(path, [path, *sys.argv[1:]])
