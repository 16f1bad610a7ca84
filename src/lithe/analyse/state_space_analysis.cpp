// The linear model as a control engineer takes it along: few states, sampled, with poles, zeros, gains and margins.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/linear/separate_integrators.h"
#include "lithe/analyse/reduction/observations.h"
#include "lithe/analyse/stability/steady_motion.h"
#include "lithe/analyse/stability/stiffening.h"
#include "lithe/base/computation_error.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"
#include "lithe/control/linear/channel_analysis.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/linear/reduce_linear.h"
#include "lithe/formulate/formulation.h"

namespace lithe {
namespace {

std::string quoted(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += cat(list.empty() ? "'" : ", '", name, "'");
  return list;
}

void check_spec(const StateSpaceSpec& spec) {
  if (spec.reduction != "balanced" && spec.reduction != "modal")
    throw InputError(cat("the reduction must be balanced or modal, not '", spec.reduction, "'"));
  if (spec.discretisation != "hold" && spec.discretisation != "tustin")
    throw InputError(cat("the discretisation must be hold or tustin, not '", spec.discretisation, "'"));
  if (spec.delay > 0 && !(spec.sample_time > 0)) throw InputError("a delay is in samples: give a sample time");
}

// The rows of the outputs that are wanted; all of them where none is named.
void choose_outputs(const std::vector<std::string>& names, StateSpace& system) {
  if (names.empty()) return;
  std::vector<std::string> known;
  for (const Channel& output : system.outputs) known.push_back(output.name);
  MatrixX c(static_cast<Eigen::Index>(names.size()), system.num_states()), d(c.rows(), system.num_inputs());
  std::vector<Channel> outputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = std::find(known.begin(), known.end(), names[i]);
    if (found == known.end()) {
      const std::string near = nearest_name(names[i], known);
      throw InputError(cat("there is no sensor '", names[i], "'",
                           near.empty() ? "" : cat("; did you mean '", near, "'?"), " There are: ", quoted(known)));
    }
    const Eigen::Index row = found - known.begin();
    c.row(static_cast<Eigen::Index>(i)) = system.c.row(row);
    d.row(static_cast<Eigen::Index>(i)) = system.d.row(row);
    outputs.push_back(system.outputs[static_cast<std::size_t>(row)]);
  }
  system.c = c;
  system.d = d;
  system.outputs = outputs;
}

// The mechanism at rest, held by its drives.
SeparatedSystem held_system(const Model& model, const StateSpaceSpec& spec, StateSpaceResult& outcome) {
  std::shared_ptr<const Equations> equations = make_equations(model, spec.formulation);
  if (StiffenedEquations stiff = stiffened_at_rest(*equations); stiff.equations) {
    equations = std::move(stiff.equations);
    outcome.notes.push_back(std::move(stiff.note));
  }
  if (std::string note = unstiffened_links(*equations); !note.empty()) outcome.notes.push_back(std::move(note));
  outcome.formulation = equations->name();
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0, inputs);
  const SteadyMotion rest = steady_motion(*equations, equations->initial_state(), inputs, std::nullopt, 0);
  if (!rest.found) throw ComputationError(cat("no linear model of '", model.name, "': ", rest.message));
  const std::vector<LinearInput> acting =
      spec.inputs.empty() ? default_inputs(*equations) : inputs_by_name(*equations, spec.inputs);
  if (acting.empty())
    outcome.notes.push_back("no inputs: there is no load, and no joint whose motion no drive prescribes");
  const LinearResult found = linearise(*equations, rest.state, rest.inputs, acting, LinearAbout::held);
  if (found.status != EvaluationStatus::ok)
    throw ComputationError(cat("no linear model of '", model.name, "': ", found.message));
  return separate_integrators(found.model, equations->num_joint_coordinates());
}

// Integrators that an input reaches and an output sees stay whole; `order` counts them.
void reduce_states(const StateSpaceSpec& spec, StateSpaceResult& outcome) {
  SeparatedSystem& system = outcome.separated;
  if (spec.minimal) {
    system = reachable_integrators(system);
    system.rest = minimal_realisation(system.rest);
  }
  if (!spec.states && !spec.error) return;
  const Eigen::Index integrators = system.integrators.num_states();
  const Eigen::Index order = std::max<Eigen::Index>(spec.states.value_or(0) - integrators, 0);
  const bool undamped = ChannelAnalysis(system, Sampling::none, 0, 0).has_undamped();
  ReducedSystem reduced;
  if (spec.error) {
    if (spec.reduction != "balanced")
      throw InputError("a bound of the error: only a balanced truncation keeps a given bound");
    if (undamped)
      throw InputError(
          "a bound of the error: modes without damping have none but all of them; give the links damping, or a number "
          "of states");
    reduced = balanced_truncation_to(system.rest, *spec.error);
  } else if (spec.reduction == "balanced" && !undamped) {
    reduced = balanced_truncation(system.rest, order);
  } else {
    reduced = modal_truncation(system.rest, order, spec.keep_static_gain,
                               spec.reduction == "balanced" ? ModeOrder::gain : ModeOrder::slowest);
  }
  if (!reduced.message.empty()) throw ComputationError(cat("the reduction failed: ", reduced.message));
  if (undamped && spec.reduction == "balanced")
    outcome.notes.emplace_back(
        "modes without damping have no Gramians: those with the largest gains are kept, as balanced truncation does "
        "for "
        "light damping (Gregory 1984); there is no bound of the error at the resonances left out");
  if (spec.states && system.integrators.num_states() + reduced.system.num_states() > *spec.states)
    outcome.notes.push_back(cat("integrators, unstable poles and pairs of poles stay whole: ",
                                integrators + reduced.system.num_states(), " states instead of ", *spec.states));
  reduced.system.inputs = system.rest.inputs;
  reduced.system.outputs = system.rest.outputs;
  system.rest = reduced.system;
  outcome.error_bound = reduced.error_bound;
  outcome.hankel = reduced.hankel;
}

