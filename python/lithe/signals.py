"""Spectra and cycles of recorded signals."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._numpy import np
from ._result import Tabular
from .show import curves

if TYPE_CHECKING:
    from ._result import Array


class Spectrum(Tabular):
    """frequencies (Hz), values (amplitude, in the sensor's unit), peak_frequencies, peak_values."""

    frequencies: Array
    values: Array
    peak_frequencies: Array
    peak_values: Array
    line_spacing: float
    sampling_rate: float

    def __init__(self, sensor: str, unit: str, values: dict[str, Any]) -> None:
        self.sensor = sensor
        self.unit = unit
        self.__dict__.update(values)

    def _caption(self) -> str:
        return f"peaks of '{self.sensor}'"

    def _table(self) -> dict[str, Any]:
        unit = f" [{self.unit}]" if self.unit else ""
        return {"frequency [Hz]": self.peak_frequencies, f"amplitude{unit}": self.peak_values}

    def _drawn(self) -> str:
        return curves(self.frequencies[1:], {self.sensor: self.values[1:]}, "frequency [Hz]", self.unit,
                      logarithmic=True)

    def to_pandas(self) -> Any:
        """The amplitudes as a Series over the frequency (Hz)."""
        import pandas

        return pandas.Series(self.values, index=pandas.Index(self.frequencies, name="frequency [Hz]"),
                             name=self.sensor)

    def plot(self, axes: Any = None) -> Any:
        """Amplitude over frequency with matplotlib."""
        import matplotlib.pyplot as pyplot

        if axes is None:
            _, axes = pyplot.subplots(layout="constrained")
        axes.semilogy(self.frequencies, self.values)
        axes.set_xlabel("frequency [Hz]")
        axes.set_ylabel(f"{self.sensor} [{self.unit}]")
        return axes


class Cycles(Tabular):
    """Rainflow cycles (ASTM E1049-85, 5.4.4) of a sensor: ranges, means in its unit, counts (1 or 0.5), starts and ends
    (s) of every cycle; bin_counts and bin_means over ranges above bin_edges[k] and up to bin_edges[k + 1]."""

    ranges: Array
    means: Array
    counts: Array
    starts: Array
    ends: Array
    bin_edges: Array
    bin_counts: Array
    bin_means: Array

    def __init__(self, sensor: str, unit: str, values: dict[str, Any]) -> None:
        self.sensor = sensor
        self.unit = unit
        self.__dict__.update(values)

    def __repr__(self) -> str:
        return f"<lithe.Cycles of '{self.sensor}': {self.counts.sum():g} cycles>"

    def _caption(self) -> str:
        return f"{self.counts.sum():g} cycles of '{self.sensor}'"

    def _table(self) -> dict[str, Any]:
        unit = f" [{self.unit}]" if self.unit else ""
        return {f"range{unit}": self.ranges, f"mean{unit}": self.means, "count": self.counts,
                "start [s]": self.starts, "end [s]": self.ends}

    def damage(self, strength: float, exponent: float) -> float:
        """The sum of Palmgren and Miner, cycles over those endured, with (strength / range)^exponent cycles endured:
        strength is the range that breaks in one cycle."""
        return float((self.counts * (self.ranges / strength) ** exponent).sum())


def rainflow(time: Any, values: Any, *, min_range: float = 0.0, bins: int = 10, sensor: str = "",
             unit: str = "") -> Cycles:
    """The cycles of a signal for fatigue. time: (n,) s; values: (n,); cycles of `min_range` and less are left out of
    the list. Of a motion: `motion.rainflow("fillet")`."""
    found = _core.rainflow([float(one) for one in time], [float(one) for one in values], float(min_range), int(bins))
    return Cycles(sensor, unit, found)
