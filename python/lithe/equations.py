"""The equations of motion themselves, for people who write their own loops."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from .model import Model

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _settings as S


class Equations(_core.Equations):
    """M(x) dv/dt = f(x, v, u, time): coordinates x, speeds v, joint forces u that are added to drives and loads.

    Arrays may have leading axes: `evaluate(x, v)` with x of shape (..., n) gives accelerations of that shape; rows that
    cannot be evaluated are NaN, where a single state raises ComputationError. One object serves one thread at a time.

    evaluate(x, v, u=None, time=0): accelerations (n,).
    linearise(x, v, u=None, time=0): mass, damping, stiffness (n, n), input (n, m) of M dv + C v + K x = B u.
    mass_matrix(x, time=0): (n, n). jacobian(node, x, time=0): (6, n), velocity and angular velocity of "link:node".
    inverse_dynamics(x, v, a, time=0): forces (n,) on the coordinates that are missing to accelerations a.
    step(x, v, duration, u=None, time=0, integrator="automatic", tolerance=1e-6): x and v after `duration` s, u held.
    sensors(x, v, u=None, time=0): what the sensors read, as `sensor_names`. node_motion(node, x, v): dict of arrays.
    energies(x, v): kinetic, gravity, elastic (J). start: (x, v) of the initial configuration.
    accept(x, v), of one state: tells closed mechanisms where they are, so that loops are closed from there; gives
    (x, v), renamed where a chart of angles moved. reset(): back to the initial configuration.
    """

    def __init__(self, model: Model, **settings: Any) -> None:
        super().__init__(model.core, settings)
        self.model = model
        self.settings = settings

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self.model, self.settings)

    def __repr__(self) -> str:
        return f"<lithe.Equations {self.name}: {self.num_coordinates} coordinates, {self.num_inputs} inputs>"


def _make(model: Model, settings: dict[str, Any]) -> Equations:
    return Equations(model, **settings)


def equations(model: Model, **settings: Unpack[S.EquationsSettings]) -> Equations:
    """The equations of motion of a model: formulation="erls-cms" and its settings, else as the model's simulation."""
    return Equations(model, **settings)
