"""Linear models as results."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence

from . import _core
from ._numpy import np
from ._result import ChangeableResult, Result, Tabular
from .errors import InputError
from .model import Model
from .show import curves

if TYPE_CHECKING:
    from ._result import Array, ComplexArray


def _modes_table(frequencies: Any, damping_ratios: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {"mode": range(1, len(frequencies) + 1), "frequency [Hz]": frequencies}
    if len(damping_ratios) == len(frequencies):
        columns["damping ratio"] = damping_ratios
    return columns


class StateSpace:
    """dx/dt = a x + b u (or the next x, where sample_time > 0), y = c x + d u. inputs, outputs, states: (name, unit)."""

    a: Array
    b: Array
    c: Array
    d: Array
    inputs: list[tuple[str, str]]
    outputs: list[tuple[str, str]]
    states: list[tuple[str, str]]
    sample_time: float = 0.0

    def to_scipy(self) -> Any:
        """The system for scipy.signal: a StateSpace, without the names of its signals."""
        from scipy.signal import StateSpace as Scipys

        return Scipys(self.a, self.b, self.c, self.d, **({"dt": self.sample_time} if self.sample_time else {}))

    def to_c(self, name: str = "system") -> str:
        """The matrices as a C header; `name` begins its identifiers."""
        matrices = {key: np.ascontiguousarray(getattr(self, key)) for key in "abcd"}
        signals = {key: [tuple(one) for one in getattr(self, key)] for key in ("states", "inputs", "outputs")}
        return _core.c_header({**matrices, **signals, "sample_time": float(self.sample_time)}, name)

    def to_control(self) -> Any:
        """StateSpace of python-control, with the names of inputs and outputs."""
        import control

        def names(signals: Sequence[tuple[str, str]]) -> list[str]:
            return [name.replace(".", "_") for name, _ in signals]

        return control.ss(self.a, self.b, self.c, self.d, *([self.sample_time] if self.sample_time else []),
                          inputs=names(self.inputs), outputs=names(self.outputs))

    def __repr__(self) -> str:
        return (f"<lithe.{type(self).__name__}: {len(self.a)} states, {self.b.shape[1]} inputs, "
                f"{self.c.shape[0]} outputs>")


class LinearModel(StateSpace, Tabular):
    """dx/dt = a x + b u, y = c x + d u about a state; x: deviations of coordinates, then of their speeds.

    mass, damping, stiffness (n, n), input (n, m): the same of second order. inputs, outputs, coordinates, states:
    (name, unit) of each. eigenvalues 1/s, frequencies Hz, damping_ratios: of each mode. time: s, of the state.
    """

    mass: Array
    damping: Array
    stiffness: Array
    input: Array
    coordinates: list[tuple[str, str]]
    eigenvalues: ComplexArray
    frequencies: Array
    damping_ratios: Array
    nominal_outputs: Array
    nominal_force: Array
    time: float

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    def _caption(self) -> str:
        return repr(self).strip("<>")

    def _table(self) -> dict[str, Any]:
        return _modes_table(getattr(self, "frequencies", ()), getattr(self, "damping_ratios", ()))


class ReducedLinear(StateSpace, Result):
    """A linear model for a controller: dx/dt = a x + b u (or the next x, where sample_time > 0), y = c x + d u.

    modes: of each pole its `pole`, `rate` (1/s), `integrator` (1, 2: double), `controllability` per input and
    `observability` per output; channels: from each `input` to each `output` steady and largest gain, margins (rad, s)
    and zeros; zeros: transmission zeros of the whole; full_states: before the reduction; error_bound: of the largest
    gain of what was left out, or None; hankel: singular values; stable; notes.
    """

    modes: list[dict[str, Any]]
    channels: list[dict[str, Any]]
    zeros: ComplexArray
    full_states: int
    num_integrators: int
    error_bound: float | None
    hankel: Array
    stable: bool
    notes: list[str]
    formulation: str

    def __init__(self, model: Model, settings: dict[str, Any], values: dict[str, Any]) -> None:
        Result.__init__(self, model, settings, values)

    def _caption(self) -> str:
        return f"{len(self.a)} of {self.full_states} states"

    def _table(self) -> dict[str, Any]:
        rates = [mode["rate"] for mode in self.modes]
        return {"mode": range(1, len(rates) + 1), "frequency [Hz]": [abs(rate) / (2 * math.pi) for rate in rates],
                "real part [1/s]": [rate.real for rate in rates]}


class Linearised(ChangeableResult):
    """Linear models: `models`, one per time; the first one's matrices are attributes of this object, too.

    response: (frequencies, outputs, inputs), at response_frequencies Hz; campbell: speeds, eigenvalues (speeds, modes)
    and unstable intervals; buckling_factors; floquet: multipliers and verdict; notes: what to know.
    """

    models: list[LinearModel]
    times: Array
    response: ComplexArray
    response_frequencies: Array
    campbell: dict[str, Any] | None
    floquet: dict[str, Any] | None
    buckling_factors: Array
    notes: list[str]
    formulation: str
    failure: str

    def __init__(self, model: Model, settings: dict[str, Any], values: dict[str, Any]) -> None:
        super().__init__(model, settings, {**values, "models": [LinearModel(one) for one in values["models"]]})

    def __getattr__(self, name: str) -> Any:
        models = self.__dict__.get("models")
        if models and not name.startswith("_"):
            return getattr(models[0], name)
        raise AttributeError(name)

    def page(self) -> str:
        """The page with eigenvalues, modes, Campbell diagram and frequency responses; they are computed again."""
        return _core.linear_page(self.model.core, self.settings, self.model.text)

    def _what_if(self, wish: _core.WhatIfWish) -> str:
        return _core.linear_what_if(self.model.core, self.settings, wish)

    def _caption(self) -> str:
        return f"{repr(self.models[0]).strip('<>')}, {self.formulation}" if self.models else self.failure

    def _table(self) -> dict[str, Any]:
        return self.models[0]._table() if self.models else {}

    def _drawn(self) -> str:
        if self.campbell:
            rates = self.campbell["eigenvalues"]
            return curves(self.campbell["speeds"], {"": np.abs(rates.imag) / (2 * np.pi)}, "speed", "frequency [Hz]")
        if len(self.response_frequencies):
            model = self.models[0]
            gains = {f"{output} / {source}": np.abs(self.response[:, i, k])
                     for i, (output, _) in enumerate(model.outputs) for k, (source, _) in enumerate(model.inputs)}
            return curves(self.response_frequencies, gains, "frequency [Hz]", "gain", logarithmic=True)
        return ""

    def campbell_to_pandas(self) -> Any:
        """Frequencies (Hz) and damping ratios of every mode over the speed, one row per speed."""
        import pandas

        if not self.campbell:
            raise InputError("there is no Campbell diagram: give speeds=...")
        rates = self.campbell["eigenvalues"]
        data = {}
        for k in range(rates.shape[1]):
            data[f"frequency {k + 1} [Hz]"] = np.abs(rates[:, k].imag) / (2 * np.pi)
            with np.errstate(invalid="ignore", divide="ignore"):
                data[f"damping ratio {k + 1}"] = -rates[:, k].real / np.abs(rates[:, k])
        return pandas.DataFrame(data, index=pandas.Index(self.campbell["speeds"], name="speed"))
