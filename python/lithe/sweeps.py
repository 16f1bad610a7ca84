"""An analysis over a grid: on all cores, on a cluster through Dask, or on any executor of concurrent.futures.

A point depends on nothing but the model and its own values, so that the numbers are the same whoever computes them.
"""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

import numpy as np

from . import _core
from .analyses import _documented, _Run
from .errors import InputError
from .model import Model
from .results import Sweep

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _settings as S


def _axis_text(name: str, values: Any) -> str:
    if isinstance(values, str):
        return f"{name} = {values}"
    return f"{name} = {', '.join(one if isinstance(one, str) else repr(float(one)) for one in values)}"


def _axis_texts(axes: Any) -> list[str]:
    """{"joint.elbow": [0, 0.5]} or {"tool.x": "-0.1 : 0.1 : 21"}, or texts as on the command line."""
    if isinstance(axes, Mapping):
        return [_axis_text(name, values) for name, values in axes.items()]
    return [axes] if isinstance(axes, str) else list(axes)


def _points(state: dict[str, Any], settings: dict[str, Any], points: Sequence[int]) -> dict[str, Any]:
    """Some points of the grid: what a worker computes."""
    found = _core.sweep(state["text"], state["file"], state["outside_files"], {**settings, "threads": 1}, list(points),
                        False, _core.Hooks())
    return {key: found[key] for key in ("values", "status", "reasons")}


class _PartFile:
    """The points that are done, one line each, appended as they come: a killed sweep goes on from there."""

    def __init__(self, path: str | os.PathLike[str] | None, model: Model, settings: dict[str, Any]) -> None:
        self.path = pathlib.Path(path) if path is not None else None
        own = {key: value for key, value in settings.items() if key != "threads"}
        text = json.dumps([_core.version, model.text, own], sort_keys=True, default=str)
        self.signature = hashlib.sha256(text.encode()).hexdigest()

    def read(self) -> Iterator[tuple[int, int, str, list[float]]]:
        if self.path is None or not self.path.exists():
            return
        lines = self.path.read_text(encoding="utf-8").split("\n")
        if lines[0] != self.signature:
            raise InputError(f"{self.path} has points of another sweep; remove it, or choose another file")
        for line in lines[1:-1]:  # the last one ends with a newline, or was cut off
            index, status, reason, values = json.loads(line)
            yield index, status, reason, [float.fromhex(value) for value in values]

    def begin(self) -> None:
        if self.path is None:
            return
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else f"{self.signature}\n"
        self.path.write_text(text[:text.rfind("\n") + 1], encoding="utf-8")

    def add(self, points: Sequence[int], found: dict[str, Any]) -> None:
        if self.path is None:
            return
        lines = [json.dumps([index, int(status), reason, [float(value).hex() for value in values]]) + "\n"
                 for index, status, reason, values in zip(points, found["status"], found["reasons"], found["values"])
                 if status >= 0]
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(lines))
            file.flush()
            os.fsync(file.fileno())


def _chunks(points: Sequence[int], size: int) -> list[list[int]]:
    return [list(points[start:start + size]) for start in range(0, len(points), size)]


def _on_executor(executor: Any, state: dict[str, Any], settings: dict[str, Any],
                 chunks: list[list[int]]) -> Iterator[tuple[list[int], dict[str, Any]]]:
    if isinstance(executor, Executor):
        from concurrent.futures import as_completed

        waiting = {executor.submit(_points, state, settings, chunk): chunk for chunk in chunks}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
        return
    from dask.distributed import as_completed as dask_completed

    model = executor.scatter(state, broadcast=True)
    futures = [executor.submit(_points, model, settings, chunk, pure=False, retries=3) for chunk in chunks]
    places = {future.key: chunk for future, chunk in zip(futures, chunks)}
    for future, result in dask_completed(futures, with_results=True):
        yield places[future.key], result


@_documented
def sweep(model: Model, axes: Any = (), analysis: str = "condense", *, client: Any = None, file: Any = None,
          chunk: int = 0, progress: Any = None, **settings: Unpack[S.SweepSettings]) -> Sweep:
    """An analysis over a grid of tool positions, joint values or numbers of the model file.

    axes: {"joint.elbow": [0, 0.5], "tool.x": "-0.1 : 0.1 : 21", "sections.tube.diameter": [...]}, SI or with units.
    client: a dask.distributed.Client or an executor of concurrent.futures; default: the threads of this process.
    file: where points are kept as they come; the same sweep goes on from it after an interruption.
    chunk: points per task of a client; 0: about 16 tasks per worker."""
    given: dict[str, Any] = {**settings, "axes": _axis_texts(axes), "analysis": analysis}
    state = model.__getstate__()
    run = _Run("sweep", progress)
    part = _PartFile(file, model, given)
    with run as hooks:
        grid = _core.sweep(state["text"], state["file"], state["outside_files"], given, [], True, hooks)
        count, columns = grid["num_points"], [name for name, _ in grid["columns"]]
        values = np.full((count, len(columns)), np.nan)
        status = np.full(count, -1, dtype=np.int64)
        reasons = [""] * count

        def take(points: Sequence[int], found: dict[str, Any]) -> None:
            values[points] = found["values"]
            status[points] = found["status"]
            for index, reason in zip(points, found["reasons"]):
                reasons[index] = reason

        for index, state_of, reason, numbers in part.read():
            values[index], status[index], reasons[index] = numbers, state_of, reason
        part.begin()
        left = [int(index) for index in np.flatnonzero(status < 0)]
        if client is None:
            size = len(left) if file is None else max(1, min(len(left), 256))
            for points in _chunks(left, max(1, size)):
                found = _core.sweep(state["text"], state["file"], state["outside_files"], given, points, False, hooks)
                take(points, found)
                part.add(points, found)
                if hooks.stopped:
                    break
        elif left:
            for points, found in _on_executor(client, state, given, _chunks(left, chunk or _chunk_size(client, left))):
                take(points, found)
                part.add(points, found)
    found_axes = {name: numbers for name, _, numbers in grid["axes"]}
    units = {name: unit for name, unit in grid["columns"]}
    units.update({name: unit for name, unit, _ in grid["axes"]})
    result = Sweep(model, given, {"axes": found_axes, "units": units, "columns": columns, "values": values,
                                  "status": status, "reasons": reasons})
    run.raise_error(result)
    return result


def _chunk_size(client: Any, left: Sequence[int]) -> int:
    workers = getattr(client, "_max_workers", None) or max(1, len(getattr(client, "nthreads", dict)() or [1]))
    return max(1, len(left) // (16 * workers))
