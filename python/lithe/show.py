"""Pages and tables in notebooks, terminals and browsers."""
from __future__ import annotations

import html
import pathlib
import tempfile
import webbrowser
from typing import Any, Iterable, Sequence


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
