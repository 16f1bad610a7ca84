"""Lithe: how light robots and mechanisms move, bend and vibrate.

    model = lithe.read_model("l_shape.toml")
    motion = lithe.simulate(model, end_time=2.0)      # keyword arguments are the fields of the C++ specs
    motion["tip position"], motion.time               # NumPy arrays, SI units
    motion.plot("tip position"); motion.show()        # matplotlib; the 3-D page
    lithe.linearise(model).to_scipy()                 # scipy.signal; to_control() for python-control

Models: Model, read_model, import_robot, import_mesh, inspect_mesh, example, inspect. Analyses: simulate,
natural_modes, find_equilibrium, inverse_dynamics, linearise, state_space, sensitivity, condense, reduce_link, compare,
compare_motions, study_control, spectrum, rainflow, sweep, settle, settle_map, shape_move, contributions,
elastic_feedforward, size_motors, identify, run_all. Files of results: load. One's own loops: equations. Functions in a
simulation: Controller, compiled. Errors: InputError, ComputationError, Interrupted; warnings: LitheWarning.
"""
from __future__ import annotations

from ._core import formulation_names, in_si, integrator_names
from ._core import version as __version__
from .analyses import (compare, compare_motions, condense, contributions, elastic_feedforward, find_equilibrium, identify,
                       inverse_dynamics, linearise, natural_modes, reduce_link, run_all, sensitivity, settle, shape_move,
                       simulate, size_motors, spectrum, state_space, study_control)
from .arm_results import Contributions, Feedforward, ShapedMoves
from .callbacks import Controller, compiled, controller_type, input_type, numba_signature
from .equations import Equations, equations
from .errors import ComputationError, Diagnostic, InputError, Interrupted, LitheWarning
from .examples import example, examples, program
from .linear_results import Linearised, LinearModel, ReducedLinear
from .model import Model, import_mesh, import_robot, inspect, inspect_mesh, read_model
from .results import (Comparison, Condensed, ControlStudy, Equilibrium, Identified, Modes, Motion, Outcome, Sensitivity,
                      Settled, SizedMotors, Sweep, load)
from .signals import Cycles, Spectrum, rainflow
from .sweeps import settle_map, sweep

__all__ = [
    "Comparison", "ComputationError", "Condensed", "Contributions", "ControlStudy", "Controller", "Cycles",
    "Diagnostic", "Equations", "Equilibrium", "Feedforward", "Identified", "InputError", "Interrupted",
    "LinearModel", "Linearised", "LitheWarning", "Model", "Modes", "Motion", "Outcome", "ReducedLinear",
    "Sensitivity", "Settled", "ShapedMoves", "SizedMotors", "Spectrum", "Sweep", "__version__", "compare",
    "compare_motions",
    "compiled", "condense", "contributions", "controller_type", "elastic_feedforward", "equations", "example",
    "examples", "find_equilibrium", "formulation_names", "identify", "import_mesh", "import_robot", "in_si",
    "input_type", "inspect", "inspect_mesh", "integrator_names", "inverse_dynamics", "linearise", "load", "natural_modes", "numba_signature",
    "program", "rainflow", "read_model", "reduce_link", "run_all", "sensitivity", "settle", "settle_map",
    "shape_move", "simulate", "size_motors", "spectrum", "state_space", "study_control", "sweep",
]
