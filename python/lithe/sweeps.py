"""An analysis over a grid: on all cores, on a cluster through Dask, or on any executor of concurrent.futures.

A point depends on nothing but the model and its own values, so that the numbers are the same whoever computes them.
"""
from __future__ import annotations

import contextlib
import os
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Callable, Generator, Iterator, Mapping, Sequence

from . import _core
from ._numpy import np
from .analyses import _documented, _Run
from .errors import InputError, Interrupted, warn
from .model import Model
from .progress import progress_function
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


def _points(kind: str, state: dict[str, Any], settings: dict[str, Any], points: Sequence[int],
            part: str) -> dict[str, Any]:
    """Some points of the grid: what a worker computes."""
    hooks = _core.Hooks()
    found = getattr(_core, kind)(state["text"], state["file"], state["outside_files"], {**settings, "threads": 1},
                                 list(points), part, None, hooks)
    error = hooks.take_error()
    if error is not None:
        raise error
    return {key: found[key] for key in ("values", "status", "reasons")}


def _same(state: dict[str, Any]) -> dict[str, Any]:
    """The model as a task: Dask makes it again where every worker that had it is lost."""
    return state


class _Whole:
    """The progress of a sweep that is made in parts."""

    def __init__(self, report: Callable[[float], Any] | None) -> None:
        self.report = report
        self.done = self.size = 0  # points before the part that is computed now, and in it
        self.total = 1

    def __call__(self, part: float) -> None:
        if self.report is not None:
            self.report((self.done + part * self.size) / max(1, self.total))

    def add(self, points: int) -> None:
        self.done, self.size = self.done + points, 0
        self(0.0)


class _PartFile:
    """The points that are done, each at its place with its checksum, as they come: the file of the command line, which
    tells its own sweep from others. A killed sweep goes on from there."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = path
        self.core: _core.PointsFile | None = None

    def open(self, kind: str, state: dict[str, Any], settings: dict[str, Any], hooks: _core.Hooks) -> None:
        """For this process alone."""
        if self.path is None:
            return
        opened = _core.sweep_file if kind == "sweep" else _core.settle_map_file
        try:
            self.core = opened(state["text"], state["file"], state["outside_files"], settings, str(self.path), hooks)
        except OSError as error:
            raise InputError(f"points cannot be kept: {str(error).partition('; choose')[0]}") from error
        except InputError as error:
            text, remedy, _ = str(error).partition("; --fresh")
            raise InputError(text + ("; remove the file, or choose another one" if remedy else ""), error.errors) from None

    def close(self) -> None:
        self.core = None

    def points(self) -> list[tuple[int, int, str, Any]]:
        """Those of the file that are whole."""
        return self.core.points() if self.core is not None else []

    def add(self, points: Sequence[int], found: dict[str, Any]) -> None:
        """A disk that is full ends the keeping and not the sweep."""
        if self.core is None:
            return
        try:
            for index, status, reason, values in zip(points, found["status"], found["reasons"], found["values"]):
                if status >= 0:
                    self.core.put(int(index), int(status), reason, values.tolist())
        except OSError as error:
            self.heed(str(error))

    def heed(self, failure: str) -> None:
        if failure:
            warn(f"{self.path}: points are not kept any more: {failure}")
            self.close()


def _chunks(points: Sequence[int], size: int) -> list[list[int]]:
    return [list(points[start:start + size]) for start in range(0, len(points), size)]


def _on_executor(executor: Any, kind: str, state: dict[str, Any], settings: dict[str, Any], chunks: list[list[int]],
                 part: str) -> Generator[tuple[list[int], dict[str, Any]], None, None]:
    """The chunks as they are done. Who stops asking ends those that nobody has begun."""
    if isinstance(executor, Executor):
        from concurrent.futures import as_completed

        waiting: dict[Any, list[int]] = {}
        try:
            for chunk in chunks:
                waiting[executor.submit(_points, kind, state, settings, chunk, part)] = chunk
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        finally:
            for future in waiting:
                future.cancel()
        return
    from dask.distributed import as_completed as dask_completed

    # Every sweep has keys of its own: a key that another sweep shares would give that one's model.
    model = executor.submit(_same, state, pure=False)
    futures = [executor.submit(_points, kind, model, settings, chunk, part, pure=False, retries=3) for chunk in chunks]
    places = {future.key: chunk for future, chunk in zip(futures, chunks)}
    try:
        for future, result in dask_completed(futures, with_results=True):
            yield places[future.key], result
    finally:
        left = [future for future in futures if not future.done()]
        if left:
            executor.cancel(left)


class _Found:
    """Values, status and reasons of all points."""

    def __init__(self, grid: dict[str, Any]) -> None:
        count, width = grid["num_points"], len(grid["columns"])
        self.maps = grid.pop("maps")
        self.grid = grid
        self.count, self.width = count, width
        self.values = np.full((count, width), np.nan)
        self.status = np.full(count, -1, dtype=np.int64)
        self.reasons = [""] * count

    def take(self, points: Sequence[int], found: dict[str, Any]) -> None:
        self.values[points] = found["values"]
        self.status[points] = found["status"]
        for index, reason in zip(points, found["reasons"]):
            self.reasons[index] = reason

    def left(self) -> list[int]:
        return [int(index) for index in np.flatnonzero(self.status < 0)]

    def left_in_maps(self, size: int) -> list[list[int]]:
        """Those that rows do not reach, about `size` in a chunk. They are reached from each other within a map of equal
        parameters: each map is in one chunk."""
        maps: dict[int, list[int]] = {}
        for index in self.left():
            maps.setdefault(int(self.maps[index]), []).append(index)
        chunks: list[list[int]] = []
        for points in maps.values():
            if chunks and len(chunks[-1]) + len(points) <= size:
                chunks[-1].extend(points)
            else:
                chunks.append(points)
        return chunks

    def result(self, model: Model, given: dict[str, Any], kind: str) -> Sweep:
        return Sweep.of(model, given, {**self.grid, "values": self.values, "status": self.status,
                                       "reasons": self.reasons}, kind)


@contextlib.contextmanager
def _keeping(result: Callable[[], Sweep]) -> Iterator[None]:
    """What ends a sweep early has the points that are done as its `result`."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(result()) from None
    except Exception as error:
        with contextlib.suppress(AttributeError):
            error.result = result()  # type: ignore[attr-defined]
        raise


