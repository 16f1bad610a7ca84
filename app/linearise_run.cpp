#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "app/consent.h"
#include "app/control_choice.h"
#include "app/interrupt.h"
#include "app/linearise.h"
#include "app/mode_choice.h"
#include "app/motion.h"
#include "app/progress.h"
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/observe/deformation.h"
#include "lithe/analyse/sweep/configuration_model.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

double read_number(const std::string& text, const std::string& what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw InputError(cat(what, ": '", text, "' is no number"));
  return value;
}

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

class Linearisation {
 public:
  Linearisation(const Model& model, const LineariseSettings& settings)
      : settings_(settings),
        model_(with_solved_configuration(model, settings.formulation, settings.held)),
        equations_(make_equations(model_, settings.formulation)),
        inputs_(settings.inputs.empty() ? default_inputs(*equations_) : inputs_by_name(*equations_, settings.inputs)) {
    forget_mode_choice_of(settings.formulation.formulation);
    outcome_.model = model.name;
    outcome_.formulation = equations_->name();
    if (!settings.spin.empty()) {
      const JointFreedom freedom = joint_freedom(model_, settings.spin);
      spin_ = SteadyFreedom{freedom.joint, freedom.freedom};
    }
    if (spin_) {
      outcome_.spin = settings.spin;
      outcome_.speed_unit = is_rotation(model_.joints[spin_->joint].type, spin_->freedom) ? "rad/s" : "m/s";
    }
  }

  LineariseOutcome run() {
    if (settings_.floquet) {
      periodic_motion();
    } else if (settings_.about == "motion") {
      along_motion();
    } else {
      at_rest();
    }
    if (!outcome_.failure.empty()) return outcome_;
    draw();
    if (!settings_.response.empty()) respond();
    if (!settings_.speeds.empty()) campbell();
    if (settings_.buckling > 0)
      outcome_.buckling = buckling_factors(*equations_, equations_->initial_state(), settings_.buckling);
    return outcome_;
  }

 private:
  void add(const LinearResult& result, const Inputs& inputs, LinearAbout about, double time) {
    LinearModes modes;
    if (result.status != EvaluationStatus::ok) {
      outcome_.failure = result.message;
    } else if (!linear_modes(result.model, modes)) {
      outcome_.failure = describe(EvaluationStatus::singular_mass);
    } else {
      outcome_.models.push_back(result.model);
      outcome_.modes.push_back(std::move(modes));
      outcome_.times.push_back(time);
      if (auto transfer = transfer_matrices_of(result.model.state, inputs, about))
        outcome_.transfer.push_back(std::move(*transfer));
    }
  }

  std::optional<TransferMatrices> transfer_matrices_of(const State& state, const Inputs& inputs, LinearAbout about) {
    Accelerations accelerations{VectorX::Zero(equations_->num_coordinates())};
    if (about == LinearAbout::motion) equations_->evaluate(state, inputs, *equations_->make_workspace(), accelerations);
    return transfer_matrices(*equations_, state, inputs, accelerations.values);
  }

  // A verdict on stability may come from terms that are not there.
  void note_left_out(const SteadyMotion& motion) {
    const std::string note = left_out_stiffening(*equations_, motion.state, motion.inputs);
    if (note.empty() || outcome_.lacks_stiffening) return;
    outcome_.lacks_stiffening = true;
    outcome_.notes.push_back(note);
  }

  void at_rest() {
    const State start = equations_->initial_state();
    Inputs inputs = make_inputs(model_);
    evaluate_inputs(model_, 0, inputs);
    for (auto& joint : inputs.prescribed_motion)
      for (SignalValue& motion : joint) motion.rate = motion.acceleration = 0;
    if (settings_.about == "initial") {
      State still = start;
      still.speeds.setZero();
      return add(linearise(*equations_, still, inputs, inputs_, LinearAbout::held), inputs, LinearAbout::held, 0);
    }
    if (settings_.about == "equilibrium") {
      const Equilibrium found = equilibrium(*equations_, start, {.inputs = &inputs});
      if (!found.converged) {
        outcome_.failure = found.message;
        return;
      }
      if (!found.stable) outcome_.notes.push_back("the equilibrium is unstable");
      return add(linearise(*equations_, found.state, inputs, inputs_, LinearAbout::held), inputs, LinearAbout::held, 0);
    }
    const SteadyMotion motion = steady_motion(*equations_, start, inputs, spin_, settings_.speed);
    if (!motion.found) {
      outcome_.failure = motion.message;
      return;
    }
    add(linearise(*equations_, motion.state, motion.inputs, inputs_, LinearAbout::held), motion.inputs,
        LinearAbout::held, 0);
    if (outcome_.models.empty()) return;
    note_left_out(motion);
    const VectorX& force = outcome_.models.front().nominal_force;
    if (force.size() > 0 && force.cwiseAbs().maxCoeff() > 1e-6)
      outcome_.notes.push_back("drives hold the joints: without their torque the configuration is no equilibrium");
  }

  void along_motion() {
    SimulateOptions options;
    if (const AnalysisRequest* request = find_analysis(model_, AnalysisKind::simulate))
      apply_settings(*request, options);
    options.output_times = settings_.times;
    options.end_time = settings_.times.back();
    const Trajectory motion = run_simulation(*equations_, options, nullptr);
    if (motion.end != RunEnd::finished) {
      outcome_.failure = motion.message;
      return;
    }
    Inputs inputs = make_inputs(model_);
    for (std::size_t i = 0; i < motion.times.size() && outcome_.failure.empty(); ++i) {
      if (std::none_of(settings_.times.begin(), settings_.times.end(),
                       [&](double time) { return std::abs(time - motion.times[i]) < 1e-12; }))
        continue;
      evaluate_inputs(model_, motion.times[i], inputs);
      add(linearise(*equations_, motion.states[i], inputs, inputs_, LinearAbout::motion), inputs, LinearAbout::motion,
          motion.times[i]);
    }
  }

