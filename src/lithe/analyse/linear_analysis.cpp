// Linear models about a configuration, a steady or a simulated motion, and what follows from them.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/linear/transfer_matrices.h"
#include "lithe/analyse/observe/deformation.h"
#include "lithe/analyse/reduction/observations.h"
#include "lithe/analyse/stability/floquet.h"
#include "lithe/analyse/stability/stiffening.h"
#include "lithe/analyse/sweep/configuration_model.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/automatic_stiffening.h"
#include "lithe/formulate/formulation.h"

namespace lithe {
namespace {

// A closed chain's initial values need not be those of the file: the brake holds what the configuration has.
Model with_solved_configuration(const Model& model, const FormulationChoice& choice,
                                const std::vector<std::string>& held) {
  if (held.empty()) return model;
  const std::unique_ptr<Equations> equations = make_equations(model, choice);
  const State state = equations->initial_state();
  const std::unique_ptr<Workspace> workspace = equations->make_workspace();
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0, inputs);
  Accelerations none;
  none.values = VectorX::Zero(equations->num_coordinates());
  Model solved = model;
  for (const std::string& name : held) {
    const JointFreedom freedom = joint_freedom(model, name);
    solved.joints[freedom.joint].initial_value[freedom.freedom] =
        equations->joint_motion(state, inputs, none, freedom.joint, freedom.freedom, *workspace).value;
  }
  return with_held_joints(std::move(solved), held);
}

class LinearAnalysis {
 public:
  LinearAnalysis(const Model& model, const LineariseSpec& spec, const RunHooks& hooks)
      : spec_(spec),
        hooks_(hooks),
        model_(with_solved_configuration(model, spec.formulation, spec.held)),
        equations_(make_equations(model_, spec.formulation)),
        inputs_(spec.inputs.empty() ? default_inputs(*equations_) : inputs_by_name(*equations_, spec.inputs)) {
    result_.equations = equations_;
    if (spec.spin.empty()) return;
    const JointFreedom freedom = joint_freedom(model_, spec.spin);
    spin_ = SteadyFreedom{freedom.joint, freedom.freedom};
    result_.spin = spec.spin;
    result_.speed_unit = is_rotation(model_.joints[spin_->joint].type, spin_->freedom) ? "rad/s" : "m/s";
  }

  LineariseResult run() {
    choose_stiffening();
    if (spec_.floquet) {
      about_periodic_motion();
    } else if (spec_.about == LineariseAbout::motion) {
      along_motion();
    } else {
      about_rest();
    }
    if (!result_.failure.empty()) return std::move(result_);
    if (std::string note = unstiffened_links(*equations_); !note.empty() && spec_.about != LineariseAbout::motion)
      result_.notes.push_back(std::move(note));
    result_.about_rest = !spec_.floquet && spec_.about != LineariseAbout::motion && spec_.speed == 0;
    if (!spec_.response.empty()) respond();
    if (!spec_.speeds.empty()) campbell();
    if (spec_.buckling > 0)
      result_.buckling = buckling_factors(*equations_, equations_->initial_state(), spec_.buckling);
    return std::move(result_);
  }

 private:
  void add(const LinearResult& found, const Inputs& inputs, LinearAbout about, double time) {
    LinearModes modes;
    if (found.status != EvaluationStatus::ok) {
      result_.failure = found.message;
    } else if (!linear_modes(found.model, modes)) {
      result_.failure = describe(EvaluationStatus::singular_mass);
    } else {
      result_.models.push_back(found.model);
      result_.modes.push_back(std::move(modes));
      result_.times.push_back(time);
      if (auto transfer = transfer_matrices_of(found.model.state, inputs, about))
        result_.transfer.push_back(std::move(*transfer));
    }
  }

  std::optional<TransferMatrices> transfer_matrices_of(const State& state, const Inputs& inputs, LinearAbout about) {
    Accelerations accelerations{VectorX::Zero(equations_->num_coordinates())};
    if (about == LinearAbout::motion) equations_->evaluate(state, inputs, *equations_->make_workspace(), accelerations);
    return transfer_matrices(*equations_, state, inputs, accelerations.values);
  }

  void use(std::shared_ptr<const Equations> equations) {
    if (!equations) return;
    equations_ = std::move(equations);
    result_.equations = equations_;
  }

