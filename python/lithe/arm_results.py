"""Results about arms: what to stiffen, moves that leave the tool at rest, torques for elastic gearboxes."""
from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Any

from . import _core
from ._files import write_whole
from ._numpy import np
from ._result import Result
from .show import curves

if TYPE_CHECKING:
    from ._result import Array

__all__ = ["Contributions", "Feedforward", "ShapedMoves"]


class Contributions(Result):
    """What to stiffen first. compliance (3,), compliance_matrix (3, 3): m/N of the tool, world axes; frequencies (m,) Hz;
    parts: name -> kind ("link" or "joint") and its shares: compliance (3,), mean_compliance, frequencies (m,). Shares
    of all parts add up to one, but for those of gravity and loads."""

    compliance: Array
    compliance_matrix: Array
    frequencies: Array
    parts: dict[str, dict[str, Any]]

    def _caption(self) -> str:
        along = ", ".join(f"{1e6 * one:.4g}" for one in self.compliance)
        return f"compliance of the tool along x, y, z: {along} µm/N"

    def _table(self) -> dict[str, Any]:
        rows = self.parts.values()
        return {"part": list(self.parts), "kind": [row["kind"] for row in rows],
                **{f"share along {axis}": [row["compliance"][k] for row in rows] for k, axis in enumerate("xyz")},
                "share of all": [row["mean_compliance"] for row in rows],
                **{f"share of {hertz:.4g} Hz": [row["frequencies"][k] for row in rows]
                   for k, hertz in enumerate(self.frequencies)}}


class ShapedMoves(Result):
    """Moves that leave the tool at rest. modes: frequency (Hz), damping_ratio, vibration (m) of each that the motions
    excite; moves: name -> impulse_times (s), impulse_sizes, stretch, move_end (s), predicted and residual (m),
    settling_time and still_after (s; inf: not), failure, and time (n,) with columns of the tool's position (m); best:
    name of the one whose tool is still first. driven_time (k,) s and driven: joint -> values of the best motion."""

    modes: list[dict[str, float]]
    moves: dict[str, dict[str, Any]]
    best: str
    driven_time: Array
    driven: dict[str, Array]
    units: dict[str, str]

    def _caption(self) -> str:
        return f"best: {self.best}"

    def _table(self) -> dict[str, Any]:
        keys = {"ends at [s]": "move_end", "predicted [m]": "predicted", "residual [m]": "residual",
                "still after [s]": "still_after"}
        return {"move": list(self.moves),
                **{heading: [move[key] for move in self.moves.values()] for heading, key in keys.items()}}

    def save_motion(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """The joints of the best motion as a CSV for `table` of [[moves]]: `moves.add(joints=..., table="best.csv")`."""
        heading = ", ".join(["time [s]", *(f"{joint} [{self.units[joint]}]" for joint in self.driven)])
        numbers = np.column_stack([self.driven_time, *self.driven.values()])
        target = pathlib.Path(path)
        write_whole(target, lambda file: np.savetxt(file, numbers, "%.17g", ",", header=heading, encoding="utf-8"))
        return target


class Feedforward(Result):
    """Torques with which the links of an arm with elastic gearboxes move as prescribed. time (n,) s; joints: name ->
    link and motor (rad, at the joint), motor_speed, gear_torque, torque of the motor (N m), each (n,); ratio, elastic,
    slides; error and uncorrected: largest distance of the link from its path, simulated with these motor values and
    with those of a rigid gearbox."""

    time: Array
    joints: dict[str, dict[str, Any]]
    warnings: list[str]

    def _table(self) -> dict[str, Any]:
        rows = self.joints.values()
        return {"joint": list(self.joints), "gearbox": ["elastic" if row["elastic"] else "rigid" for row in rows],
                "peak torque": [float(np.abs(row["torque"]).max()) for row in rows],
                "peak at the gearbox": [float(np.abs(row["gear_torque"]).max()) for row in rows],
                "error": [row["error"] for row in rows], "uncorrected": [row["uncorrected"] for row in rows]}

    def _drawn(self) -> str:
        return curves(self.time, {joint: row["torque"] for joint, row in self.joints.items()}, "time [s]",
                      "torque of the motors")


def shaped_moves(model: Any, settings: dict[str, Any], found: dict[str, Any]) -> ShapedMoves:
    """From what the engine gives; the best motion every millisecond."""
    core = found.pop("core")
    best = found["moves"].get(found["best"])
    end = best["move_end"] if best else 0.0
    count = max(1, int(np.ceil(end / 1e-3 - 1e-9)))
    times = end * np.arange(count + 1) / count
    driven = _core.driven_values(core, [float(one) for one in times])
    return ShapedMoves(model, settings, {**found, "driven_time": times, "units": {name: unit for name, unit, _ in driven},
                                         "driven": {name: values for name, _, values in driven}})
