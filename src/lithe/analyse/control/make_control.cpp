#include "lithe/analyse/control/make_control.h"

#include <algorithm>
#include <cmath>

#include "lithe/analyse/control/configurations.h"
#include "lithe/analyse/motion/control_loop.h"
#include "lithe/analyse/stability/stiffening.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/design/tuning.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/infinite.h"
#include "lithe/control/linear/linear_analysis.h"
#include "lithe/control/model_controllers.h"
#include "lithe/control/pid.h"
#include "lithe/control/scheduled.h"
#include "lithe/formulate/contract/automatic_stiffening.h"

namespace lithe {
namespace {

[[noreturn]] void fail(const ControllerSetup& setup, const std::string& why) {
  throw InputError(std::vector<Diagnostic>{{.file = setup.place.file,
                                            .line = setup.place.line,
                                            .column = setup.place.column,
                                            .path = {},
                                            .message = cat("controller '", setup.name, "': ", why)}});
}

int delay_steps(const ControllerSetup& setup) {
  return static_cast<int>(std::ceil(setup.delay / setup.sample_time - 1e-6));
}

double rounded(double frequency) { return std::round(10 * frequency) / 10; }

VectorX to_vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// One controller on its way from the file to a block.
class Maker {
 public:
  Maker(const Equations& equations, const State& start, const ControllerSetup& setup, const ExternalFactory& external);
  std::unique_ptr<Controller> make();
  std::vector<ReferenceFunction> references() const { return functions_; }
  PlannedDeflection planned_deflection() const;
  ControllerDesign design;

 private:
  void find_model(const State& at);
  void find_tracked();
  void make_references();
  std::unique_ptr<Controller> make_one();
  std::unique_ptr<Controller> make_scheduled();
  OperatingPoint point() const;
  RegulatorWeights weights() const;
  RegulatorDesign regulator();
  std::unique_ptr<Controller> make_pid();
  std::unique_ptr<Controller> make_lqg();
  std::unique_ptr<Controller> make_predictive();
  std::unique_ptr<Controller> make_output_feedback();
  std::unique_ptr<Controller> make_mixed_norm();
  void tell_aliasing();
  std::vector<StateSpace> plants_of_the_move(int num_modes) const;
  PidTuning tuned_pid(const PidGoal& goal) const;
  double find_pid_gains();
  PredictiveOptions predictive_options() const;

