// The keyword arguments of the analyses: the fields of the specs of lithe/analyse/specs.h, one line each. Defaults are
// those of the structs, and are written nowhere else.
#pragma once

#include "lithe/analyse/contributions.h"
#include "lithe/analyse/settle.h"
#include "lithe/analyse/size_motors.h"
#include "lithe/analyse/specs.h"
#include "lithe/analyse/studies/elastic_feedforward.h"
#include "lithe/analyse/studies/identify.h"
#include "lithe/analyse/studies/settle_map.h"
#include "lithe/analyse/studies/shape_move.h"

namespace lithe::python {

// visit(name, field, description): for every field of a spec.
template <class Visit>
void fields_of(FormulationChoice& choice, Visit&& visit) {
  visit("formulation", choice, "equations of motion; 'floating-frame+chord' adds a setting of theirs");
  visit("gauge", choice.gauge, "of erls-cms and erls-fem: 'encoder' or 'minimum_norm'");
  visit("variant", choice.variant, "of erls-fem: 'full' or 'published'");
  visit("reference", choice.reference, "of floating-frame: 'tangent', 'chord' or 'free'");
  visit("geometric_stiffening", choice.geometric_stiffening,
        "fast rotation stiffens a beam: 'auto' where it matters, True or False");
  visit("bending_shortens", choice.bending_shortens, "of transfer-functions: elongation quadratic in bending");
}

// What a simulation has besides its equations.
template <class Visit>
void run_fields_of(SimulateSpec& spec, Visit&& visit) {
  visit("end_time", spec.end_time, "s");
  visit("output_step", spec.output_step, "s between recorded values");
  visit("output_times", spec.output_times, "s, ascending; used instead of output_step when not empty");
  visit("integrator", spec.integrator, "'automatic', 'exponential', 'dormand_prince', 'radau', 'cvode', ...");
  visit("tolerance", spec.tolerance, "m, error of node positions per second of motion");
  visit("step", spec.step, "s, fixed; 0: steps chosen by the tolerance");
  visit("spectral_radius", spec.spectral_radius, "of generalised_alpha: 1 damps nothing, 0 most");
  visit("end_stops", spec.end_stops, "at the limits of joints: 'spring', 'stop' or 'ignore'");
  visit("checkpoint_interval", spec.checkpoint_interval, "s; > 0: the integrator starts afresh at its multiples");
}

template <class Visit>
void fields_of(SimulateSpec& spec, Visit&& visit) {
  fields_of(spec.formulation, visit);
  run_fields_of(spec, visit);
  visit("controllers", spec.controllers, "names of those that act; empty: the active ones; ['none']: none");
}

template <class Visit>
void fields_of(InverseDynamicsSpec& spec, Visit&& visit) {
  fields_of(spec.formulation, visit);
  visit("end_time", spec.end_time, "s");
  visit("output_step", spec.output_step, "s between recorded values");
  visit("integrator", spec.integrator, "as of simulate");
  visit("tolerance", spec.tolerance, "m, error of node positions per second of motion");
  visit("flexible", spec.flexible, "False: as if all links were rigid");
}

template <class Visit>
void fields_of(ModesSpec& spec, Visit&& visit) {
  fields_of(spec.formulation, visit);
  visit("count", spec.count, "elastic modes");
  visit("link", spec.link, "its name; empty: the mechanism");
  visit("clamp", spec.clamp, "nodes of the link that are held");
  visit("reduced", spec.reduced, "of the link as its reduction leaves it, not of its mesh");
}

template <class Visit>
void fields_of(EquilibriumSpec& spec, Visit&& visit) {
  fields_of(spec.formulation, visit);
  visit("hold_joints", spec.hold_joints,
        "brakes hold independent joints without springs, and their forces are reported");
  visit("tolerance", spec.tolerance, "residual force relative to the largest");
  visit("time", spec.time, "s, at which drives and loads act");
}

template <class Visit>
void fields_of(LineariseSpec& spec, Visit&& visit) {
  fields_of(spec.formulation, visit);
  visit("about", spec.about, "'held', 'equilibrium', 'initial' or 'motion'");
  visit("times", spec.times, "s, of 'motion'");
  visit("inputs", spec.inputs, "names of drives, loads or joints; empty: drives and loads, or all free joints");
  visit("held", spec.held, "names of joints that are locked");
  visit("spin", spec.spin, "joint, or joint.2, that turns or slides steadily");
  visit("speed", spec.speed, "of the spin, rad/s or m/s");
  visit("speeds", spec.speeds, "of a Campbell diagram, rad/s or m/s");
  visit("response", spec.response, "Hz, of a frequency response");
  visit("count", spec.count, "modes listed");
  visit("buckling", spec.buckling, "load factors wanted");
  visit("floquet", spec.floquet, "multipliers of the periodic motion");
  visit("period", spec.period, "s, of it; 0: that of drives and loads");
  visit("motion", spec.motion, "dict of arguments of simulate, for about='motion'");
}

template <class Visit>
void fields_of(StateSpaceSpec& spec, Visit&& visit) {
  fields_of(spec.formulation, visit);
  visit("inputs", spec.inputs, "names of drives, loads or joints; empty: drives and loads, or all free joints");
  visit("sensors", spec.sensors, "outputs; empty: all");
  visit("minimal", spec.minimal, "without uncontrollable and unobservable states");
  visit("states", spec.states, "how many are kept; None: all, or as `error` asks");
  visit("error", spec.error, "as few as this bound of the largest gain of the error allows");
  visit("reduction", spec.reduction, "of `states`: 'balanced' or 'modal'");
  visit("keep_static_gain", spec.keep_static_gain, "of 'modal': the static part of what is left out stays");
  visit("sample_time", spec.sample_time, "s; 0: continuous");
  visit("discretisation", spec.discretisation, "'hold': inputs held; 'tustin': the bilinear rule");
  visit("delay", spec.delay, "samples after which inputs act");
}

template <class Visit>
void fields_of(SpectrumSpec& spec, Visit&& visit) {
  visit("sensor", spec.sensor, "'tip', or 'tip.x' of one with three components");
  visit("start_time", spec.start_time, "s");
  visit("end_time", spec.end_time, "s; None: to the end");
  visit("window", spec.window, "'rectangular', 'hann', 'hamming', 'blackman' or 'flat_top'");
  visit("max_frequency", spec.max_frequency, "Hz; 0: half the sampling rate");
  visit("resolution", spec.resolution, "Hz; 0: one over the duration");
  visit("peaks", spec.peaks, "how many are listed");
}

template <class Visit>
void fields_of(CondenseSpec& spec, Visit&& visit) {
  visit("independent", spec.independent, "nodes kept, 'link:node'; empty: chosen automatically");
  visit("held", spec.held, "names of joints that are locked");
  visit("tool", spec.tool, "node whose 6 x 6 stiffness and mass are wanted, 'link:node'");
  visit("route", spec.route, "'superelements' or 'direct'");
  visit("count", spec.count, "natural frequencies");
  visit("full", spec.full, "also frequencies of the mesh without condensation");
  visit("hold_spins", spec.hold_spins, "struts do not spin about their own line");
}

template <class Visit>
void fields_of(ControlSpec& spec, Visit&& visit) {
  fields_of(spec.simulate.formulation, visit);
  run_fields_of(spec.simulate, visit);
  visit("controllers", spec.controllers, "names; empty: all");
  visit("payloads", spec.payloads, "also with other payloads, and at equal settling times");
}

template <class Visit>
void fields_of(CompareSpec& spec, Visit&& visit) {
  visit("formulations", spec.formulations, "names, the first is the reference: 'floating-frame+chord' adds a setting");
  run_fields_of(spec.simulate, visit);
}

template <class Visit>
void fields_of(SettleSpec& spec, Visit&& visit) {
  fields_of(spec.motion.formulation, visit);
  visit("output_step", spec.motion.output_step, "s between recorded values");
  visit("integrator", spec.motion.integrator, "as of simulate");
  visit("tolerance", spec.motion.tolerance, "m, error of node positions per second of motion");
  visit("controllers", spec.motion.controllers, "names of those that act; empty: the active ones; ['none']: none");
  visit("tool", spec.tool, "node to look at, 'link:node'; empty: all position sensors");
  visit("band", spec.band, "m, distance from rest that counts as settled");
  visit("after", spec.after, "s that are simulated after the motion");
  visit("move_end", spec.move_end, "s, when the motion ends; 0: the last prescribed one");
}

template <class Visit>
void fields_of(SettleMapSpec& spec, Visit&& visit) {
  visit("axes", spec.axes, "where the motions end: 'tool.x = 0.2 : 0.6 : 30', as of sweep");
  visit("set", spec.set, "for all points: 'tool.z = -570 mm'");
  visit("orientation", spec.orientation, "of the tool: 'automatic', 'keep' or 'free'");
  visit("threads", spec.threads, "0: as many as there are processors");
  fields_of(spec.settle, visit);
}

template <class Visit>
void fields_of(ShapeSpec& spec, Visit&& visit) {
  fields_of(spec.settle, visit);
  visit("slowest", spec.slowest, "longest duration that is tried, of the model's");
  visit("least", spec.least, "modes count from this part of the largest vibration on");
}

template <class Visit>
void fields_of(ContributionSpec& spec, Visit&& visit) {
  fields_of(spec.formulation, visit);
  visit("tool", spec.tool, "node whose compliance is shared out, 'link:node'");
  visit("held", spec.held, "joints that motors hold; empty: those with drives or motors");
  visit("count", spec.count, "natural frequencies");
}

template <class Visit>
void fields_of(FeedforwardSpec& spec, Visit&& visit) {
  visit("end_time", spec.end_time, "s; 0: when the last prescribed motion ends");
  visit("output_step", spec.output_step, "s between recorded values");
  visit("tolerance", spec.tolerance, "m, of the simulation that checks the result");
}

template <class Visit>
void fields_of(IdentifySpec& spec, Visit&& visit) {
  visit("fit", spec.fit, "numbers of the model file: 'joints.elbow.stiffness', or 'path = lower : upper'");
  visit("set", spec.set, "numbers that were others during the measurement: 'path = value'");
  visit("held", spec.held, "joints that were locked while frequencies were measured");
  visit("confidence", spec.confidence, "of the intervals");
  visit("max_iterations", spec.max_iterations, "of each fit");
  visit("threads", spec.threads, "0: as many as there are processors");
  fields_of(spec.motion.formulation, visit);
  visit("integrator", spec.motion.integrator, "of motions: as of simulate");
  visit("tolerance", spec.motion.tolerance, "m, error of node positions per second of motion");
}

template <class Visit>
void fields_of(SizeSpec& spec, Visit&& visit) {
  fields_of(spec.formulation, visit);
  visit("flexible", spec.flexible, "links and gearboxes bend; False: all rigid");
  visit("end_time", spec.end_time, "s, length of the cycle; 0: until the last motion ends");
  visit("output_step", spec.output_step, "s between the values that are looked at");
  visit("tolerance", spec.tolerance, "m, error of node positions per second of motion");
}

template <class Visit>
void fields_of(SweepSpec& spec, Visit&& visit) {
  visit("axes", spec.axes, "'tool.x = -0.1 : 0.1 : 21', 'joint.elbow = 0 deg, 90 deg', or numbers of the model file");
  visit("set", spec.set, "for all points: 'tool.z = -570 mm'");
  visit("analysis", spec.analysis, "what is repeated: a kind, or the name of an analysis of the model");
  visit("formulation", spec.formulation, "None: as that analysis has it");
  visit("spin", spec.spin, "None: as that analysis has it");
  visit("integrator", spec.integrator, "None: as that analysis has it");
  visit("about", spec.about, "None: as that analysis has it");
  visit("end_time", spec.end_time, "s; None: as that analysis has it");
  visit("tolerance", spec.tolerance, "m; None: as that analysis has it");
  visit("independent", spec.independent, "of condense: nodes kept, 'link:node'");
  visit("held", spec.held, "names of joints that are locked");
  visit("tool", spec.tool, "its node, 'link:node'");
  visit("count", spec.count, "natural frequencies or eigenvalues per point");
  visit("hold_spins", spec.hold_spins, "struts do not spin about their own line");
  visit("orientation", spec.orientation, "of the tool: 'automatic', 'keep' or 'free'");
  visit("springs_stay", spec.springs_stay, "rest values of joint springs stay when their joint is moved");
  visit("threads", spec.threads, "0: as many as there are processors");
}

}  // namespace lithe::python