  // Geometric stiffening that is left to the analysis. A Campbell diagram and loads that make a structure buckle need
  // it: without it every arm becomes unstable at some speed, and none buckles. Along motions simulate() finds out.
  void choose_stiffening() {
    if (!can_stiffen(*equations_) || (spec_.about == LineariseAbout::motion && !spec_.floquet)) return;
    if (!spec_.speeds.empty() || spec_.buckling > 0) return use(stiffened(*equations_));
    if (spec_.floquet) return choose_stiffening_of_period();
    Inputs inputs = make_inputs(model_);
    evaluate_inputs(model_, 0, inputs);
    StiffenedEquations found = stiffened_about(*equations_, equations_->initial_state(), inputs, spin_, spec_.speed);
    use(std::move(found.equations));
    if (!found.note.empty()) result_.notes.push_back(std::move(found.note));
  }

  void choose_stiffening_of_period() {
    const double start = spec_.times.empty() ? 0 : spec_.times.front();
    SimulateOptions options;
    options.end_time = start + (spec_.period > 0 ? spec_.period : drive_period(model_, start));
    options.output_step = 0;
    options.output_times = {options.end_time};
    options.energy_balance = false;
    options.end_stops = EndStops::ignore;
    options.start = start_state;
    options.cancel = hooks_.cancel;
    const Trajectory motion = lithe::simulate(*equations_, start_state(*equations_), options);
    use(motion.equations);
    result_.notes.insert(result_.notes.end(), motion.notes.begin(), motion.notes.end());
  }

  // A verdict on stability may come from terms that are not there.
  void note_left_out(const SteadyMotion& motion) {
    const std::string note = left_out_stiffening(*equations_, motion.state, motion.inputs);
    if (note.empty() || result_.lacks_stiffening) return;
    result_.lacks_stiffening = true;
    result_.notes.push_back(note);
  }

  void about_rest() {
    const State start = equations_->initial_state();
    Inputs inputs = make_inputs(model_);
    evaluate_inputs(model_, 0, inputs);
    bring_to_rest(inputs);
    if (spec_.about == LineariseAbout::initial) {
      State still = start;
      still.speeds.setZero();
      return add(linearise(*equations_, still, inputs, inputs_, LinearAbout::held), inputs, LinearAbout::held, 0);
    }
    if (spec_.about == LineariseAbout::equilibrium) {
      const Equilibrium found = equilibrium(*equations_, start, {.hold_all_joints = false, .inputs = &inputs});
      if (!found.converged) {
        result_.failure = found.message;
        return;
      }
      if (!found.stable) result_.notes.emplace_back("the equilibrium is unstable");
      return add(linearise(*equations_, found.state, inputs, inputs_, LinearAbout::held), inputs, LinearAbout::held, 0);
    }
    const SteadyMotion motion = steady_motion(*equations_, start, inputs, spin_, spec_.speed);
    if (!motion.found) {
      result_.failure = motion.message;
      return;
    }
    add(linearise(*equations_, motion.state, motion.inputs, inputs_, LinearAbout::held), motion.inputs,
        LinearAbout::held, 0);
    if (result_.models.empty()) return;
    note_left_out(motion);
    const VectorX& force = result_.models.front().nominal_force;
    if (force.size() > 0 && force.cwiseAbs().maxCoeff() > 1e-6)
      result_.notes.emplace_back("drives hold the joints: without their torque the configuration is no equilibrium");
  }

  void along_motion() {
    SimulateSpec wanted = spec_.motion;
    wanted.formulation = spec_.formulation;
    wanted.output_times = spec_.times;
    wanted.end_time = spec_.times.back();
    SimulateHooks hooks;
    static_cast<RunHooks&>(hooks) = hooks_;
    const SimulatedMotion motion = simulate(model_, wanted, hooks);
    if (motion.end != RunEnd::finished) {
      result_.failure = motion.message;
      return;
    }
    use(motion.equations);
    for (const std::vector<std::string>* said : {&motion.notes, &motion.warnings})
      result_.notes.insert(result_.notes.end(), said->begin(), said->end());
    Inputs inputs = make_inputs(model_);
    for (std::size_t i = 0; i < motion.times.size() && result_.failure.empty(); ++i) {
      if (std::none_of(spec_.times.begin(), spec_.times.end(),
                       [&](double time) { return std::abs(time - motion.times[i]) < 1e-12; }))
        continue;
      evaluate_inputs(model_, motion.times[i], inputs);
      add(linearise(*equations_, motion.states[i], inputs, inputs_, LinearAbout::motion), inputs, LinearAbout::motion,
          motion.times[i]);
    }
  }