  // Multipliers, and the linear model at the start of the period.
  void periodic_motion() {
    FloquetOptions options;
    options.period = settings_.period;
    if (!settings_.times.empty()) options.start_time = settings_.times.front();
    const FloquetResult found = floquet(*equations_, options);
    if (!found.found) {
      outcome_.failure = found.message;
      return;
    }
    Inputs inputs = make_inputs(model_);
    evaluate_inputs(model_, found.start.time, inputs);
    add(linearise(*equations_, found.start, inputs, inputs_, LinearAbout::motion), inputs, LinearAbout::motion,
        found.start.time);
    outcome_.floquet = found;
  }

  // The configuration, and its modes where the mechanism is at rest.
  void draw() {
    const State& state = outcome_.models.front().state;
    outcome_.configuration = sample_configuration(*equations_, state);
    if (settings_.floquet || settings_.about == "motion" || settings_.speed != 0) return;
    const ModesResult found = mechanism_modes(*equations_, state, settings_.count);
    if (found.status == EvaluationStatus::ok)
      outcome_.mode_set = mechanism_mode_set(*equations_, state, found.modes, settings_.count);
  }

  void respond() {
    outcome_.response_frequencies = settings_.response;
    std::vector<double> omegas;
    for (const double hertz : settings_.response) omegas.push_back(2 * std::numbers::pi * hertz);
    outcome_.response = frequency_response(outcome_.models.front(), omegas);
  }

  void campbell() {
    if (!spin_) throw InputError("a Campbell diagram needs the joint that turns: give it as spin");
    Progress progress("campbell");
    CampbellOptions options{*spin_, settings_.speeds, settings_.count, [&](double part) { progress.update(part); }};
    outcome_.campbell = campbell_diagram(*equations_, equations_->initial_state(), options);
    if (!outcome_.campbell->speeds.empty()) {
      const SteadyMotion fastest = steady_motion(*equations_, equations_->initial_state(), make_inputs(model_), spin_,
                                                 outcome_.campbell->speeds.back());
      if (fastest.found) note_left_out(fastest);
    }
    if (!outcome_.campbell->message.empty())
      outcome_.notes.push_back(cat("the Campbell diagram ends early: ", outcome_.campbell->message));
  }

  const LineariseSettings& settings_;
  Model model_;
  std::unique_ptr<Equations> equations_;
  std::vector<LinearInput> inputs_;
  std::optional<SteadyFreedom> spin_;
  LineariseOutcome outcome_;
};

}  // namespace

std::vector<double> read_range(const std::string& text, const std::string& what, bool geometric) {
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    throw InputError(cat(what, ": expected FROM:TO:COUNT, not '", text, "'"));
  const double from = read_number(text.substr(0, first), what);
  const double to = read_number(text.substr(first + 1, second - first - 1), what);
  const double count = read_number(text.substr(second + 1), what);
  if (!(to > from) || count < 2 || count > 1e6 || count != std::floor(count) || (geometric && !(from > 0)))
    throw InputError(cat(what, ": FROM must be below TO", geometric ? " and positive" : "",
                         ", and COUNT a whole number from 2 to 1000000, in '", text, "'"));
  std::vector<double> values;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const double part = i / (count - 1);
    values.push_back(geometric ? from * std::pow(to / from, part) : from + (to - from) * part);
  }
  return values;
}

namespace {

// A range of the file; an error in it is reported with its place.
std::vector<double> range_of(const AnalysisRequest& request, const std::string& key, bool geometric) {
  const std::optional<std::string> text = request.text(key);
  if (!text) return {};
  try {
    return read_range(*text, cat("analysis linearise: ", key), geometric);
  } catch (const InputError& error) {
    std::vector<Diagnostic> errors = error.errors();
    for (Diagnostic& entry : errors) {
      entry.file = request.place.file;
      entry.line = request.place.line;
      entry.column = request.place.column;
    }
    throw InputError(std::move(errors));
  }
}

}  // namespace

LineariseSettings linearise_settings(const AnalysisRequest* request) {
  LineariseSettings settings;
  if (!request) return settings;
  apply_settings(*request, settings.formulation);
  settings.about = request->text("about").value_or(settings.about);
  settings.inputs = request->texts("inputs");
  settings.held = request->texts("held");
  settings.spin = request->text("spin").value_or("");
  settings.speed = request->number("speed").value_or(0);
  settings.speeds = range_of(*request, "speeds", false);
  settings.response = range_of(*request, "response", true);
  settings.times = range_of(*request, "times", false);
  settings.count = static_cast<int>(request->number("count").value_or(settings.count));
  settings.buckling = static_cast<int>(request->number("buckling").value_or(0));
  settings.period = request->number("period").value_or(0);
  settings.floquet = request->flag("floquet").value_or(settings.period > 0);
  return settings;
}

LineariseOutcome run_linearise(const Model& model, const LineariseSettings& settings) {
  if (settings.about == "motion" && settings.times.empty() && !settings.floquet)
    throw InputError("to linearise about a motion, give the times at which");
  if (settings.about == "motion") require_consent(model, acting_controllers(model, {}));
  return Linearisation(model, settings).run();
}

}  // namespace lithe::app