  const Equations& equations_;
  const State& start_;
  const ControllerSetup& setup_;
  const ControlSetup& control_;
  const ExternalFactory& external_;
  std::vector<int> tracked_;
  std::vector<ReferenceFunction> functions_;
  bool aliased_ = false;  // told that a mode is faster than half the sample rate
};

Maker::Maker(const Equations& equations, const State& start, const ControllerSetup& setup,
             const ExternalFactory& external)
    : equations_(equations), start_(start), setup_(setup), control_(*equations.model().control), external_(external) {
  design.name = setup.name;
  const bool needs_model =
      setup.kind != ControllerKind::external || (setup.shaping.kind != ShaperKind::none && !setup.shaping.frequency);
  if (needs_model) find_model(start);
  find_tracked();
  make_references();
}

void Maker::find_model(const State& at) {
  design.model = control_model(equations_, at, setup_.actuators, setup_.measurements, setup_.model_based.design_modes);
  if (!design.model.found) fail(setup_, design.model.message);
  const bool told = std::any_of(design.notes.begin(), design.notes.end(),
                                [](const std::string& note) { return note.rfind("springs", 0) == 0; });
  if (design.model.settled_by > 0 && !told)
    design.notes.push_back(cat("springs of joints that it does not drive settle by up to ", design.model.settled_by,
                               " rad or m under the loads where the move starts; [initial] static_equilibrium = true "
                               "starts the motion there"));
}

// The measurement that each reference is about.
void Maker::find_tracked() {
  for (const int reference : setup_.references) {
    const int sensor = control_.references[static_cast<std::size_t>(reference)].sensor;
    const auto at = std::find(setup_.measurements.begin(), setup_.measurements.end(), sensor);
    if (at != setup_.measurements.end()) tracked_.push_back(static_cast<int>(at - setup_.measurements.begin()));
  }
}

void Maker::make_references() {
  const Shaping& shaping = setup_.shaping;
  Shaper shaper;
  if (shaping.kind != ShaperKind::none) {
    design.shaper_frequency = shaping.frequency.value_or(design.model.locked_frequency);
    if (!(design.shaper_frequency > 0)) fail(setup_, "the shaper finds no flexible mode; give its frequency");
    shaper = make_shaper(shaping.kind, design.shaper_frequency, shaping.damping_ratio, shaping.tolerance);
  }
  for (const int reference : setup_.references)
    functions_.emplace_back(control_.references[static_cast<std::size_t>(reference)], shaper);
}

// Quasi-static, from the maps of the references at the start.
PlannedDeflection Maker::planned_deflection() const {
  const int sensor = setup_.delayed_reference.sensor;
  if (sensor < 0 || setup_.kind == ControllerKind::external) return {};
  std::vector<int> sensors = setup_.measurements;
  sensors.push_back(sensor);
  const ControlModel found =
      control_model(equations_, start_, setup_.actuators, sensors, setup_.model_based.design_modes);
  if (!found.found) return {};
  const TargetMaps maps = target_maps(found.plant, tracked_);
  if (!maps.found) return {};
  const Eigen::Index row = found.plant.num_outputs() - 1;
  PlannedDeflection planned;
  planned.rest = found.measurements[row];
  const auto part = [&](const MatrixX& x, const MatrixX& u) {
    const Eigen::RowVectorXd values = found.plant.c.row(row) * x + found.plant.d.row(row) * u;
    return std::vector<double>(values.data(), values.data() + values.size());
  };
  planned.by_value = part(maps.x0, maps.u0);
  planned.by_rate = part(maps.x1, maps.u1);
  planned.by_acceleration = part(maps.x2, maps.u2);
  for (const int k : tracked_) planned.start.push_back(found.measurements[k]);
  return planned;
}

OperatingPoint Maker::point() const {
  return {design.model.measurements, design.model.inputs, to_vector(setup_.limits), tracked_};
}

RegulatorWeights Maker::weights() const {
  const ModelBasedSetup& given = setup_.model_based;
  RegulatorWeights w;
  w.allowed_errors = to_vector(given.allowed_errors);
  w.allowed_efforts = to_vector(given.allowed_efforts);
  w.disturbances = given.disturbances.empty() ? VectorX(0.1 * w.allowed_efforts) : to_vector(given.disturbances);
  w.measurement_noise.resize(w.allowed_errors.size());
  for (Eigen::Index i = 0; i < w.allowed_errors.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double added = setup_.noise.empty() ? 0 : setup_.noise[k];
    const double guess = w.allowed_errors[i] > 0 ? 0.01 * w.allowed_errors[i] : 1e-3;
    w.measurement_noise[i] = !given.measurement_noise.empty() ? given.measurement_noise[k] : std::max(added, guess);
    if (w.allowed_errors[i] == 0) w.allowed_errors[i] = infinite;
  }
  w.rejects_disturbance = given.rejects_disturbance;
  w.decay_rate = setup_.settling_time ? 4 / *setup_.settling_time : 0;
  return w;
}

RegulatorDesign Maker::regulator() {
  RegulatorDesign found =
      design_regulator(design.model.plant, tracked_, weights(), setup_.sample_time, delay_steps(setup_));
  if (!found.found) fail(setup_, found.message);
  tell_aliasing();
  return found;
}

void Maker::tell_aliasing() {
  const double fastest = design.model.frequencies.size() > 0 ? design.model.frequencies.maxCoeff() : 0;
  if (fastest > 0.5 / setup_.sample_time && !aliased_)
    design.notes.push_back(cat("a mode of the design, ", rounded(fastest), " Hz, is faster than half the sample rate, ",
                               rounded(0.5 / setup_.sample_time),
                               " Hz: seen at another frequency, it makes the loop sensitive to small changes; sample "
                               "faster or lower design_modes"));
  aliased_ = aliased_ || fastest > 0.5 / setup_.sample_time;
}

// One set of gains for the whole move: with models at its start, middle and end.
std::vector<StateSpace> Maker::plants_of_the_move(int num_modes) const {
  const int configurations = setup_.configurations > 1 ? 1 : 3;  // in a schedule every configuration has its own gains
  std::vector<StateSpace> plants;
  for (const ControlModel& model :
       models_along(equations_, design.model.equilibrium, setup_, configurations, num_modes))
    plants.push_back(model.plant);
  return plants;
}

// With the modes of the design, and with more of them where the loop does not stand the others. Those of a PID need no
// observer, so that they cost nothing but time of the search.
PidTuning Maker::tuned_pid(const PidGoal& goal) const {
  const std::vector<StateSpace> whole = plants_of_the_move(-1);
  PidTuning tuned;
  for (const int modes : {setup_.model_based.design_modes, 2 * setup_.model_based.design_modes + 2, -1}) {
    tuned = tune_pid(modes < 0 ? whole : plants_of_the_move(modes), tracked_, goal);
    if (modes < 0 || (tuned.found && is_robust(whole, tracked_, tuned, goal))) break;
  }
  return tuned;
}

// Returns the derivative's filter time. Unless the file gives one it is three samples, or what the gains need.
double Maker::find_pid_gains() {
  const PidSetup& pid = setup_.pid;
  const bool free = !(pid.filter_time > 0);
  const double filter_time = free ? 3 * setup_.sample_time : pid.filter_time;
  design.gains.clear();
  for (std::size_t i = 0; i < pid.proportional.size(); ++i)
    design.gains.push_back({pid.proportional[i], pid.integral.empty() ? 0 : pid.integral[i],
                            pid.derivative.empty() ? 0 : pid.derivative[i]});
  if (!pid.proportional.empty()) return filter_time;
  PidGoal goal{.settling_time = setup_.settling_time.value_or(0),
               .bandwidth = setup_.bandwidth.value_or(0),
               .filter_time = filter_time,
               .sample_time = setup_.sample_time,
               .delay_steps = delay_steps(setup_),
               .other_filter_times = {}};
  if (free) goal.other_filter_times = {setup_.sample_time, 10 * setup_.sample_time};
  const PidTuning tuned = tuned_pid(goal);
  if (!tuned.found) fail(setup_, tuned.message);
  if (!tuned.message.empty()) design.notes.push_back(tuned.message);
  if (tuned.filter_time != filter_time)
    design.notes.push_back(cat("filter time of the derivative ", tuned.filter_time, " s"));
  design.gains = tuned.gains;
  return tuned.filter_time;
}

std::unique_ptr<Controller> Maker::make_pid() {
  const double filter_time = design.filter_time = find_pid_gains();
  const TargetMaps maps = target_maps(design.model.plant, tracked_);
  if (setup_.pid.feedforward && !maps.found)
    fail(setup_, "no feedforward: the references cannot be followed with these actuators at rest");
  std::vector<PidAxis> axes;
  for (std::size_t i = 0; i < design.gains.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    PidAxis axis;
    axis.measurement = static_cast<std::size_t>(tracked_[i]);
    axis.proportional = design.gains[i].proportional;
    axis.integral = design.gains[i].integral;
    axis.derivative = design.gains[i].derivative;
    axis.filter_time = filter_time;
    axis.bias = design.model.inputs[k];
    axis.start_reference = design.model.measurements[tracked_[i]];
    axis.limit = setup_.limits.empty() ? 0 : setup_.limits[i];
    for (Eigen::Index r = 0; setup_.pid.feedforward && r < maps.u0.cols(); ++r) {
      axis.stiffness.push_back(maps.u0(k, r));
      axis.damping.push_back(maps.u1(k, r));
      axis.inertia.push_back(maps.u2(k, r));
    }
    axes.push_back(std::move(axis));
  }
  // pid_system() reads the tracked measurements in the order of the axes
  const StateSpace axes_system = pid_system(design.gains, filter_time, setup_.sample_time);
  MatrixX pick = MatrixX::Zero(static_cast<Eigen::Index>(tracked_.size()), design.model.plant.num_outputs());
  for (std::size_t i = 0; i < tracked_.size(); ++i) pick(static_cast<Eigen::Index>(i), tracked_[i]) = 1;
  design.controller = axes_system;
  design.controller.b = axes_system.b * pick;
  design.controller.d = axes_system.d * pick;
  return std::make_unique<PidController>(std::move(axes), setup_.sample_time);
}

std::unique_ptr<Controller> Maker::make_lqg() {
  RegulatorDesign found = regulator();
  design.controller = regulator_system(found);
  return std::make_unique<LqgController>(std::move(found), point());
}

// Limits of the file are absolute, those of the program deviations from the equilibrium.
PredictiveOptions Maker::predictive_options() const {
  const ModelBasedSetup& given = setup_.model_based;
  PredictiveOptions options;
  options.horizon = given.horizon;
  options.softness = given.softness;
  if (!setup_.limits.empty()) {
    options.lower_input = -to_vector(setup_.limits) - design.model.inputs;
    options.upper_input = to_vector(setup_.limits) - design.model.inputs;
  }
  if (!given.rate_limits.empty()) {
    options.upper_rate = setup_.sample_time * to_vector(given.rate_limits);
    options.lower_rate = -options.upper_rate;
  }
  if (!given.output_limits.empty()) {
    options.lower_output = VectorX::Constant(design.model.measurements.size(), -infinite);
    options.upper_output = -options.lower_output;
    for (std::size_t i = 0; i < given.output_limits.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      options.lower_output[k] = given.output_limits[i].first - design.model.measurements[k];
      options.upper_output[k] = given.output_limits[i].second - design.model.measurements[k];
    }
  }
  return options;
}

std::unique_ptr<Controller> Maker::make_predictive() {
  RegulatorDesign found = regulator();
  design.controller = regulator_system(found);  // while no limit is reached
  return std::make_unique<MpcController>(std::move(found), point(), predictive_options(), functions_);
}

std::unique_ptr<Controller> Maker::make_output_feedback() {
  RegulatorDesign found = regulator();
  const OutputFeedback feedback = design_output_feedback(design.model.plant, weights(), setup_.sample_time,
                                                         delay_steps(setup_), setup_.model_based.peak_gain.value_or(0));
  if (!feedback.found) fail(setup_, feedback.message);
  design.notes.push_back(
      cat("H2 norm ", feedback.cost, ", peak gain ", feedback.peak_gain, " from disturbances to errors"));
  design.controller = {};
  design.controller.sample_time = setup_.sample_time;
  design.controller.a.resize(0, 0);
  design.controller.b.resize(0, feedback.gain.cols());
  design.controller.c.resize(feedback.gain.rows(), 0);
  design.controller.d = feedback.gain;
  return std::make_unique<OutputFeedbackController>(std::move(found), design.model.plant.c, feedback.gain, point());
}

std::unique_ptr<Controller> Maker::make_mixed_norm() {
  const ModelBasedSetup& given = setup_.model_based;
  const MixedNormGoal goal{given.peak_gain.value_or(0), given.peak_gain_ratio.value_or(0), given.order};
  MixedNormDesign found =
      design_mixed_norm(design.model.plant, tracked_, weights(), setup_.sample_time, delay_steps(setup_), goal);
  if (!found.found) fail(setup_, found.message);
  tell_aliasing();
  std::string note = cat("H2 norm ", found.norms.h2, ", peak gain ", found.norms.peak);
  if (found.bound > 0) note += cat(" (bound ", found.bound, ", smallest of any controller ", found.least_peak, ")");
  note += cat(", ", found.observer.num_states(), " states");
  if (found.observer.num_states() < found.whole_order)
    note +=
        cat(" of ", found.whole_order, " (with all: H2 norm ", found.whole.h2, ", peak gain ", found.whole.peak, ")");
  design.notes.push_back(note);
  design.controller = feedback_form(found);
  return std::make_unique<MixedNormController>(std::move(found), design.model.plant.c, point());
}

// A design at each configuration along the references, the same way every time.
std::unique_ptr<Controller> Maker::make_scheduled() {
  std::vector<ReferenceFunction> unshaped;
  std::vector<int> sensors;
  for (const int reference : setup_.references) {
    unshaped.emplace_back(control_.references[static_cast<std::size_t>(reference)]);
    sensors.push_back(control_.references[static_cast<std::size_t>(reference)].sensor);
  }
  const MatrixX points = path_points(unshaped, setup_.configurations);
  if (points.cols() == 0) fail(setup_, "configurations are taken along references that end; one of them never does");
  const ConfigurationPath path =
      configurations_along(equations_, design.model.equilibrium, sensors, points, design.model.actuated);
  if (!path.found) fail(setup_, path.message);
  std::vector<std::unique_ptr<Controller>> members;
  std::vector<ConfigurationDesign> designs;
  for (const State& state : path.states) {
    find_model(state);
    members.push_back(make_one());
    designs.push_back(design);
  }
  static_cast<ConfigurationDesign&>(design) = designs.front();
  design.further.assign(designs.begin() + 1, designs.end());
  std::sort(design.notes.begin(), design.notes.end());
  design.notes.erase(std::unique(design.notes.begin(), design.notes.end()), design.notes.end());
  return std::make_unique<ScheduledController>(std::move(members), points, setup_.actuators.size());
}

std::unique_ptr<Controller> Maker::make() { return setup_.configurations > 1 ? make_scheduled() : make_one(); }

std::unique_ptr<Controller> Maker::make_one() {
  switch (setup_.kind) {
    case ControllerKind::pid:
      return make_pid();
    case ControllerKind::lqg:
      return make_lqg();
    case ControllerKind::predictive:
      return make_predictive();
    case ControllerKind::output_feedback:
      return make_output_feedback();
    case ControllerKind::mixed_norm:
      return make_mixed_norm();
    case ControllerKind::external:
      break;
  }
  if (!external_) fail(setup_, "external controllers are not available here");
  return external_(setup_);
}

}  // namespace

std::shared_ptr<ControlLoop> make_control_loop(const Equations& equations, const State& start,
                                               const std::vector<int>& which, std::vector<ControllerDesign>* designs,
                                               const ExternalFactory& external) {
  auto loop = std::make_shared<ControlLoop>();
  const Model& model = equations.model();
  if (!model.control) return loop;
  for (const int index : which) {
    const ControllerSetup& setup = model.control->controllers[static_cast<std::size_t>(index)];
    Maker maker(equations, start, setup, external);
    std::unique_ptr<Controller> controller = maker.make();
    loop->add(setup, std::move(controller), maker.references(), maker.planned_deflection());
    if (designs) designs->push_back(std::move(maker.design));
  }
  return loop;
}

namespace {

// As far from each other as possible along the references of a controller, the first at `start`; it alone where they
// stand still or never end. Those out of reach are left out.
std::vector<State> states_along(const Equations& equations, const State& start, const ControllerSetup& setup,
                                int num_configurations, const MatrixX& actuated) {
  std::vector<State> states = {start};
  const ControlSetup& control = *equations.model().control;
  std::vector<ReferenceFunction> unshaped;
  std::vector<int> sensors;
  for (const int reference : setup.references) {
    unshaped.emplace_back(control.references[static_cast<std::size_t>(reference)]);
    sensors.push_back(control.references[static_cast<std::size_t>(reference)].sensor);
  }
  const MatrixX points = path_points(unshaped, num_configurations);
  if (points.cols() < 2) return states;
  const ConfigurationPath path = configurations_along(equations, start, sensors, points, actuated);
  for (std::size_t k = 1; k < path.states.size(); ++k) states.push_back(path.states[k]);
  return states;
}

}  // namespace

std::vector<ControlModel> models_along(const Equations& equations, const State& start, const ControllerSetup& setup,
                                       int num_configurations, int num_modes) {
  std::vector<ControlModel> models;
  const auto add = [&](const State& at) {
    ControlModel model = control_model(equations, at, setup.actuators, setup.measurements, num_modes);
    if (model.found) models.push_back(std::move(model));
  };
  add(start);
  const MatrixX actuated = models.empty() ? MatrixX() : models.front().actuated;
  const std::vector<State> states = states_along(equations, start, setup, num_configurations, actuated);
  for (std::size_t k = 1; k < states.size(); ++k) add(states[k]);
  return models;
}

StiffenedEquations stiffened_for_design(const Equations& equations, const State& start, const std::vector<int>& which) {
  constexpr int configurations = 3;  // start, middle and end of a move
  if (!can_stiffen(equations) || !equations.model().control) return {};
  Inputs inputs = make_inputs(equations.model());
  evaluate_inputs(equations.model(), start.time, inputs);
  for (const int index : which) {
    const ControllerSetup& setup = equations.model().control->controllers[static_cast<std::size_t>(index)];
    for (const State& state : states_along(equations, start, setup, configurations, {}))
      if (StiffenedEquations found = stiffened_about(equations, state, inputs); found.equations) {
        found.note = "designed " + found.note;
        return found;
      }
  }
  return {};
}

Eigen::VectorXcd closed_loop_rates(const ConfigurationDesign& design, const ControllerSetup& setup,
                                   const StateSpace& plant) {
  if (design.controller.num_inputs() == 0) return {};
  StateSpace bare = plant;
  bare.d.setZero();
  const StateSpace sampled = with_input_delay(zero_order_hold(bare, setup.sample_time), delay_steps(setup));
  Eigen::VectorXcd z = poles(feedback(sampled, design.controller));
  for (std::complex<double>& value : z)
    value = std::log(std::abs(value) > 0 ? value : std::complex<double>(1e-300, 0)) / setup.sample_time;
  return z;
}

}  // namespace lithe
