"""Made by tools/make_stubs from the specs of C++; do not edit."""
from typing import Any, Dict, Sequence, Union

from typing_extensions import TypedDict

class SimulateSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    end_time: Union[float, str]  # s
    output_step: Union[float, str]  # s between recorded values
    output_times: Sequence[Union[float, str]]  # s, ascending; used instead of output_step when not empty
    integrator: str  # 'automatic', 'exponential', 'dormand_prince', 'radau', 'cvode', ...
    tolerance: Union[float, str]  # m, error of node positions per second of motion
    step: Union[float, str]  # s, fixed; 0: steps chosen by the tolerance
    spectral_radius: Union[float, str]  # of generalised_alpha: 1 damps nothing, 0 most
    end_stops: str  # at the limits of joints: 'spring', 'stop' or 'ignore'
    checkpoint_interval: Union[float, str]  # s; > 0: the integrator starts afresh at its multiples

class InverseDynamicsSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    end_time: Union[float, str]  # s
    output_step: Union[float, str]  # s between recorded values
    integrator: str  # as of simulate
    tolerance: Union[float, str]  # m, error of node positions per second of motion
    flexible: bool  # False: as if all links were rigid

class NaturalModesSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    count: int  # elastic modes
    link: str  # its name; empty: the mechanism
    clamp: Union[str, Sequence[str]]  # nodes of the link that are held
    reduced: bool  # of the link as its reduction leaves it, not of its mesh

class FindEquilibriumSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    hold_joints: bool  # brakes hold independent joints without springs, and their forces are reported
    tolerance: Union[float, str]  # residual force relative to the largest
    time: Union[float, str]  # s, at which drives and loads act

class LineariseSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    about: str  # 'held', 'equilibrium', 'initial' or 'motion'
    times: Sequence[Union[float, str]]  # s, of 'motion'
    inputs: Union[str, Sequence[str]]  # names of drives, loads or joints; empty: drives and loads, or all free joints
    held: Union[str, Sequence[str]]  # names of joints that are locked
    spin: str  # joint, or joint.2, that turns or slides steadily
    speed: Union[float, str]  # of the spin, rad/s or m/s
    speeds: Sequence[Union[float, str]]  # of a Campbell diagram, rad/s or m/s
    response: Sequence[Union[float, str]]  # Hz, of a frequency response
    count: int  # modes listed
    buckling: int  # load factors wanted
    floquet: bool  # multipliers of the periodic motion
    period: Union[float, str]  # s, of it; 0: that of drives and loads
    motion: Dict[str, Any]  # dict of arguments of simulate, for about='motion'

class SpectrumSettings(TypedDict, total=False):
    sensor: str  # 'tip', or 'tip.x' of one with three components
    start_time: Union[float, str]  # s
    end_time: Union[float, str, None]  # s; None: to the end
    window: str  # 'rectangular', 'hann', 'hamming', 'blackman' or 'flat_top'
    max_frequency: Union[float, str]  # Hz; 0: half the sampling rate
    resolution: Union[float, str]  # Hz; 0: one over the duration
    peaks: int  # how many are listed

class CondenseSettings(TypedDict, total=False):
    independent: Union[str, Sequence[str]]  # nodes kept, 'link:node'; empty: chosen automatically
    held: Union[str, Sequence[str]]  # names of joints that are locked
    tool: str  # node whose 6 x 6 stiffness and mass are wanted, 'link:node'
    route: str  # 'superelements' or 'direct'
    count: int  # natural frequencies
    full: bool  # also frequencies of the mesh without condensation
    hold_spins: bool  # struts do not spin about their own line

class StudyControlSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    end_time: Union[float, str]  # s
    output_step: Union[float, str]  # s between recorded values
    output_times: Sequence[Union[float, str]]  # s, ascending; used instead of output_step when not empty
    integrator: str  # 'automatic', 'exponential', 'dormand_prince', 'radau', 'cvode', ...
    tolerance: Union[float, str]  # m, error of node positions per second of motion
    step: Union[float, str]  # s, fixed; 0: steps chosen by the tolerance
    spectral_radius: Union[float, str]  # of generalised_alpha: 1 damps nothing, 0 most
    end_stops: str  # at the limits of joints: 'spring', 'stop' or 'ignore'
    checkpoint_interval: Union[float, str]  # s; > 0: the integrator starts afresh at its multiples
    payloads: bool  # also with other payloads, and at equal settling times

class CompareSettings(TypedDict, total=False):
    formulations: Union[str, Sequence[str]]  # names, the first is the reference: 'floating-frame+chord' adds a setting
    end_time: Union[float, str]  # s
    output_step: Union[float, str]  # s between recorded values
    output_times: Sequence[Union[float, str]]  # s, ascending; used instead of output_step when not empty
    integrator: str  # 'automatic', 'exponential', 'dormand_prince', 'radau', 'cvode', ...
    tolerance: Union[float, str]  # m, error of node positions per second of motion
    step: Union[float, str]  # s, fixed; 0: steps chosen by the tolerance
    spectral_radius: Union[float, str]  # of generalised_alpha: 1 damps nothing, 0 most
    end_stops: str  # at the limits of joints: 'spring', 'stop' or 'ignore'
    checkpoint_interval: Union[float, str]  # s; > 0: the integrator starts afresh at its multiples

