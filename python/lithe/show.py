"""Pages and tables in notebooks, terminals and browsers."""
from __future__ import annotations

import html
import math
import pathlib
import tempfile
import webbrowser
from typing import Any, Callable, Iterable, Mapping, Sequence


def in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return type(get_ipython()).__name__ == "ZMQInteractiveShell"


def frame(page: str, height: int = 620) -> str:
    """A page inside a page."""
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width:100%;height:{height}px;border:0" '
            'sandbox="allow-scripts allow-downloads"></iframe>')


def table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    def line(cells: Sequence[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    head = line(headings, "th") if any(headings) else ""
    return f"<table>{head}{''.join(line(row, 'td') for row in rows)}</table>"


_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_WIDTH, _HEIGHT, _LEFT, _BELOW = 620, 240, 80, 40  # of a picture, and of the place for its scales


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    width = (high - low) or 1.0
    return lambda value: start + (end - start) * (value - low) / width


def _picture(parts: list[str], x: tuple[str, str, str], y: tuple[str, str, str]) -> str:
    """With what stands at the ends and in the middle of both scales."""
    def text(left: float, top: float, anchor: str, words: str) -> str:
        return f'<text x="{left:.0f}" y="{top:.0f}" text-anchor="{anchor}">{html.escape(words)}</text>'

    bottom = _HEIGHT - _BELOW
    labels = [text(_LEFT, bottom + 16, "start", x[0]), text((_LEFT + _WIDTH) / 2, bottom + 30, "middle", x[1]),
              text(_WIDTH, bottom + 16, "end", x[2]), text(_LEFT - 6, bottom, "end", y[0]),
              text(_LEFT, 12, "start", y[1]), text(_LEFT - 6, 30, "end", y[2])]
    return (f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" font-size="12" font-family="sans-serif" '
            f'fill="currentColor">{"".join(parts + labels)}</svg>')


def curves(x: Any, columns: Mapping[str, Any], x_name: str, y_name: str, *, logarithmic: bool = False) -> str:
    """Curves over x as a small picture; a column may have several per x. Points without a value are left out."""
    lines = []
    for name, values in columns.items():
        rows = values.T if values.ndim == 2 else [values]
        for row in rows:
            pairs = [(float(a), math.log10(b) if logarithmic else float(b)) for a, b in zip(x, row)
                     if math.isfinite(b) and (b > 0 or not logarithmic)]
            lines.append((name, pairs[::max(1, len(pairs) // 1000)]))
    points = [pair for _, pairs in lines for pair in pairs]
    if not points:
        return ""
    (left, right), (low, high) = ((min(one), max(one)) for one in zip(*points))
    across, up = _scale(left, right, _LEFT, _WIDTH), _scale(low, high, _HEIGHT - _BELOW, 24)
    parts = []
    for number, (name, pairs) in enumerate(lines):
        path = " ".join(f"{across(a):.1f},{up(b):.1f}" for a, b in pairs)
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(f'<polyline fill="none" stroke="{colour}" points="{path}"><title>{html.escape(name)}</title>'
                     "</polyline>")
    ends = [f"{10 ** one if logarithmic else one:.4g}" for one in (low, high)]
    return _picture(parts, (f"{left:.4g}", x_name, f"{right:.4g}"), (ends[0], y_name, ends[1]))


def heat_map(grid: Any, name: str, x_name: str, y_name: str) -> str:
    """A map of numbers as a small picture, dark where they are large; white where there are none."""
    rows, columns = grid.shape
    finite = [float(value) for value in grid.ravel() if math.isfinite(value)]
    if not finite or rows * columns > 4096:
        return ""
    shade = _scale(min(finite), max(finite), 90, 25)
    width, height = (_WIDTH - _LEFT) / rows, (_HEIGHT - _BELOW - 24) / columns
    parts = [f'<rect x="{_LEFT + i * width:.1f}" y="{24 + (columns - 1 - k) * height:.1f}" width="{width:.2f}" '
             f'height="{height:.2f}" fill="hsl(210,70%,{shade(grid[i, k]):.0f}%)"><title>{grid[i, k]:.4g}</title></rect>'
             for i in range(rows) for k in range(columns) if math.isfinite(grid[i, k])]
    words = f"{name}: {min(finite):.4g} (light) to {max(finite):.4g} (dark)"
    return _picture(parts, ("", x_name, ""), ("", f"{y_name}; {words}", ""))


class PageInNotebook:
    def __init__(self, page: str) -> None:
        self._page = page

    def _repr_html_(self) -> str:
        return frame(self._page)


def show_page(page: str) -> Any:
    """In a notebook an object that shows the page; elsewhere the page opens in a browser, and its path is returned."""
    if in_notebook():
        return PageInNotebook(page)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lithe_"))
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    webbrowser.open(path.as_uri())
    return path