void sample_system(const StateSpaceSpec& spec, StateSpaceResult& outcome) {
  const SeparatedSystem& parts = outcome.separated;
  outcome.system = parts.whole();
  if (spec.sample_time > 0) {
    const bool bilinear = spec.discretisation == "tustin";
    outcome.sampling = bilinear ? Sampling::tustin : Sampling::hold;
    const auto sampled = [&](const StateSpace& part) {
      return bilinear ? tustin(part, spec.sample_time) : zero_order_hold(part, spec.sample_time);
    };
    outcome.system = sum(sampled(parts.integrators), sampled(parts.rest));
    const StateSpace& found = outcome.system;
    if (!found.a.allFinite() || !found.b.allFinite() || !found.c.allFinite() || !found.d.allFinite())
      throw InputError(cat("sample time ", spec.sample_time, " s: the sampled model is not finite"));
    if (spec.delay > 0) outcome.system = with_input_delay(outcome.system, spec.delay);
  }
  outcome.system.inputs = parts.rest.inputs;
  outcome.system.outputs = parts.rest.outputs;
  outcome.system.states.clear();
  for (Eigen::Index k = 0; k < outcome.system.num_states(); ++k)
    outcome.system.states.push_back({cat("state ", k + 1), ""});
}

// Responses of all channels beside the axis of frequencies, at s = ω (0.05 + i): there they are finite without damping.
void add_responses(const StateSpace& system, double lowest, double highest, Observation& observation) {
  constexpr int count = 12;
  constexpr double slant = 0.05;
  std::vector<ComplexMatrix> responses;
  for (int k = 0; k < count; ++k) {
    const double omega = 2 * std::numbers::pi * lowest * std::pow(highest / lowest, k / (count - 1.0));
    StateSpace shifted = system;
    shifted.a.diagonal().array() -= slant * omega;
    responses.push_back(frequency_response(shifted, omega));
  }
  for (Eigen::Index i = 0; i < system.num_outputs(); ++i)
    for (Eigen::Index j = 0; j < system.num_inputs(); ++j) {
      ComplexVector channel(count);
      for (int k = 0; k < count; ++k) channel(k) = responses[static_cast<std::size_t>(k)](i, j);
      observation.readings.push_back(
          reading_of(system.outputs[static_cast<std::size_t>(i)], system.inputs[static_cast<std::size_t>(j)], channel));
    }
  judge_by_unit(observation.readings);
}

// Modes up to half the sampling rate, or the first 20, and the responses in that band.
Observation observe_state_space(const StateSpaceResult& found, const StateSpaceSpec& spec) {
  constexpr int num_listed = 20;
  const double limit = spec.sample_time > 0 ? 0.5 / spec.sample_time : std::numeric_limits<double>::infinity();
  std::vector<double> frequencies;
  int in_band = 0;
  for (const ModeFigures& mode : found.modes) {
    if (mode.integrator > 0) continue;
    frequencies.push_back(std::abs(mode.rate) / (2 * std::numbers::pi));
    if (frequencies.back() <= limit && (spec.sample_time > 0 || in_band < num_listed)) ++in_band;
  }
  Observation observation;
  add_frequencies(Eigen::Map<const VectorX>(frequencies.data(), static_cast<Eigen::Index>(frequencies.size())), in_band,
                  observation);
  if (in_band == 0 || !(frequencies.front() > 0)) return observation;
  const double highest = spec.sample_time > 0 ? limit : frequencies[static_cast<std::size_t>(in_band - 1)];
  add_responses(found.separated.rest, std::min(frequencies.front() / 3, 0.1 * highest), highest, observation);
  return observation;
}

}  // namespace

StateSpaceResult state_space(const Model& model, const StateSpaceSpec& spec) {
  check_spec(spec);
  if (leaves_modes_open(model, spec.formulation.formulation))
    return with_chosen_modes(
        model, [&](const Model& rung) { return state_space(rung, spec); },
        [&](const StateSpaceResult& found) { return observe_state_space(found, spec); });
  StateSpaceResult outcome;
  outcome.model = model.name;
  outcome.separated = held_system(model, spec, outcome);
  choose_outputs(spec.sensors, outcome.separated.integrators);
  choose_outputs(spec.sensors, outcome.separated.rest);
  outcome.full_states = outcome.separated.integrators.num_states() + outcome.separated.rest.num_states();
  reduce_states(spec, outcome);
  sample_system(spec, outcome);
  const ChannelAnalysis analysis(outcome.separated, outcome.sampling, spec.sample_time, spec.delay);
  outcome.modes = analysis.modes();
  outcome.zeros = transmission_zeros(outcome.system);
  outcome.stable = analysis.is_stable();
  for (Eigen::Index j = 0; j < outcome.system.num_inputs(); ++j)
    for (Eigen::Index i = 0; i < outcome.system.num_outputs(); ++i) outcome.channels.push_back(analysis.figures(i, j));
  return outcome;
}

}  // namespace lithe