class SweepSettings(TypedDict, total=False):
    set: Union[str, Sequence[str]]  # for all points: 'tool.z = -570 mm'
    formulation: Union[float, str, None]  # None: as that analysis has it
    spin: Union[float, str, None]  # None: as that analysis has it
    integrator: Union[float, str, None]  # None: as that analysis has it
    about: Union[float, str, None]  # None: as that analysis has it
    end_time: Union[float, str, None]  # s; None: as that analysis has it
    tolerance: Union[float, str, None]  # m; None: as that analysis has it
    independent: Union[str, Sequence[str]]  # of condense: nodes kept, 'link:node'
    held: Union[str, Sequence[str]]  # names of joints that are locked
    tool: str  # its node, 'link:node'
    count: int  # natural frequencies or eigenvalues per point
    hold_spins: bool  # struts do not spin about their own line
    orientation: str  # of the tool: 'automatic', 'keep' or 'free'
    springs_stay: bool  # rest values of joint springs stay when their joint is moved
    threads: int  # 0: as many as there are processors

class StateSpaceSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    inputs: Union[str, Sequence[str]]  # names of drives, loads or joints; empty: drives and loads, or all free joints
    sensors: Union[str, Sequence[str]]  # outputs; empty: all
    minimal: bool  # without uncontrollable and unobservable states
    states: Union[float, str, None]  # how many are kept; None: all, or as `error` asks
    error: Union[float, str, None]  # as few as this bound of the largest gain of the error allows
    reduction: str  # of `states`: 'balanced' or 'modal'
    keep_static_gain: bool  # of 'modal': the static part of what is left out stays
    sample_time: Union[float, str]  # s; 0: continuous
    discretisation: str  # 'hold': inputs held; 'tustin': the bilinear rule
    delay: int  # samples after which inputs act

class SettleSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    output_step: Union[float, str]  # s between recorded values
    integrator: str  # as of simulate
    tolerance: Union[float, str]  # m, error of node positions per second of motion
    tool: str  # node to look at, 'link:node'; empty: all position sensors
    band: Union[float, str]  # m, distance from rest that counts as settled
    after: Union[float, str]  # s that are simulated after the motion
    move_end: Union[float, str]  # s, when the motion ends; 0: the last prescribed one

class SettleMapSettings(TypedDict, total=False):
    set: Union[str, Sequence[str]]  # for all points: 'tool.z = -570 mm'
    orientation: str  # of the tool: 'automatic', 'keep' or 'free'
    threads: int  # 0: as many as there are processors
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    output_step: Union[float, str]  # s between recorded values
    integrator: str  # as of simulate
    tolerance: Union[float, str]  # m, error of node positions per second of motion
    controllers: Union[str, Sequence[str]]  # names of those that act; empty: the active ones; ['none']: none
    tool: str  # node to look at, 'link:node'; empty: all position sensors
    band: Union[float, str]  # m, distance from rest that counts as settled
    after: Union[float, str]  # s that are simulated after the motion
    move_end: Union[float, str]  # s, when the motion ends; 0: the last prescribed one

class ShapeMoveSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    output_step: Union[float, str]  # s between recorded values
    integrator: str  # as of simulate
    tolerance: Union[float, str]  # m, error of node positions per second of motion
    tool: str  # node to look at, 'link:node'; empty: all position sensors
    band: Union[float, str]  # m, distance from rest that counts as settled
    after: Union[float, str]  # s that are simulated after the motion
    move_end: Union[float, str]  # s, when the motion ends; 0: the last prescribed one
    slowest: Union[float, str]  # longest duration that is tried, of the model's
    least: Union[float, str]  # modes count from this part of the largest vibration on

class ContributionsSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    tool: str  # node whose compliance is shared out, 'link:node'
    held: Union[str, Sequence[str]]  # joints that motors hold; empty: those with drives or motors
    count: int  # natural frequencies

class ElasticFeedforwardSettings(TypedDict, total=False):
    end_time: Union[float, str]  # s; 0: when the last prescribed motion ends
    output_step: Union[float, str]  # s between recorded values
    tolerance: Union[float, str]  # m, of the simulation that checks the result

class SizeMotorsSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    flexible: bool  # links and gearboxes bend; False: all rigid
    end_time: Union[float, str]  # s, length of the cycle; 0: until the last motion ends
    output_step: Union[float, str]  # s between the values that are looked at
    tolerance: Union[float, str]  # m, error of node positions per second of motion

class IdentifySettings(TypedDict, total=False):
    fit: Union[str, Sequence[str]]  # numbers of the model file: 'joints.elbow.stiffness', or 'path = lower : upper'
    set: Union[str, Sequence[str]]  # numbers that were others during the measurement: 'path = value'
    held: Union[str, Sequence[str]]  # joints that were locked while frequencies were measured
    confidence: Union[float, str]  # of the intervals
    max_iterations: int  # of each fit
    threads: int  # 0: as many as there are processors
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
    integrator: str  # of motions: as of simulate
    tolerance: Union[float, str]  # m, error of node positions per second of motion

class EquationsSettings(TypedDict, total=False):
    formulation: str  # equations of motion; 'floating-frame+chord' adds a setting of theirs
    gauge: str  # of erls-cms and erls-fem: 'encoder' or 'minimum_norm'
    variant: str  # of erls-fem: 'full' or 'published'
    reference: str  # of floating-frame: 'tangent', 'chord' or 'free'
    geometric_stiffening: Union[bool, str]  # fast rotation stiffens a beam: 'auto' where it matters, True or False
    bending_shortens: bool  # of transfer-functions: elongation quadratic in bending
