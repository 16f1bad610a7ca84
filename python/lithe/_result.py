"""What all results share: attributes, tables, files."""
from __future__ import annotations

import csv
import io
import os
import pathlib
from typing import TYPE_CHECKING, Any, Sequence

from . import _core
from ._files import write_whole
from .errors import InputError
from .examples import find_playground
from .model import Model
from .show import show_page, table

if TYPE_CHECKING:
    from ._numpy import np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    ComplexArray = NDArray[np.complex128]


def _cell(value: Any) -> Any:
    """Nothing where a number is missing."""
    return ("" if value != value else f"{value:.6g}") if isinstance(value, float) else value


class Tabular:
    """A result that is a table, too: in notebooks, as a frame of pandas, as a file."""

    def _table(self) -> dict[str, Any]:
        """Columns by their heading, "frequency [Hz]"."""
        return {}

    def _caption(self) -> str:
        return ""

    def _drawn(self) -> str:
        """A picture, as HTML."""
        return ""

    def _repr_html_(self) -> str:
        most = 50
        columns = self._table()
        rows = list(zip(*columns.values()))
        more = f"<p>{len(rows) - most} rows more</p>" if len(rows) > most else ""
        shown = [[_cell(value) for value in row] for row in rows[:most]]
        caption = f"<p>{self._caption()}</p>" if self._caption() else ""
        return caption + self._drawn() + (table(list(columns), shown) if columns else "") + more

    def __repr__(self) -> str:
        caption = self._caption()
        return f"<lithe.{type(self).__name__}{': ' if caption else ''}{caption}>"

    def __str__(self) -> str:
        """The table, for print()."""
        columns, most = self._table(), 50
        if not columns:
            return repr(self)
        rows = list(zip(*columns.values()))
        cells = [list(columns), *([str(_cell(value)) for value in row] for row in rows[:most])]
        widths = [max(len(row[k]) for row in cells) for k in range(len(columns))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells]
        return "\n".join([repr(self), *lines, *([f"{len(rows) - most} rows more"] if len(rows) > most else [])])

    def to_pandas(self) -> Any:
        """The table as a DataFrame; units stand in its headings."""
        import pandas

        return pandas.DataFrame({name: list(column) for name, column in self._table().items()})

    def save(self, path: str | os.PathLike[str]) -> list[pathlib.Path]:
        """Writes `result.npz`, which `lithe.load` reads back whole, or the table as `result.csv`."""
        from .saving import save_result

        target = pathlib.Path(path)
        if target.suffix == ".npz":
            save_result(self, target)
        elif target.suffix == ".csv" and self._table():
            text = io.StringIO()
            lines = csv.writer(text, lineterminator="\n")
            lines.writerow(self._table())
            lines.writerows(zip(*self._table().values()))
            write_whole(target, lambda file: file.write(text.getvalue().encode("utf-8")))
        else:
            kinds = ".npz or .csv" if self._table() else ".npz"
            raise InputError(f"this result is saved as {kinds}, not as '{target.name}'")
        return [target]


class Result(Tabular):
    """Attributes are arrays in SI units; their shapes stand in the docstring of each class."""

    model: Model
    settings: dict[str, Any]  # keyword arguments of the analysis
    reduction: dict[str, Any] | None = None
    """Of links with `reduction = "auto"`: internal_modes kept and available, also of each of `links`; estimated_error
    relative to the range of the `worst` reading, beside the tolerance; good_up_to (Hz); tried: (modes, error) of each
    trial. None: nothing was left to choose."""

    def __init__(self, model: Model, settings: dict[str, Any], values: dict[str, Any]) -> None:
        self.model = model
        self.settings = settings
        self.__dict__.update(values)

    def __repr__(self) -> str:
        caption = self._caption()
        return f"<lithe.{type(self).__name__} of '{self.model.name}'{': ' if caption else ''}{caption}>"

    def frozen(self) -> Model:
        """The model with the numbers of modes that were chosen here in place of `reduction = "auto"`."""
        if self.reduction is None:
            raise InputError("no link of the model has reduction = \"auto\": nothing was chosen")
        links = [(one["index"], name, one["internal_modes"], one["internal_modes"] == one["available"])
                 for name, one in self.reduction["links"].items()]
        text = _core.frozen_reduction(self.model.text, self.model.file, links)
        return Model(text, file=self.model.file, outside_files=self.model.outside_files)


class PagedResult(Result):
    """A result with a page of its own."""

    def page(self) -> str:
        """The report page: one HTML text that needs no server."""
        raise NotImplementedError

    def show(self) -> Any:
        """The page: in the notebook, or in a browser."""
        return show_page(self.page())


class ChangeableResult(PagedResult):
    """A result whose page may compute it again with other numbers."""

    def _what_if(self, wish: _core.WhatIfWish) -> str:
        raise NotImplementedError

    def what_if(self, path: str | os.PathLike[str], sliders: Sequence[str] = (), *,
                playground: str | os.PathLike[str] | None = None) -> pathlib.Path:
        """Writes a page whose readers change numbers of the model and compute again, beside this result.

        sliders: numbers that have one from the start, "sections.tube.diameter"; default: the page chooses. playground:
        the page of `make playground`, which it is made of; default: the one beside the program `lithe`."""
        state = self.model.__getstate__()
        wish = _core.WhatIfWish(state["text"], state["file"], state["outside_files"],
                                str(playground if playground is not None else find_playground()), list(sliders))
        target, page = pathlib.Path(path), self._what_if(wish)
        write_whole(target, lambda file: file.write(page.encode("utf-8")))
        return target
