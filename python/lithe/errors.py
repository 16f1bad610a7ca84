"""Errors and warnings."""
from __future__ import annotations

import os
import re
import sys
import warnings
from typing import Any, Iterable, NamedTuple


def _with_keywords(text: str) -> str:
    """A message with the keyword arguments that the options of the command line are here: `move_end=` for --move-end."""
    from . import _core

    known = {name for fields in _core.spec_fields.values() for name, _, _ in fields}

    def keyword(option: re.Match[str]) -> str:
        name = option[1].replace("-", "_")
        return "outside_files=True" if name == "allow_outside_files" else f"{name}=" if name in known else option[0]

    text = text.replace("--freeze-reduction FILE", "frozen() of its result")
    return re.sub(r"(?<![^\s(])--([a-z][a-z-]*)", keyword, text)


class Diagnostic(NamedTuple):
    """One error in a model. Line 0 means the file as a whole."""

    file: str
    line: int
    column: int
    path: str  # where in the model: "links[2].material"
    message: str  # one sentence with the offending value


class InputError(ValueError):
    """A model or a setting is wrong. `errors` has every error that was found, with file, line and column."""

    def __init__(self, text: str, errors: Iterable[Any] = ()) -> None:
        super().__init__(_with_keywords(text))
        self.errors = [Diagnostic(file, line, column, path, _with_keywords(message))
                       for file, line, column, path, message in errors]

    def __reduce__(self) -> tuple[Any, ...]:
        return InputError, (self.args[0], self.errors)


class ComputationError(RuntimeError):
    """A computation did not reach its end. `result` has what was computed until then, or is None."""

    def __init__(self, text: str, result: Any = None) -> None:
        super().__init__(_with_keywords(text))
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended an analysis. `result` has what was computed until then."""

    def __init__(self, result: Any = None) -> None:
        super().__init__("the analysis was interrupted; the attribute `result` has what was computed")
        self.result = result


class LitheWarning(UserWarning):
    """A result that holds, with something its user should know."""


def warn(sentence: str) -> None:
    """A LitheWarning at the line of the user that called the package."""
    here, level, frame = os.path.dirname(__file__), 2, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, LitheWarning, stacklevel=level)
