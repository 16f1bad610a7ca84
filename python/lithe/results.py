"""What the analyses give: arrays with names, units and pictures. Every result can be pickled."""
from __future__ import annotations

import json
import os
import pathlib
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from . import _core
from ._files import open_regular, write_whole
from ._numpy import np
from ._result import ChangeableResult, PagedResult, Result
from .errors import InputError
from .linear_results import Linearised, LinearModel, ReducedLinear, StateSpace, _modes_table
from .model import Model
from .saving import own_settings, plain_text, result_of
from .show import curves, frame, heat_map, table
from .signals import Cycles, Spectrum, rainflow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._result import Array

__all__ = ["Comparison", "Condensed", "ControlStudy", "Cycles", "Equilibrium", "Identified", "LinearModel",
           "Linearised", "Modes", "Motion", "Outcome", "ReducedLinear", "Result", "Sensitivity", "Settled",
           "SizedMotors", "Spectrum", "StateSpace", "Sweep", "load"]


class Motion(ChangeableResult):
    """A motion in time. `motion["tip"]` is what the sensor `tip` read: one number, or three, per time.

    time: (n,) s; names: columns, as "tip.x"; units: unit of each; coordinates, speeds: (n, x) of the equations.
    end: "finished", "failed", "cancelled" or "stopped"; message: how it ended; energy: balance in J; counters: steps
    and evaluations of the integrator; events: (name, time); warnings, notes: what to know about it.
    """

    end: str
    message: str
    formulation: str
    integrator: str
    warnings: list[str]
    notes: list[str]
    coordinate_names: list[str]
    counters: dict[str, int]
    energy: dict[str, float]
    events: list[tuple[str, float]]
    functions: list[str] = []  # controllers, drives and loads that were functions of the user

    def __init__(self, model: Model, settings: dict[str, Any], core: _core.CoreMotion, kind: str = "simulate") -> None:
        super().__init__(model, settings, core.facts)
        self.kind = kind
        self.core = core
        self.time: Array = core.time
        columns = core.columns
        self.names: list[str] = [name for name, _, _ in columns]
        self.units: dict[str, str] = {name: unit for name, unit, _ in columns}
        self._columns: dict[str, Array] = {name: values for name, _, values in columns}
        self._stacked: dict[str, Array] = {}

    @property
    def coordinates(self) -> Array:
        return self.core.coordinates

    @property
    def speeds(self) -> Array:
        return self.core.speeds

    @property
    def sensors(self) -> list[str]:
        """What `motion[...]` knows, besides single components: sensors, energies, outputs of controllers."""
        return list(dict.fromkeys(self._base(name) for name in self.names))

    def _base(self, name: str) -> str:
        base = name[:-2] if name[-2:] in (".x", ".y", ".z") else name
        return base if base != name and f"{base}.x" in self._columns else name

    def _parts(self, name: str) -> list[str]:
        return [f"{name}.{axis}" for axis in "xyz" if f"{name}.{axis}" in self._columns]

    def __getitem__(self, name: str) -> Array:
        if name in self._columns:
            return self._columns[name]
        parts = self._parts(name)
        if not parts:
            raise KeyError(f"the motion has no '{name}'; there are {', '.join(self.sensors)}")
        if name not in self._stacked:
            self._stacked[name] = np.stack([self._columns[part] for part in parts], axis=1)
        return self._stacked[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._columns or bool(self._parts(name)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.sensors)

    def __len__(self) -> int:
        return len(self.time)

    def unit(self, name: str) -> str:
        """Unit of a sensor or column."""
        self[name]
        return self.units[name] if name in self.units else self.units[self._parts(name)[0]]

    def __repr__(self) -> str:
        return f"<lithe.Motion of '{self.model.name}': {len(self.time)} times, {len(self.names)} columns, {self.message}>"

    # Other forms.

    def to_pandas(self) -> Any:
        """A DataFrame with one column per number, indexed by time; units in `attrs`."""
        import pandas

        data = pandas.DataFrame(dict(self._columns), index=pandas.Index(self.time, name="time"))
        data.attrs["units"] = dict(self.units)
        return data

    def to_xarray(self) -> Any:
        """A Dataset with one variable per sensor over time (and axis x, y, z)."""
        import xarray

        variables = {}
        for name in self.sensors:
            values = self[name]
            variables[name] = (("time", "axis") if values.ndim == 2 and values.shape[1] == 3 else ("time",),
                               values if values.ndim == 1 or values.shape[1] == 3 else values[:, 0],
                               {"units": self.unit(name)})
        return xarray.Dataset(variables, coords={"time": self.time, "axis": list("xyz")})

    def spectrum(self, sensor: str, **settings: Any) -> Spectrum:
        """Amplitude spectrum of a sensor: see `lithe.spectrum`."""
        from .analyses import spectrum

        return spectrum(self, sensor=sensor, **settings)

    def rainflow(self, sensor: str, *, min_range: float = 0.0, bins: int = 10) -> Cycles:
        """Cycles of a sensor for fatigue: see `lithe.rainflow`."""
        if self[sensor].ndim != 1:
            raise InputError(f"'{sensor}' has components: take '{sensor}.x'")
        return rainflow(self.time, self[sensor], min_range=min_range, bins=bins, sensor=sensor, unit=self.unit(sensor))

    # Pictures.

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Curves over time with matplotlib, one panel per name; all sensors by default. Returns the axes."""
        import matplotlib.pyplot as pyplot

        wanted = list(names) or self.sensors
        if axes is None:
            _, axes = pyplot.subplots(len(wanted), 1, sharex=True, squeeze=False, layout="constrained",
                                      figsize=(7, 1.2 + 1.8 * len(wanted)))
        panels = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
        for panel, name in zip(panels, wanted):
            values = self[name]
            labels = [part[-1] for part in self._parts(name)] if values.ndim == 2 else [""]
            for label, column in zip(labels, values.T if values.ndim == 2 else [values]):
                panel.plot(self.time, column, label=label)
            if values.ndim == 2:
                panel.legend()
            panel.set_ylabel(f"{name} [{self.unit(name)}]" if self.unit(name) else name)
            panel.grid(True, alpha=0.3)
        panels[-1].set_xlabel("time [s]")
        return panels if len(panels) > 1 else panels[0]

    def page(self) -> str:
        """The report page with 3-D view, curves and spectra: one HTML text that needs no server."""
        return _core.motion_page(self.core, self.model.text)

    def _what_if(self, wish: _core.WhatIfWish) -> str:
        if self.kind != "simulate":
            raise InputError("what if: of simulated motions alone")
        if self.functions:
            raise InputError(f"what if: the page cannot run functions of yours: {', '.join(self.functions)}")
        return _core.motion_what_if(self.core, self.model.core, self.settings, wish)

    def _repr_html_(self) -> str:
        rows = [(name, self.unit(name), f"{self[name].min():.4g}", f"{self[name].max():.4g}") for name in self.sensors]
        return f"<p>{self.message}</p>" + table(["sensor", "unit", "min", "max"], rows) + frame(self.page())

    # Files.

    def save(self, path: str | os.PathLike[str]) -> list[pathlib.Path]:
        """Writes `run.npz`, which `lithe.load` reads back whole; for `run.csv` or `run.h5` both of these; `run.glb`
        (glTF) or `run.pvd` and its frames (VTK) of the moving mechanism."""
        target = pathlib.Path(path)
        if target.suffix == ".glb":
            write_whole(target, lambda file: file.write(_core.motion_gltf(self.core, 1.0)))
            return [target]
        if target.suffix == ".pvd":
            return [pathlib.Path(name) for name in _core.motion_vtk(self.core, str(target.parent), target.stem)]
        if target.suffix in (".csv", ".h5"):
            written = _core.write_motion(self.core, str(target.parent), target.stem)
            return [pathlib.Path(name) for name in written]
        if target.suffix != ".npz":
            raise InputError(f"a motion is saved as .npz, .csv, .h5, .glb or .pvd, not as '{target.name}'")
        packed = self.core.pack()
        arrays: dict[str, Any] = {key: value for key, value in packed.items() if isinstance(value, np.ndarray)}
        texts = {key: value for key, value in packed.items() if key not in arrays}
        heading = {"lithe": _core.version, "kind": self.kind, "settings": self.settings, "packed": texts,
                   "functions": self.functions,
                   "model": self.model.__getstate__()}
        text = np.array(json.dumps(heading, default=plain_text))
        write_whole(target, lambda file: np.savez_compressed(file, heading=text, **arrays))
        return [target]

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "settings": self.settings, "kind": self.kind, "functions": self.functions,
                "packed": self.core.pack()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        core = _core.CoreMotion.unpack(state["model"].core, state["kind"], own_settings(state["settings"]), state["packed"])
        Motion.__init__(self, state["model"], state["settings"], core, state["kind"])
        self.functions = state["functions"]


def load(path: str | os.PathLike[str], *, outside_files: bool = False) -> Any:
    """A motion or another result that `save` has written as .npz. Raises InputError where it is damaged.

    Tables and meshes of its model are looked for beside the saved motion, whatever folder the model came from.
    outside_files: whether they are read where the model's own folder was, and outside of it, as in `read_model`.
    """
    try:
        with open_regular(path) as file:
            with zipfile.ZipFile(file) as archive:
                size = sum(member.file_size for member in archive.infolist())
            if size > _LARGEST_MOTION:
                raise InputError(f"{path}: the motion has {size >> 20} MB; at most {_LARGEST_MOTION >> 20} MB are read")
            file.seek(0)
            with np.load(file, allow_pickle=False) as arrays:
                heading = json.loads(str(arrays["heading"]))
                packed = {**heading.get("packed", {}), **{key: arrays[key] for key in arrays.files if key != "heading"}}
        if heading["kind"] not in ("simulate", "inverse_dynamics", "result"):
            raise ValueError(f"it is of the kind {heading['kind']}")
        settings = dict(heading["settings"])
        state = heading["model"]  # none where results are of no model
        model = _saved_model(pathlib.Path(path), dict(state), outside_files) if state else Model()
        if heading["kind"] == "result":
            return result_of(heading, packed, model, _classes())
        core = _core.CoreMotion.unpack(model.core, str(heading["kind"]), own_settings(settings), packed)
        motion = Motion(model, settings, core, str(heading["kind"]))
        motion.functions = [str(name) for name in heading.get("functions", [])]
        return motion
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path}: not a result that lithe has saved, or damaged: {error}") from error


def _saved_model(path: pathlib.Path, state: dict[str, Any], outside_files: bool) -> Model:
    """The folder that the file names may be anybody's: without consent the model's files are those beside the motion."""
    named = str(state["file"])
    file = named if outside_files else str(path.parent / (pathlib.PurePath(named).name or "model.toml"))
    model = Model.__new__(Model)
    model.__setstate__({"text": str(state["text"]), "file": file, "outside_files": outside_files})
    try:
        model.core
    except InputError as error:
        if file == named:
            raise
        hint = f"{path}: the model was '{named}'; its files are looked for beside the motion, and there with outside_files=True"
        raise InputError(f"{error}\n{hint}", error.errors) from error
    return model


_LARGEST_MOTION = 16 << 30  # bytes


def _classes() -> dict[str, Any]:
    from . import arm_results

    names = {**vars(arm_results), **globals()}
    return {name: names[name] for name in (*__all__, *arm_results.__all__) if name not in ("load", "Outcome")}


class Modes(ChangeableResult):
    """Natural modes. frequencies: (m,) Hz, ascending; num_rigid: how many of them are rigid motions.

    Of the mechanism: damping_ratios (m,); shapes (x, k) of the coordinates; translations, rotations: per link
    (3 nodes, k), world axes. Of one link: translations, rotations (3 nodes, m), link axes.
    """

    frequencies: Array
    num_rigid: int
    subject: str
    notes: list[str]

    def __repr__(self) -> str:
        elastic = self.frequencies[self.frequencies > 0][:5]
        return f"<lithe.Modes of {self.subject}: {', '.join(f'{f:.4g}' for f in elastic)} Hz ...>"

    def page(self) -> str:
        return _core.modes_page(self.model.core, self.settings, self.model.text)

    def _what_if(self, wish: _core.WhatIfWish) -> str:
        if not hasattr(self, "shapes"):
            raise InputError("what if: of the modes of the mechanism, not of a link")
        return _core.modes_what_if(self.model.core, self.settings, wish)

    def _repr_html_(self) -> str:
        return super()._repr_html_() + frame(self.page())

    def _caption(self) -> str:
        return self.subject

    def _table(self) -> dict[str, Any]:
        return _modes_table(self.frequencies, getattr(self, "damping_ratios", ()))


class Equilibrium(Result):
    """Static equilibrium. sensors: value of each, with `units`; joints: value and holding force of each; links:
    largest deflection (m) of each; coordinates (x,); stable: whether the stiffness there is positive definite."""

    converged: bool
    stable: bool
    residual: float
    message: str
    coordinates: Array
    holding_forces: Array
    sensors: dict[str, float]
    units: dict[str, str]
    joints: dict[str, dict[str, Any]]
    links: dict[str, dict[str, float]]
    warnings: list[str]
    notes: list[str]

    def __getitem__(self, name: str) -> Any:
        if name in self.sensors:
            return self.sensors[name]
        parts = [self.sensors[f"{name}.{axis}"] for axis in "xyz" if f"{name}.{axis}" in self.sensors]
        if not parts:
            raise KeyError(f"there is no sensor '{name}'; there are {', '.join(self.sensors)}")
        return np.array(parts)

    def _caption(self) -> str:
        return self.message

    def _table(self) -> dict[str, Any]:
        return {"sensor": list(self.sensors), "value": list(self.sensors.values()),
                "unit": [self.units[name] for name in self.sensors]}


class Sensitivity(Result):
    """dr = matrix dq: rows, columns: (name, unit) of node motions and rigid coordinates; the first `num_free` columns
    are free, the others are those that a drive prescribes. rates (columns,); convective (rows,): its change times the
    rates; positions (nodes, 3) m; nodes: their names."""

    matrix: Array
    rows: list[tuple[str, str]]
    columns: list[tuple[str, str]]
    num_free: int
    rates: Array
    convective: Array
    positions: Array
    nodes: list[str]

    def __getitem__(self, row: str) -> Array:
        """One row by its name, "arm:tip x"."""
        for index, (name, _) in enumerate(self.rows):
            if name == row:
                values: Array = self.matrix[index]
                return values
        raise KeyError(f"there is no '{row}'; there are {', '.join(name for name, _ in self.rows[:12])} ...")

    def _table(self) -> dict[str, Any]:
        return {"node motion": [f"{name} [{unit}]" for name, unit in self.rows],
                **{f"{name} [{unit}]": self.matrix[:, k] for k, (name, unit) in enumerate(self.columns)}}


class Settled(Result):
    """After a motion: points: name -> settling_time (s; inf: not within the time simulated), residual (m), last (m),
    frequency (Hz), rest (3,) m; move_end (s); motion."""

    points: dict[str, dict[str, Any]]
    move_end: float
    motion: Motion

    def _table(self) -> dict[str, Any]:
        keys = {"settles in [s]": "settling_time", "residual [m]": "residual", "vibrates at [Hz]": "frequency"}
        return {"point": list(self.points),
                **{heading: [point[key] for point in self.points.values()] for heading, key in keys.items()}}


class SizedMotors(Result):
    """drives: joint -> peak_torque, rms_torque (N m at the motor), peak_speed (rad/s), peak_power, mean_power (W),
    gear_peak, gear_mean (at the output), braking_energy (J), heat (W), and `limits`, most used first: name, unit,
    value, limit, used, time. end_time: s, of the cycle; motion: force, speed and acceleration of every joint."""

    drives: dict[str, dict[str, Any]]
    end_time: float
    motion: Motion

    def _table(self) -> dict[str, Any]:
        keys = {"peak torque [N m]": "peak_torque", "RMS torque [N m]": "rms_torque", "peak speed [rad/s]": "peak_speed"}
        used = [drive["limits"][0] if drive["limits"] else None for drive in self.drives.values()]
        return {"joint": list(self.drives),
                **{heading: [drive[key] for drive in self.drives.values()] for heading, key in keys.items()},
                "most used limit": [f"{one['name']}: {100 * one['used']:.0f} %" if one else "" for one in used]}


class Identified(Result):
    """numbers: path -> start, value, standard_error, interval, determined, at_bound (SI); correlation of their errors;
    curves: name, unit, at, measured, before, after, rms_before, rms_after; undetermined: combinations that the data do
    not determine; text: the model file with the fitted numbers; converged; degrees_of_freedom; notes."""

    numbers: dict[str, dict[str, Any]]
    correlation: Array
    degrees_of_freedom: int
    curves: list[dict[str, Any]]
    undetermined: list[str]
    notes: list[str]
    text: str
    converged: bool

    def _table(self) -> dict[str, Any]:
        rows = self.numbers.values()
        return {"number": list(self.numbers), "in the file": [row["start"] for row in rows],
                "fitted": [row["value"] for row in rows], "from": [row["interval"][0] for row in rows],
                "to": [row["interval"][1] for row in rows]}


class Outcome(NamedTuple):
    """One of `run_all`: the name of the analysis in the file (or ""), its kind, its result, and why there is none."""

    name: str
    kind: str
    result: Any
    failure: str


class Condensed(Result):
    """Mass and stiffness (6 nodes, 6 nodes) of a few nodes ("link:node"); frequencies (Hz); tool: 6 x 6 stiffness,
    mass, compliance, and sag under gravity, loads and imposed displacements (6, 3), or None."""

    ok: bool
    message: str
    nodes: list[str]
    positions: Array
    stiffness: Array
    mass: Array
    frequencies: Array
    shapes: Array
    full_frequencies: Array
    tool: dict[str, Any] | None
    notes: list[str]

    def _caption(self) -> str:
        parts = [f"{len(self.nodes)} nodes: {', '.join(self.nodes)}"]
        if self.tool is not None:
            stiffness = ", ".join(f"{one:.4g}" for one in self.tool["locked_stiffness"][:3])
            parts.append(f"stiffness of the tool along x, y, z: {stiffness} N/m")
        return "; ".join(parts)

    def _table(self) -> dict[str, Any]:
        return _modes_table(self.frequencies, ())


class Comparison(PagedResult):
    """The same motion in several formulations. runs: name -> Motion, the first is the reference; seconds: computing
    time of each; differences: run -> list of (sensor, unit, largest, final, mean_square ...)."""

    runs: dict[str, Motion]
    seconds: dict[str, float]
    differences: dict[str, list[dict[str, Any]]]
    finished: bool

    def page(self) -> str:
        """The page with the runs over each other, their differences, and the first one in 3-D."""
        return _core.comparison_page([(name, run.core, self.seconds[name]) for name, run in self.runs.items()],
                                     self.model.text)

    def _table(self) -> dict[str, Any]:
        rows = [(run, one) for run, of_run in self.differences.items() for one in of_run]
        return {"run": [run for run, _ in rows],
                **{key.replace("_", " "): [one[key] for _, one in rows]
                   for key in ("sensor", "unit", "largest", "final", "mean_square")}}

    def largest(self, unit: str = "") -> float:
        """The largest difference of all sensors with this unit; of all sensors when empty."""
        found = [one["largest"] for of_run in self.differences.values() for one in of_run
                 if not unit or one["unit"] == unit]
        return float(max(found, default=0.0))


class ControlStudy(PagedResult):
    """The same move with each controller: runs: name -> settling_time (s), residual, peak_deflection, peak_effort,
    payloads, decays (1/s) and `motion`; failures: controllers that could not be designed."""

    runs: dict[str, dict[str, Any]]
    failures: dict[str, str]
    equal_settling: float

    def page(self) -> str:
        """The page with the moves over each other, the figures of each, and the first one in 3-D."""
        if not self.runs:
            raise InputError("no controller could be designed: there is nothing to show")
        columns = self._table()
        figures = ("the move with each controller", list(columns), [list(row) for row in zip(*columns.values())])
        return _core.control_page([(name, run["motion"].core) for name, run in self.runs.items()], figures,
                                  self.model.text)

    def _table(self) -> dict[str, Any]:
        rows = self.runs.values()
        return {"controller": list(self.runs), "settling time [s]": [row["settling_time"] for row in rows],
                "residual [m]": [row["residual"] for row in rows], "peak effort": [row["peak_effort"] for row in rows]}


class Sweep(ChangeableResult):
    """An analysis over a grid. axes: name -> values (SI); `sweep["frequency_1"]`: an array over the grid, NaN where a
    point has no answer; status: 0 ok, 1 unreachable, 2 unconstrained, 3 failed, -1 not computed; reasons: why."""

    axes: dict[str, Array]
    units: dict[str, str]
    columns: list[str]
    values: Array
    status: NDArray[np.int64]
    reasons: list[str]

    kind: str = "sweep"

    @staticmethod
    def of(model: Model, settings: dict[str, Any], found: dict[str, Any], kind: str = "sweep") -> Sweep:
        """From what the engine gives."""
        units = {name: unit for name, unit in found["columns"]}
        units.update({name: unit for name, unit, _ in found["axes"]})
        return Sweep(model, settings, {
            "axes": {name: numbers for name, _, numbers in found["axes"]}, "units": units,
            "columns": [name for name, _ in found["columns"]], "values": found["values"], "status": found["status"],
            "reasons": found["reasons"], "kind": kind})

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(values) for values in self.axes.values())

    @property
    def finished(self) -> bool:
        return bool((self.status >= 0).all())

    def __getitem__(self, column: str) -> Array:
        if column not in self.columns:
            raise KeyError(f"the sweep has no column '{column}'; there are {', '.join(self.columns)}")
        return self.values[:, self.columns.index(column)].reshape(self.shape)

    def page(self) -> str:
        """The page with maps over the first two axes; the mechanism stands beside the point that is selected."""
        page_of = _core.sweep_page if self.kind == "sweep" else _core.settle_map_page
        state = self.model.__getstate__()
        return page_of(state["text"], state["file"], state["outside_files"], self.settings, self.values)

    def _what_if(self, wish: _core.WhatIfWish) -> str:
        if self.kind != "sweep":
            raise InputError("what if: of sweeps, not of maps of settling")
        return _core.sweep_what_if(self.settings, self.values, wish)

    def _heading(self, name: str) -> str:
        return f"{name} [{self.units[name]}]" if self.units.get(name) else name

    def _caption(self) -> str:
        counts = [(int((self.status == value).sum()), word) for value, word in
                  ((0, "computed"), (1, "unreachable"), (2, "unconstrained"), (3, "failed"), (-1, "not computed"))]
        shape = " x ".join(str(one) for one in self.shape)
        return f"{shape} points: " + ", ".join(f"{count} {word}" for count, word in counts if count)

    def _table(self) -> dict[str, Any]:
        grids = np.meshgrid(*self.axes.values(), indexing="ij") if self.axes else []
        return {**{self._heading(name): grid.ravel() for name, grid in zip(self.axes, grids)},
                **{self._heading(name): self.values[:, k] for k, name in enumerate(self.columns)},
                "status": self.status}

    def _drawn(self) -> str:
        if not self.columns or not 1 <= len(self.shape) <= 2 or max(self.shape) < 2:
            return ""
        name, axis = next(iter(self.axes.items()))
        first = next((one for one in self.columns if np.isfinite(self[one]).any()), self.columns[0])
        if len(self.shape) == 1:
            return curves(axis, {first: self[first]}, self._heading(name), self._heading(first))
        return heat_map(self[first], self._heading(first), *(self._heading(one) for one in self.axes))

    def to_pandas(self) -> Any:
        """A DataFrame with one row per point of the grid."""
        import pandas

        index = pandas.MultiIndex.from_product(list(self.axes.values()), names=list(self.axes))
        data = pandas.DataFrame(self.values, columns=self.columns, index=index)
        data["status"] = self.status
        return data

    def to_xarray(self) -> Any:
        """A Dataset over the grid, with one variable per column and the status; units are attributes."""
        import xarray

        names = list(self.axes)
        coordinates = {name: (name, values, {"units": self.units.get(name, "")}) for name, values in self.axes.items()}
        columns = {name: (names, self[name], {"units": self.units.get(name, "")}) for name in self.columns}
        return xarray.Dataset({**columns, "status": (names, self.status.reshape(self.shape))}, coords=coordinates)

    def plot(self, column: str, axes: Any = None) -> Any:
        """A curve over one axis, or a map over the first two, with matplotlib."""
        import matplotlib.pyplot as pyplot

        if axes is None:
            _, axes = pyplot.subplots(layout="constrained")
        names, grid = list(self.axes), self[column]
        label = f"{column} [{self.units[column]}]" if self.units[column] else column
        if grid.ndim == 1:
            axes.plot(self.axes[names[0]], grid, marker=".")
            axes.set_ylabel(label)
        else:
            flat = grid[(slice(None), slice(None)) + (0,) * (grid.ndim - 2)]
            drawn = axes.pcolormesh(self.axes[names[0]], self.axes[names[1]], flat.T, shading="nearest")
            axes.figure.colorbar(drawn, ax=axes, label=label)
            axes.set_ylabel(names[1])
        axes.set_xlabel(names[0])
        return axes
