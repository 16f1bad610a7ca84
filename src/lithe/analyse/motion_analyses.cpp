// Analyses of motions in time: simulation, inverse dynamics, spectra, and studies that repeat them.
#include <limits>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/choose_controllers.h"
#include "lithe/analyse/motion/control_loop.h"
#include "lithe/analyse/motion/recorder.h"
#include "lithe/analyse/observe/rigid_model.h"
#include "lithe/analyse/reduction/observations.h"
#include "lithe/analyse/sweep/sweep_equations.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/pacer.h"
#include "lithe/formulate/formulation.h"

namespace lithe {
namespace {

SimulateOptions watched_options(const SimulateSpec& spec, const RunHooks& hooks) {
  SimulateOptions options = simulate_options(spec);
  options.watch_deformation = true;
  options.start = start_state;
  options.cancel = hooks.cancel;
  if (hooks.integrators) options.make = hooks.integrators;
  if (hooks.max_rows > 0) options.max_rows = hooks.max_rows;
  if (hooks.max_states > 0) options.max_states = hooks.max_states;
  return options;
}

// Equations of the same formulation for a model with other payloads.
std::function<std::shared_ptr<const Equations>(const Model&)> remakes(const Equations& equations,
                                                                      FormulationChoice choice) {
  choice.formulation = equations.name();
  return [choice](const Model& model) { return std::shared_ptr<const Equations>(make_equations(model, choice)); };
}

}  // namespace

SimulateOptions simulate_options(const SimulateSpec& spec) {
  SimulateOptions options;
  options.end_time = spec.end_time;
  options.output_step = spec.output_step;
  options.output_times = spec.output_times;
  options.integrator = spec.integrator;
  options.integration.tolerance = spec.tolerance;
  options.integration.fixed_step = spec.step;
  options.integration.spectral_radius = spec.spectral_radius;
  options.end_stops = spec.end_stops;
  options.checkpoint_interval = spec.checkpoint_interval;
  return options;
}

SimulatedMotion simulate(std::shared_ptr<const Equations> equations, const SimulateSpec& spec,
                         const SimulateHooks& hooks) {
  SimulateOptions options = watched_options(spec, hooks);
  options.inputs = hooks.inputs;
  options.recorder = hooks.recorder;
  options.checkpoint = hooks.checkpoint;
  options.recorded_before = hooks.recorded_before;
  options.control = acting_control(*equations, spec.controllers, hooks.external);
  options.remake = remakes(*equations, spec.formulation);
  if (hooks.pacer) {
    if (!options.control)
      throw InputError("keeping pace needs a controller, whose samples wait for the clock; none acts");
    options.control->keep_pace(hooks.pacer);
  }
  const State start = hooks.restart ? hooks.restart->state : start_state(*equations);
  if (hooks.progress)
    options.progress = [&hooks, begin = start.time, duration = options.end_time - start.time](double time) {
      hooks.progress((time - begin) / duration);
    };
  Trajectory motion =
      hooks.restart ? simulate(*equations, *hooks.restart, options) : simulate(*equations, start, options);
  if (!motion.equations) motion.equations = std::move(equations);
  return {std::move(motion)};
}

SimulatedMotion simulate(const Model& model, const SimulateSpec& spec, const SimulateHooks& hooks) {
  if (leaves_modes_open(model, spec.formulation.formulation))
    return with_chosen_modes(
        model, [&](const Model& rung) { return simulate(rung, spec, hooks); },
        [](const SimulatedMotion& motion) { return observe_motion(motion, *motion.equations); });
  return simulate(std::shared_ptr<const Equations>(make_equations(model, spec.formulation)), spec, hooks);
}

SimulateSpec motion_of(const InverseDynamicsSpec& spec) {
  SimulateSpec motion;
  if (spec.flexible) motion.formulation = spec.formulation;
  motion.end_time = spec.end_time;
  motion.output_step = spec.output_step;
  motion.integrator = spec.integrator;
  motion.tolerance = spec.tolerance;
  return motion;
}

Model inverse_dynamics_model(const Model& model, const InverseDynamicsSpec& spec) {
  Model measured = with_drive_sensors(model, false);
  return spec.flexible ? measured : without_elasticity(std::move(measured));
}

SimulatedMotion inverse_dynamics(const Model& model, const InverseDynamicsSpec& spec, const SimulateHooks& hooks) {
  return simulate(inverse_dynamics_model(model, spec), motion_of(spec), hooks);
}

SpectrumOptions spectrum_options(const SpectrumSpec& spec) {
  SpectrumOptions options;
  options.window = window_by_name(spec.window);
  options.max_frequency = spec.max_frequency;
  options.resolution = spec.resolution;
  options.num_peaks = spec.peaks;
  return options;
}

Spectrum spectrum(std::vector<double> times, std::vector<double> values, const SpectrumSpec& spec) {
  const double end = spec.end_time.value_or(std::numeric_limits<double>::infinity());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] < spec.start_time || times[i] > end) continue;
    times[kept] = times[i];
    values[kept++] = values[i];
  }
  times.resize(kept);
  values.resize(kept);
  return spectrum(times, values, spectrum_options(spec));
}

Spectrum spectrum(const Trajectory& motion, const SpectrumSpec& spec) {
  const Column* column = motion.column(spec.sensor);
  if (!column) throw InputError(cat("spectrum of '", spec.sensor, "': the motion did not record that"));
  return spectrum(motion.times, column->values, spec);
}

ControlStudy study_control(const Model& model, const ControlSpec& spec, const RunHooks& hooks) {
  ControlStudyOptions options;
  options.simulate = watched_options(spec.simulate, hooks);
  options.formulation = spec.simulate.formulation;
  options.controllers = chosen_controllers(model, spec.controllers);
  options.vary_payload = options.equal_settling = spec.payloads;
  options.external = hooks.external;
  options.recorder = hooks.recorders;
  options.progress = hooks.progress;
  return control_study(model, options);
}

Comparison compare(const Model& model, const CompareSpec& spec, const RunHooks& hooks) {
  CompareOptions options;
  options.choices = spec.formulations;
  options.simulate = watched_options(spec.simulate, hooks);
  if (hooks.recorders)
    options.recorder = [&hooks](const std::string& run, const Equations& equations) {
      return hooks.recorders(run, equations, false);
    };
  const double runs = static_cast<double>(spec.formulations.size()), end = spec.simulate.end_time;
  if (hooks.progress)
    options.progress = [&hooks, runs, end](std::size_t run, const std::string&, double time) {
      hooks.progress((static_cast<double>(run) + time / end) / runs);
    };
  return compare(model, options);
}

}  // namespace lithe