def _swept(kind: str, model: Model, given: dict[str, Any], client: Any, file: Any, chunk: int, progress: Any) -> Sweep:
    state = model.__getstate__()
    grid_of = getattr(_core, kind)
    report, close = progress_function(progress, kind.replace("_", " "))
    whole = _Whole(report)
    run = _Run(kind, whole)
    part = _PartFile(file)
    with contextlib.ExitStack() as closing:
        closing.callback(close)
        hooks = closing.enter_context(run)
        part.open(kind, state, given, hooks)
        closing.callback(part.close)
        found = _Found(grid_of(state["text"], state["file"], state["outside_files"], given, [], "grid", None, hooks))
        for index, status, reason, numbers in part.points():
            found.values[index], found.status[index], found.reasons[index] = numbers, status, reason
        left = found.left()
        whole.total = found.count
        whole.add(found.count - len(left))

        def take(points: Sequence[int], answer: dict[str, Any]) -> None:
            found.take(points, answer)
            whole.add(int((answer["status"] >= 0).sum()))

        def here(chunks: list[list[int]], which: str) -> None:
            for points in chunks:
                if hooks.stopped:
                    return
                whole.size = len(points)
                answer = grid_of(state["text"], state["file"], state["outside_files"], given, points, which, part.core,
                                 hooks)
                part.heed(answer["not_kept"])
                if hooks.stopped:  # perhaps by the function that shows progress
                    whole.report = None
                take(points, answer)

        def elsewhere(chunks: list[list[int]], which: str) -> None:
            if not chunks:
                return
            with contextlib.closing(_on_executor(client, kind, state, given, chunks, which)) as answers:
                for points, answer in answers:
                    part.add(points, answer)
                    take(points, answer)

        compute = here if client is None else elsewhere
        with _keeping(lambda: found.result(model, given, kind)):
            if client is None and file is None:
                compute([left] if left else [], "all")
            else:
                size = max(1, len(left)) if client is None else chunk or _chunk_size(client, left)
                compute(_chunks(left, size), "rows")
                compute([] if hooks.stopped else found.left_in_maps(len(left) if client is None else size), "all")
    result = found.result(model, given, kind)
    run.raise_error(result)
    return result


@_documented
def sweep(model: Model, axes: Any = (), analysis: str = "condense", *, client: Any = None, file: Any = None,
          chunk: int = 0, progress: Any = None, **settings: Unpack[S.SweepSettings]) -> Sweep:
    """An analysis over a grid of tool positions, joint values or numbers of the model file.

    axes: {"joint.elbow": [0, 0.5], "tool.x": "-0.1 : 0.1 : 21", "sections.tube.diameter": [...]}, SI or with units.
    client: a dask.distributed.Client or an executor of concurrent.futures; default: the threads of this process.
    file: where points are kept as they come; the same sweep goes on from it after an interruption, also one of the
    command line from its `sweep.part`, and the other way round.
    chunk: points per task of a client; 0: about 16 tasks per worker.
    progress: a function of the part that is done; True or False for the progress bar.
    Ctrl-C raises Interrupted, with the points until then as its `result`; a client's waiting tasks are cancelled."""
    return _swept("sweep", model, {**settings, "axes": _axis_texts(axes), "analysis": analysis}, client, file, chunk,
                  progress)


@_documented
def settle_map(model: Model, axes: Any = (), *, client: Any = None, file: Any = None, chunk: int = 0,
               progress: Any = None, **settings: Unpack[S.SettleMapSettings]) -> Sweep:
    """How long the tool swings over the workspace: the model's motions, each ending at another point of a grid.

    Columns: settling_time (s), residual, last (m), frequency (Hz), as of `settle`. axes: where the motions end, as of
    `sweep`; so are client, file, chunk and progress."""
    return _swept("settle_map", model, {**settings, "axes": _axis_texts(axes)}, client, file, chunk, progress)


def _chunk_size(client: Any, left: Sequence[int]) -> int:
    workers = getattr(client, "_max_workers", None) or max(1, len(getattr(client, "nthreads", dict)() or [1]))
    return max(1, len(left) // (16 * workers))
