"""A progress bar for terminals and notebooks, shown once an analysis takes longer than a second."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable

from .show import in_notebook


class Bar:
    def __init__(self, title: str, delay: float = 1.0) -> None:
        self._title = title
        self._start = time.monotonic()
        self._delay = delay
        self._drawn = False

    def __call__(self, part: float) -> None:
        elapsed = time.monotonic() - self._start
        if elapsed < self._delay:
            return
        part = min(max(part, 0.0), 1.0)
        left = f", {elapsed / part - elapsed:.0f} s left" if part > 0.01 else ""
        filled = int(30 * part)
        sys.stderr.write(f"\r{self._title} [{'#' * filled}{'.' * (30 - filled)}] {100 * part:3.0f} %{left}   ")
        sys.stderr.flush()
        self._drawn = True

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\r" + " " * 79 + "\r")
            sys.stderr.flush()


def progress_function(progress: Any, title: str) -> tuple[Callable[[float], Any] | None, Callable[[], None]]:
    """What to call with the part that is done, and what to call at the end."""
    if callable(progress):
        return progress, lambda: None
    if progress is False or (progress is None and not (sys.stderr.isatty() or in_notebook())):
        return None, lambda: None
    bar = Bar(title, delay=0.0 if progress is True else 1.0)
    return bar, bar.close
