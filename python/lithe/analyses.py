"""One function per analysis. Keyword arguments are the fields of the C++ specs; what is not given is as in the model's
file, or else the default that help() shows."""
from __future__ import annotations

import inspect as _inspect
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Sequence, TypeVar

from . import _core
from .arm_results import Contributions, Feedforward, ShapedMoves, shaped_moves
from .callbacks import Controller, for_core
from .errors import ComputationError, InputError, Interrupted, warn
from .model import Model
from .progress import progress_function
from .results import (Comparison, Condensed, ControlStudy, Equilibrium, Identified, Linearised, Modes, Motion, Outcome,
                      ReducedLinear, Sensitivity, Settled, SizedMotors, Spectrum, Sweep)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _settings as S

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Answer = TypeVar("_Answer")


def _documented(function: _Function) -> _Function:
    """Adds the table of settings to signature and docstring."""
    fields = _core.spec_fields[function.__name__]
    own = [one for one in _inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
    names = {one.name for one in own}
    kind = _inspect.Parameter.KEYWORD_ONLY
    more = [_inspect.Parameter(name, kind, default=default) for name, default, _ in fields if name not in names]
    function.__signature__ = _inspect.Signature([*own, *more])  # type: ignore[attr-defined]
    lines = [f"    {name} = {default!r}: {text}" for name, default, text in fields]
    function.__doc__ = f"{function.__doc__}\n\n    Settings, with their defaults:\n\n" + "\n".join(lines) + "\n"
    return function


def _warn(sentences: Any) -> None:
    for sentence in sentences:
        warn(sentence)


def _warn_of(result: Any) -> None:
    """Its notes, but for the choice of modes, which is its `reduction`."""
    _warn(note for note in result.notes if result.reduction is None or not note.startswith("modes of links:"))


def _interruptible(function: Callable[..., _Answer], *arguments: Any) -> _Answer:
    """Of a computation that is not looked into: after Ctrl-C there is nothing of it."""
    try:
        return function(*arguments)
    except KeyboardInterrupt:
        raise Interrupted from None


class _Run:
    """Progress, functions of the user and interrupts of one call."""

    def __init__(self, title: str, progress: Any = None, controllers: Mapping[str, Any] | None = None,
                 drives: Mapping[str, Any] | None = None, loads: Mapping[str, Any] | None = None) -> None:
        function, self._close = progress_function(progress, title)
        self._kept = (controllers, drives, loads)
        self.hooks = _core.Hooks(function, for_core(controllers), for_core(drives), for_core(loads))

    def __enter__(self) -> _core.Hooks:
        return self.hooks

    def __exit__(self, *_: Any) -> None:
        self._close()
        self.hooks.clear()

    def raise_error(self, result: Any) -> None:
        """What ended the run early, if something did; the result is kept with it."""
        error = self.hooks.take_error()
        if error is None:
            return
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted(result) from None
        error.result = result
        raise error


class _Functions(Dict[str, Any]):
    """Functions for controllers of type external, whichever controllers act."""


def _split(model: Model, controllers: Any, settings: dict[str, Any]) -> tuple[Model, dict[str, Any]]:
    """Controllers by name, or functions: the model with what these need, and the functions."""
    if controllers is None:
        return model, {}
    if isinstance(controllers, Controller):
        controllers = [controllers]
    if isinstance(controllers, _Functions):
        return model, dict(controllers)
    if isinstance(controllers, Mapping):
        settings["controllers"] = list(controllers)
        return model, dict(controllers)
    names, functions = [], {}
    for one in [controllers] if isinstance(controllers, str) else controllers:
        if isinstance(one, Controller):
            model = one.added_to(model)
            functions[one.name] = one.function
            names.append(one.name)
        else:
            names.append(one)
    settings["controllers"] = names
    return model, functions


def _motion(run: _Run, model: Model, settings: dict[str, Any], core: _core.CoreMotion, kind: str, check: bool,
            functions: Sequence[str] = ()) -> Motion:
    motion = Motion(model, settings, core, kind)
    motion.functions = list(functions)
    run.raise_error(motion)
    _warn(motion.warnings)
    if check and motion.end == "failed":
        raise ComputationError(motion.message, motion)
    return motion


@_documented
def simulate(model: Model, *, controllers: Any = None, drives: Mapping[str, Any] | None = None,
             loads: Mapping[str, Any] | None = None, progress: Any = None, check: bool = True,
             **settings: Unpack[S.SimulateSettings]) -> Motion:
    """Motion in time from the model's initial configuration.

    controllers: names of those that act, `lithe.Controller`s, or a dict of functions for controllers of type external.
    drives, loads: functions in place of the model's signals: f(time, x, v) with the coordinates and speeds of the
    equations gives the force or torque (of a load: the factor of its direction); of a drive that prescribes a motion
    it gives (value, rate, acceleration). `lithe.compiled(...)` runs without the interpreter.
    progress: a function of the part that is done; True or False for the progress bar.
    check: False returns a motion that failed, too, instead of raising ComputationError.
    With output_times the motion ends at the last of them, unless end_time says otherwise.
    Raises InputError; Interrupted after Ctrl-C, with the motion until then as its `result`."""
    given: dict[str, Any] = dict(settings)
    if "end_time" not in given and len(given.get("output_times", ())):
        given["end_time"] = given["output_times"][-1]
    model, functions = _split(model, controllers, given)
    run = _Run("simulate", progress, functions, drives, loads)
    with run as hooks:
        core = _core.simulate(model.core, given, hooks)
    return _motion(run, model, given, core, "simulate", check, [*functions, *(drives or ()), *(loads or ())])


@_documented
def inverse_dynamics(model: Model, *, progress: Any = None, check: bool = True,
                     **settings: Unpack[S.InverseDynamicsSettings]) -> Motion:
    """The motion with the drives on their prescribed paths; its columns are the force that each of them needs."""
    given: dict[str, Any] = dict(settings)
    run = _Run("inverse dynamics", progress)
    with run as hooks:
        core = _core.inverse_dynamics(model.core, given, hooks)
    return _motion(run, model, given, core, "inverse_dynamics", check)


@_documented
def natural_modes(model: Model, **settings: Unpack[S.NaturalModesSettings]) -> Modes:
    """Natural frequencies and shapes of the mechanism about its initial configuration, or of one link."""
    given: dict[str, Any] = dict(settings)
    found = _interruptible(_core.natural_modes, model.core, given)
    if found["failure"]:
        raise ComputationError(found["failure"])
    return Modes(model, given, found)


@_documented
def find_equilibrium(model: Model, *, check: bool = True, **settings: Unpack[S.FindEquilibriumSettings]) -> Equilibrium:
    """Static equilibrium under gravity, loads and drives."""
    given: dict[str, Any] = dict(settings)
    result = Equilibrium(model, given, _interruptible(_core.find_equilibrium, model.core, given))
    _warn(result.warnings)
    if check and not result.converged:
        raise ComputationError(result.message, result)
    return result


@_documented
def linearise(model: Model, *, progress: Any = None, **settings: Unpack[S.LineariseSettings]) -> Linearised:
    """Linear models: state space, eigenvalues, Campbell diagram, frequency response, buckling, Floquet multipliers."""
    given: dict[str, Any] = dict(settings)
    run = _Run("linearise", progress)
    with run as hooks:
        found = _core.linearise(model.core, given, hooks)
    result = Linearised(model, given, found)
    run.raise_error(result)
    if result.failure:
        raise ComputationError(result.failure, result)
    _warn_of(result)
    return result


@_documented
def condense(model: Model, *, check: bool = True, **settings: Unpack[S.CondenseSettings]) -> Condensed:
    """Mass and stiffness condensed to a few nodes, and the stiffness of the tool."""
    given: dict[str, Any] = dict(settings)
    result = Condensed(model, given, _interruptible(_core.condense, model.core, given))
    if check and not result.ok:
        raise ComputationError(result.message, result)
    return result


@_documented
def compare(model: Model, *, progress: Any = None, **settings: Unpack[S.CompareSettings]) -> Comparison:
    """The same motion in several formulations, and how far they differ."""
    given: dict[str, Any] = dict(settings)
    run = _Run("compare", progress)
    with run as hooks:
        found = _core.compare(model.core, given, hooks)
    own = {key: value for key, value in given.items() if key != "formulations"}
    names = [name for name, _, _ in found["runs"]]
    values = {
        "runs": {name: Motion(model, {**own, "formulation": name}, core) for name, core, _ in found["runs"]},
        "seconds": {name: seconds for name, _, seconds in found["runs"]},
        "differences": dict(zip(names[1:], found["differences"])),
        "finished": found["finished"],
    }
    result = Comparison(model, given, values)
    run.raise_error(result)
    return result


def compare_motions(runs: Mapping[str, Motion]) -> Comparison:
    """How far motions differ from the first of them, sensor by sensor where both have values at the same times: variants
    of a model, other settings, runs that were loaded. `runs`: {"thin": motion, "thick": other}."""
    if len(runs) < 2:
        raise InputError(f"a comparison needs two motions or more, got {len(runs)}")
    names = list(runs)
    differences = _core.motion_differences([run.core for run in runs.values()])
    return Comparison(runs[names[0]].model, {}, {
        "runs": dict(runs), "seconds": {name: 0.0 for name in names}, "differences": dict(zip(names[1:], differences)),
        "finished": all(run.end == "finished" for run in runs.values())})


@_documented
def study_control(model: Model, *, controllers: Any = None, progress: Any = None,
                  **settings: Unpack[S.StudyControlSettings]) -> ControlStudy:
    """The same move with each controller of the model: settling time, vibration, effort, robustness.

    controllers: names, `lithe.Controller`s, or a dict of functions, as of `simulate`."""
    given: dict[str, Any] = dict(settings)
    model, functions = _split(model, controllers, given)
    run = _Run("study control", progress, functions)
    with run as hooks:
        found = _core.study_control(model.core, given, hooks)
    result = _control_study(model, given, found)
    run.raise_error(result)
    return result


def _control_study(model: Model, given: dict[str, Any], found: dict[str, Any]) -> ControlStudy:
    runs = {one.pop("name"): one for one in found["runs"]}
    for name, one in runs.items():
        one["motion"] = Motion(model, {**given, "controllers": [name]}, one["motion"])
    return ControlStudy(model, given, {**found, "runs": runs})


@_documented
def spectrum(motion: Motion, **settings: Unpack[S.SpectrumSettings]) -> Spectrum:
    """Amplitude spectrum of a sensor over a recorded motion."""
    given: dict[str, Any] = dict(settings)
    name = given.get("sensor", "")
    if motion[name].ndim != 1:
        raise InputError(f"'{name}' has components: take '{name}.x'")
    return Spectrum(name, motion.unit(name), _core.spectrum(motion.time, motion[name], given))


@_documented
def state_space(model: Model, **settings: Unpack[S.StateSpaceSettings]) -> ReducedLinear:
    """The linear model of the mechanism that its drives hold at rest, as a control engineer takes it along: reduced,
    sampled, with poles, zeros, gains and margins."""
    given: dict[str, Any] = dict(settings)
    result = ReducedLinear(model, given, _interruptible(_core.state_space, model.core, given))
    _warn_of(result)
    return result


def sensitivity(model: Model) -> Sensitivity:
    """Motion of every node per unit of each rigid coordinate in the initial configuration, loops closed: dr = S dq."""
    found = _interruptible(_core.sensitivity, model.core)
    if found["failure"]:
        raise ComputationError(found["failure"])
    return Sensitivity(model, {}, found)


@_documented
def settle(model: Model, *, controllers: Any = None, drives: Mapping[str, Any] | None = None, progress: Any = None,
           **settings: Unpack[S.SettleSettings]) -> Settled:
    """How long the tool swings after its prescribed motion has ended, and how far.

    controllers, drives: as of `simulate`."""
    given: dict[str, Any] = dict(settings)
    model, functions = _split(model, controllers, given)
    run = _Run("settle", progress, functions, drives)
    with run as hooks:
        found = _core.settle(model.core, given, hooks)
    keys = {name for name, _, _ in _core.spec_fields["simulate"]}
    motion = Motion(model, {key: value for key, value in given.items() if key in keys}, found["motion"])
    result = Settled(model, given, {**found, "motion": motion})
    run.raise_error(result)
    if motion.end == "failed":
        raise ComputationError(motion.message, result)
    _warn(motion.warnings)
    return result


@_documented
def size_motors(model: Model, *, progress: Any = None, **settings: Unpack[S.SizeMotorsSettings]) -> SizedMotors:
    """Which motor is too small: what the prescribed motions ask of every drive train, beside its limits."""
    given: dict[str, Any] = dict(settings)
    state = model.__getstate__()
    run = _Run("sizes of motors", progress)
    with run as hooks:
        found = _core.size_motors(state["text"], state["file"], state["outside_files"], given, hooks)
    motion = Motion(model, {"flexible": False, **given}, found["motion"], "inverse_dynamics")
    result = SizedMotors(model, given, {**found, "motion": motion})
    run.raise_error(result)
    if motion.end == "failed":
        raise ComputationError(motion.message, result)
    _warn([f"joint '{joint}': the {limit['name']} is {100 * (limit['used'] - 1):.3g} % above its limit"
           for joint, drive in result.drives.items() for limit in drive["limits"] if limit["used"] > 1])
    return result


@_documented
def contributions(model: Model, **settings: Unpack[S.ContributionsSettings]) -> Contributions:
    """What to stiffen first: the share of every link and joint in the compliance of the tool and in natural frequencies.
    tool: "link:node"; default: that of the only position sensor."""
    given: dict[str, Any] = dict(settings)
    state = model.__getstate__()
    found = _interruptible(_core.contributions, state["text"], state["file"], state["outside_files"], given)
    if found["failure"]:
        raise ComputationError(found["failure"])
    return Contributions(model, given, found)


@_documented
def shape_move(model: Model, *, controllers: Any = None, progress: Any = None,
               **settings: Unpack[S.ShapeMoveSettings]) -> ShapedMoves:
    """Input shapers and durations with which the model's motions leave the tool at rest, each simulated.
    `tool` is needed; controllers: as of `simulate`."""
    given: dict[str, Any] = dict(settings)
    model, functions = _split(model, controllers, given)
    run = _Run("shaping", progress, functions)
    with run as hooks:
        found = _core.shape_move(model.core, given, hooks)
    result = shaped_moves(model, given, found)
    run.raise_error(result)
    if found["failure"]:
        raise ComputationError(found["failure"], result)
    _warn([f"{name}: {move['failure']}" for name, move in result.moves.items() if move["failure"]])
    return result


@_documented
def elastic_feedforward(model: Model, *, progress: Any = None,
                        **settings: Unpack[S.ElasticFeedforwardSettings]) -> Feedforward:
    """Motor torques with which the links of an arm with elastic gearboxes move as prescribed, links rigid."""
    given: dict[str, Any] = dict(settings)
    state = model.__getstate__()
    run = _Run("inverse dynamics", progress)
    with run as hooks:
        found = _core.elastic_feedforward(state["text"], state["file"], state["outside_files"], given, hooks)
    result = Feedforward(model, given, found)
    run.raise_error(result)
    if found["failure"]:
        raise ComputationError(found["failure"], result)
    _warn(result.warnings)
    return result


def reduce_link(model: Model, path: str | os.PathLike[str], link: str = "", modes: int | None = None) -> dict[str, Any]:
    """Reduces a flexible link once and writes it to a .h5 file that replaces its mesh in other models.

    link: its name; default: the only flexible one. modes: vibrations with all named nodes held; None: as the link's
    reduction says, or 20. Gives nodes, mass (kg), num_unknowns, num_coordinates, num_modes, held_frequencies and
    free_frequencies (Hz)."""
    if not str(path).endswith(".h5"):
        raise InputError(f"a reduced link is written to a file that ends in .h5, not to '{path}'")
    if not link:
        flexible = [one["name"] for one in _core.inspect(model.core)["links"] if not one["rigid"]]
        if len(flexible) != 1:
            raise InputError(f"choose one of the flexible links: {', '.join(flexible) or 'there is none'}")
        link = flexible[0]
    return _interruptible(_core.reduce_link, model.core, link, str(path), modes)


@_documented
def identify(model: Model, data: Any, *, progress: Any = None, **settings: Unpack[S.IdentifySettings]) -> Identified:
    """Numbers of the model's file fitted to measurements, with confidence intervals.

    data: the path of a CSV, columns {"time": ..., "tip.z": ...} in SI units, or a list of these; headings as
    docs/howto/identify.md says."""
    given: dict[str, Any] = dict(settings)
    measured = [("data", [(name, "", [float(v) for v in values]) for name, values in one.items()])
                if isinstance(one, Mapping) else str(one) for one in (data if isinstance(data, (list, tuple)) else [data])]
    return _identified(model, measured, given, progress)


def _identified(model: Model, measured: list[Any], given: dict[str, Any], progress: Any = None) -> Identified:
    state = model.__getstate__()
    run = _Run("identification", progress)
    with run as hooks:
        found = _core.identify(state["text"], state["file"], state["outside_files"], measured, given, hooks)
    result = Identified(model, given, found)
    run.raise_error(result)
    if found["failure"]:
        raise ComputationError(found["failure"])
    _warn([*result.undetermined, *result.notes])
    return result


def run_all(model: Model, *, controllers: Mapping[str, Any] | None = None, progress: Any = None) -> list[Outcome]:
    """All analyses that the model file asks for ([[analyses]]), in their order; a spectrum is of the simulation before
    it. One that fails does not keep the others from being made.

    controllers: functions for controllers of type external, by name.
    Ctrl-C raises Interrupted, with the outcomes until then as its `result`."""
    run = _Run("run all", progress, controllers)
    state = model.__getstate__()
    studies = _core.studies_of(state["text"], state["file"], state["outside_files"])
    with run as hooks:
        found = _core.run_all(state["text"], state["file"], state["outside_files"], hooks)
    outcomes: list[Outcome] = []
    for one in found:
        before = [outcome.result for outcome in outcomes if outcome.kind == "simulate" and outcome.result]
        outcomes.append(Outcome(one["name"], one["kind"], _result_of(model, one, before), one["failure"]))
    run.raise_error(outcomes)
    for number, study in enumerate(studies):
        try:
            outcome = _study(model, study, controllers or {}, progress)
        except KeyboardInterrupt:
            raise Interrupted(outcomes) from None
        outcomes.insert(study["after"] + number, outcome)
    for outcome in outcomes:
        own = [] if outcome.kind in _STUDIES else getattr(outcome.result, "warnings", [])  # studies have told theirs
        _warn([*own, *([outcome.failure] if outcome.failure else [])])
    return outcomes


_STUDIES: dict[str, Callable[..., Any]] = {"size": size_motors, "settle": settle, "contributions": contributions,
                                           "shape": shape_move, "identify": identify}


def _study(model: Model, study: dict[str, Any], controllers: Mapping[str, Any], progress: Any) -> Outcome:
    """A question of robots among the analyses of the file, as its own function answers it."""
    kind, function = study["kind"], _STUDIES[study["kind"]]
    given: dict[str, Any] = {}
    for name, default, _ in _core.spec_fields[function.__name__]:
        if name in study["settings"]:
            value = study["settings"][name]
            given[name] = int(value) if isinstance(default, int) and not isinstance(default, bool) else value
    if "formulation" in given:
        given["formulation"] = given["formulation"].replace("_", "-")  # the file writes erls_cms
    more: dict[str, Any] = {} if kind == "contributions" else {"progress": progress}
    if kind in ("settle", "shape"):
        more["controllers"] = _Functions(controllers)
    name = study["settings"].get("name", "")
    try:
        if kind == "identify":
            return Outcome(name, kind, _identified(model, study["data"], given, progress), "")
        return Outcome(name, kind, function(model, **given, **more), "")
    except (InputError, ComputationError) as error:
        return Outcome(name, kind, getattr(error, "result", None), str(error))


def _result_of(model: Model, one: dict[str, Any], before: Sequence[Motion]) -> Any:
    """The result of one analysis of the file as its own function would have given it."""
    kind, settings, found = one["kind"], one["settings"], one["result"]
    if found is None:
        return None
    if kind in ("simulate", "inverse_dynamics"):
        return Motion(model, settings, found, kind)
    if kind == "spectrum":
        return Spectrum(settings["sensor"], before[-1].unit(settings["sensor"]), found)
    if kind == "control":
        return _control_study(model, settings, found)
    if kind == "sweep":
        return Sweep.of(model, settings, found)
    classes: dict[str, Any] = {"modes": Modes, "equilibrium": Equilibrium, "condense": Condensed,
                               "linearise": Linearised}
    return classes[kind](model, settings, found)