  // Multipliers, and the linear model at the start of the period.
  void about_periodic_motion() {
    FloquetOptions options;
    options.period = spec_.period;
    options.cancel = hooks_.cancel;
    if (!spec_.times.empty()) options.start_time = spec_.times.front();
    const FloquetResult found = floquet(*equations_, options);
    if (!found.found) {
      result_.failure = found.message;
      return;
    }
    Inputs inputs = make_inputs(model_);
    evaluate_inputs(model_, found.start.time, inputs);
    add(linearise(*equations_, found.start, inputs, inputs_, LinearAbout::motion), inputs, LinearAbout::motion,
        found.start.time);
    result_.floquet = found;
  }

  void respond() {
    result_.response_frequencies = spec_.response;
    std::vector<double> omegas;
    for (const double hertz : spec_.response) omegas.push_back(2 * std::numbers::pi * hertz);
    result_.response = frequency_response(result_.models.front(), omegas);
  }

  void campbell() {
    if (!spin_) throw InputError("a Campbell diagram needs the joint that turns: give it as spin");
    const CampbellOptions options{*spin_, spec_.speeds, spec_.count, hooks_.progress, hooks_.cancel};
    result_.campbell = campbell_diagram(*equations_, equations_->initial_state(), options);
    const bool cancelled = hooks_.cancel && *hooks_.cancel;
    if (!cancelled && !result_.campbell->speeds.empty()) {
      const SteadyMotion fastest = steady_motion(*equations_, equations_->initial_state(), make_inputs(model_), spin_,
                                                 result_.campbell->speeds.back());
      if (fastest.found) note_left_out(fastest);
    }
    if (!result_.campbell->message.empty())
      result_.notes.push_back(cat("the Campbell diagram ends early: ", result_.campbell->message));
  }

  const LineariseSpec& spec_;
  const RunHooks& hooks_;
  Model model_;
  std::shared_ptr<const Equations> equations_;
  std::vector<LinearInput> inputs_;
  std::optional<SteadyFreedom> spin_;
  LineariseResult result_;
};

// Frequencies of the modes that are listed, and the response where it is asked for.
Observation observe_linear(const LineariseResult& found, const LineariseSpec& spec) {
  Observation observation;
  observation.finished = found.failure.empty() && !found.modes.empty();
  if (!observation.finished) return observation;
  const LinearModes& modes = found.modes.front();
  VectorX frequencies(static_cast<Eigen::Index>(modes.eigenvalues.size()));
  for (std::size_t k = 0; k < modes.eigenvalues.size(); ++k)
    frequencies(static_cast<Eigen::Index>(k)) = modes.frequency(k);
  add_frequencies(frequencies, spec.count, observation);
  const LinearModel& model = found.models.front();
  for (std::size_t i = 0; i < model.outputs.size() && !found.response.empty(); ++i)
    for (std::size_t j = 0; j < model.inputs.size(); ++j) {
      Eigen::VectorXcd channel(static_cast<Eigen::Index>(found.response.size()));
      for (std::size_t k = 0; k < found.response.size(); ++k)
        channel(static_cast<Eigen::Index>(k)) =
            found.response[k](static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      observation.readings.push_back(reading_of(model.outputs[i], model.inputs[j], channel));
    }
  judge_by_unit(observation.readings);
  return observation;
}

// What else an analysis tells has no measure here.
bool has_measure(const LineariseSpec& spec) {
  return spec.about != LineariseAbout::motion && !spec.floquet && spec.buckling == 0 && spec.speeds.empty();
}

}  // namespace

LineariseResult linearise(const Model& model, const LineariseSpec& spec, const RunHooks& hooks) {
  if (spec.about == LineariseAbout::motion && spec.times.empty() && !spec.floquet)
    throw InputError("to linearise about a motion, give the times at which");
  if (leaves_modes_open(model, spec.formulation.formulation) && has_measure(spec))
    return with_chosen_modes(
        model, [&](const Model& rung) { return linearise(rung, spec, hooks); },
        [&](const LineariseResult& found) { return observe_linear(found, spec); });
  return LinearAnalysis(model, spec, hooks).run();
}

}  // namespace lithe
