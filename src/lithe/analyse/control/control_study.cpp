#include "lithe/analyse/control/control_study.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/control_loop.h"
#include "lithe/analyse/motion/recorded_rows.h"
#include "lithe/analyse/stability/stiffening.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/reference.h"
#include "lithe/formulate/contract/automatic_stiffening.h"
#include "lithe/formulate/contract/capabilities.h"

namespace lithe {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Where the judged sensor shall end: at its reference, or, without one, where it ends on average.
double target_of(const ControlSetup& control, const ControllerSetup& controller, int sensor, const RecordedRows& rows,
                 std::size_t column) {
  for (const int index : controller.references) {
    const Reference& reference = control.references[static_cast<std::size_t>(index)];
    if (reference.sensor != sensor) continue;
    const ReferenceFunction function(reference);
    if (std::isfinite(function.end_time())) return function.at(function.end_time()).value;
  }
  const long long all = rows.count(), count = std::max<long long>(1, all / 10);
  const auto reader = rows.read();
  RecordedValues row;
  double sum = 0;
  for (long long i = 0; reader->next(row); ++i)
    if (i >= all - count) sum += row.values[column];
  return sum / static_cast<double>(count);
}

// What is judged of a run, row by row.
class Judge {
 public:
  Judge(const RecordedRows& rows, const ControlSetup& control, const ControllerSetup& setup, const Model& model,
        double reference_end, const VectorX& rest);
  void look(const RecordedValues& row);
  ControlFigures figures(bool finished) const;

 private:
  void look_at_effort(const std::vector<double>& values);

  double band_, reference_end_, target_ = 0, first_deflection_ = 0, sum_ = 0;
  int judged_ = -1, deflection_ = -1;
  std::vector<int> outputs_;
  VectorX rest_;
  long long count_ = 0;
  bool outside_ = false, watches_deflection_ = false;
  ControlFigures figures_;
};

Judge::Judge(const RecordedRows& rows, const ControlSetup& control, const ControllerSetup& setup, const Model& model,
             double reference_end, const VectorX& rest)
    : band_(control.judgement.settling_band), reference_end_(reference_end), rest_(rest) {
  const auto column_of = [&](int sensor) {
    return sensor < 0 ? -1 : rows.column(model.sensors[static_cast<std::size_t>(sensor)].name);
  };
  int sensor = control.judgement.sensor;
  if (sensor < 0 && !setup.references.empty())
    sensor = control.references[static_cast<std::size_t>(setup.references.front())].sensor;
  judged_ = column_of(sensor);
  if (judged_ >= 0) target_ = target_of(control, setup, sensor, rows, static_cast<std::size_t>(judged_));
  deflection_ = column_of(control.judgement.deflection);
  watches_deflection_ = control.judgement.deflection >= 0;
  for (const Actuator& a : setup.actuators)
    outputs_.push_back(rows.column(cat(setup.name, ": ", model.joints[static_cast<std::size_t>(a.joint)].name)));
  figures_.peak_deflection = watches_deflection_ ? 0 : none;
  figures_.residual = none;
}

void Judge::look(const RecordedValues& row) {
  const auto value = [&](int column) { return row.values[static_cast<std::size_t>(column)]; };
  if (judged_ >= 0) {
    if (outside_) figures_.settling_time = row.time;
    const double distance = std::abs(value(judged_) - target_);
    outside_ = !(distance <= band_);
    if (row.time >= reference_end_) figures_.residual = std::fmax(figures_.residual, distance);
  }
  if (deflection_ >= 0) {
    if (count_ == 0) first_deflection_ = value(deflection_);
    figures_.peak_deflection = std::max(figures_.peak_deflection, std::abs(value(deflection_) - first_deflection_));
  }
  look_at_effort(row.values);
  ++count_;
}

void Judge::look_at_effort(const std::vector<double>& values) {
  if (rest_.size() == 0) {
    rest_.setZero(static_cast<Eigen::Index>(outputs_.size()));
    for (std::size_t k = 0; k < outputs_.size(); ++k)
      if (outputs_[k] >= 0) rest_[static_cast<Eigen::Index>(k)] = values[static_cast<std::size_t>(outputs_[k])];
  }
  double square = 0;
  for (std::size_t k = 0; k < outputs_.size(); ++k)
    if (outputs_[k] >= 0)
      square += std::pow(values[static_cast<std::size_t>(outputs_[k])] - rest_[static_cast<Eigen::Index>(k)], 2);
  figures_.peak_effort = std::max(figures_.peak_effort, std::sqrt(square));
  sum_ += square;
}

ControlFigures Judge::figures(bool finished) const {
  ControlFigures result = figures_;
  result.finished = finished;
  const bool never = outside_ || !finished;
  if (judged_ >= 0 && count_ > 0 && never) result.settling_time = std::numeric_limits<double>::infinity();
  result.effort = count_ > 0 ? std::sqrt(sum_ / static_cast<double>(count_)) : 0;
  return result;
}

// The model with the masses of the payload node scaled.
Model with_payload(const Model& model, const ControlJudgement& judgement, double factor) {
  Model changed = model;
  for (LumpedMass& mass : changed.links[static_cast<std::size_t>(judgement.payload_link)].lumped_masses)
    if (mass.node == judgement.payload_node) {
      mass.mass *= factor;
      mass.inertia *= factor;
    }
  return changed;
}

// When the references, without their shaper, end.
double unshaped_end(const ControlSetup& control, const ControllerSetup& setup) {
  double end = 0;
  for (const int reference : setup.references) {
    const double finish = ReferenceFunction(control.references[static_cast<std::size_t>(reference)]).end_time();
    if (std::isfinite(finish)) end = std::max(end, finish);
  }
  return end;
}

double slowest_decay(const Eigen::VectorXcd& rates) { return rates.size() == 0 ? none : -rates.real().maxCoeff(); }

// One controller's part of the study.
class Study {
 public:
  Study(const Model& model, const ControlStudyOptions& options, const std::vector<int>& which)
      : model_(model),
        options_(options),
        control_(*model.control),
        equations_(make_equations(model, options.formulation)) {
    design_equations_ = to_design_on(model, *equations_);
    StiffenedEquations found = stiffened_for_design(for_design(), start_state(for_design()), which);
    if (!found.equations) return;
    stiffens_ = true;
    stiffening_note_ = std::move(found.note);
    design_equations_ = std::move(found.equations);
  }
  ControlRun run(int controller, double begin, double end);
  void make_equal(int controller, double settling_time, ControlRun& run) const;
  std::unique_ptr<Equations> take_equations() { return std::move(equations_); }

 private:
  const Equations& for_design() const { return design_equations_ ? *design_equations_ : *equations_; }
  std::shared_ptr<const Equations> to_design_on(const Model& model, const Equations& moving) const;
  struct Recorded {
    Trajectory motion;
    std::shared_ptr<ReplayRecorder> recording;
    RecordedRows rows() const { return {motion, recording.get()}; }
  };
  Recorded simulate_with(const Equations& equations, std::shared_ptr<ControlLoop> loop, double begin, double end,
                         const std::string& name, bool trial) const;
  void judge_poles(const ConfigurationDesign& found, const ControllerSetup& setup, ControlRun& run) const;
  double decay_along(const Equations& equations, const ControllerDesign& design, const ControllerSetup& setup) const;
  void try_payloads(int controller, std::shared_ptr<ControlLoop> loop, double begin, double end, ControlRun& run) const;
  ControlFigures stretched(int controller, double stretch, const ControlRun& run) const;

  const Model& model_;
  const ControlStudyOptions& options_;
  const ControlSetup& control_;
  std::unique_ptr<Equations> equations_;
  std::shared_ptr<const Equations> design_equations_;  // null: those that move
  bool stiffens_ = false;                              // designs have geometric stiffening
  std::string stiffening_note_;
};

// Independent coordinates, which designs need whatever the simulation uses, with geometric stiffening where it matters
// at rest. Null: the equations that move.
std::shared_ptr<const Equations> Study::to_design_on(const Model& model, const Equations& moving) const {
  std::shared_ptr<const Equations> own;
  if (as_constrained(moving))
    own = make_equations(model, {.geometric_stiffening = options_.formulation.geometric_stiffening});
  if (!stiffens_) return own;
  if (std::shared_ptr<const Equations> stiff = stiffened(own ? *own : moving)) return stiff;
  return own;
}

Study::Recorded Study::simulate_with(const Equations& equations, std::shared_ptr<ControlLoop> loop, double begin,
                                     double end, const std::string& name, bool trial) const {
  SimulateOptions simulation = options_.simulate;
  Recorded result;
  if (options_.recorder) result.recording = options_.recorder(name, equations, trial);
  simulation.recorder = result.recording.get();
  if (!simulation.recorder) simulation.max_rows = simulation.max_states = std::numeric_limits<std::size_t>::max();
  simulation.keep_states = simulation.keep_states && !trial;
  simulation.control = std::move(loop);
  simulation.energy_balance = !trial;  // of a trial nobody looks at it
  const double duration = simulation.end_time;
  if (options_.progress)
    simulation.progress = [this, begin, end, duration](double time) {
      options_.progress(begin + (end - begin) * time / duration);
    };
  simulation.start = start_state;
  result.motion = simulate(equations, start_state(equations), simulation);
  return result;
}

// The controller keeps the design of the nominal model; the mechanism starts at rest where it is held.
void Study::try_payloads(int controller, std::shared_ptr<ControlLoop> loop, double begin, double end,
                         ControlRun& run) const {
  const ControlJudgement& judgement = control_.judgement;
  if (!options_.vary_payload || judgement.payload_link < 0 || run.motion.end == RunEnd::cancelled) return;
  const ControllerSetup& setup = control_.controllers[static_cast<std::size_t>(controller)];
  const double factors[] = {1 - judgement.payload_change, 1 + judgement.payload_change};
  for (int i = 0; i < 2; ++i) {
    const Model changed = with_payload(model_, judgement, factors[i]);
    const auto equations = make_equations(changed, options_.formulation);
    if (setup.kind == ControllerKind::external)  // a program ends with its run
      loop = make_control_loop(for_design(), start_state(for_design()), {controller}, nullptr, options_.external);
    const double from = begin + (end - begin) * i / 2, to = begin + (end - begin) * (i + 1) / 2;
    const Recorded trial = simulate_with(*equations, loop, from, to, run.name, true);
    if (trial.motion.end == RunEnd::cancelled) return;
    const auto independent = to_design_on(changed, *equations);
    run.payloads.push_back(
        {factors[i],
         control_figures(trial.rows(), control_, controller, changed, run.reference_end, run.design.model.inputs),
         trial.motion.message, decay_along(independent ? *independent : *equations, run.design, setup)});
  }
}

// The slowest poles over all configurations of the design.
void Study::judge_poles(const ConfigurationDesign& found, const ControllerSetup& setup, ControlRun& run) const {
  run.design_decay = std::fmin(run.design_decay, slowest_decay(closed_loop_rates(found, setup, found.model.plant)));
  const ControlModel full =
      control_model(for_design(), found.model.equilibrium, setup.actuators, setup.measurements, -1);
  if (full.found)
    run.full_decay = std::fmin(run.full_decay, slowest_decay(closed_loop_rates(found, setup, full.plant)));
}

// Of the mechanism with all its modes at configurations of the move: those of a schedule with their own designs, else
// start, middle and end.
double Study::decay_along(const Equations& equations, const ControllerDesign& design,
                          const ControllerSetup& setup) const {
  if (setup.kind == ControllerKind::external) return none;
  const std::size_t configurations = design.further.empty() ? 3 : 1 + design.further.size();
  const std::vector<ControlModel> models =
      models_along(equations, start_state(equations), setup, static_cast<int>(configurations), -1);
  double slowest = none;
  for (std::size_t k = 0; k < models.size(); ++k) {
    const bool own = k > 0 && k <= design.further.size();
    const ConfigurationDesign& configuration =
        own ? design.further[k - 1] : static_cast<const ConfigurationDesign&>(design);
    slowest = std::fmin(slowest, slowest_decay(closed_loop_rates(configuration, setup, models[k].plant)));
  }
  return slowest;
}

// The figures of the same controller with references in slower time. Tuned gains stay as they are.
ControlFigures Study::stretched(int controller, double stretch, const ControlRun& run) const {
  auto control = std::make_shared<ControlSetup>(control_);
  for (Reference& reference : control->references) reference.stretch = stretch;
  ControllerSetup& setup = control->controllers[static_cast<std::size_t>(controller)];
  if (setup.kind == ControllerKind::pid && setup.pid.proportional.empty() && run.design.further.empty()) {
    for (const PidGains& g : run.design.gains) {
      setup.pid.proportional.push_back(g.proportional);
      setup.pid.integral.push_back(g.integral);
      setup.pid.derivative.push_back(g.derivative);
    }
    setup.pid.filter_time = run.design.filter_time;
  }
  Model slower = model_;
  slower.control = control;
  const auto equations = make_equations(slower, options_.formulation);
  const auto independent = to_design_on(slower, *equations);
  const Equations& design = independent ? *independent : *equations;
  auto loop = make_control_loop(design, start_state(design), {controller});
  const Recorded trial = simulate_with(*equations, loop, 1, 1, run.name, true);
  const double end = run.reference_end + (stretch - 1) * unshaped_end(control_, setup);
  return control_figures(trial.rows(), *control, controller, slower, end, run.design.model.inputs);
}

// Settling times jump where a swing more or less leaves the band, so that the nearest one found counts.
void Study::make_equal(int controller, double settling_time, ControlRun& run) const {
  constexpr double near = 0.01, enough = 0.05;
  constexpr int tries = 7;
  run.equal = {1, run.figures};
  double low = 1, high = 0, nearest = std::abs(run.figures.settling_time - settling_time);
  for (int i = 0; i < tries && nearest > near * settling_time; ++i) {
    const double trial = high > 0 ? 0.5 * (low + high) : low * settling_time / run.figures.settling_time;
    ControlFigures figures;
    try {
      figures = stretched(controller, trial, run);
    } catch (const InputError&) {  // the run itself counts, also where the slower move finds no design
      break;
    }
    const double distance = std::abs(figures.settling_time - settling_time);
    if (distance < nearest) nearest = distance, run.equal = {trial, figures};
    (figures.settling_time < settling_time ? low : high) = trial;
  }
  if (nearest > enough * settling_time) run.equal.stretch = 0;
}

ControlRun Study::run(int controller, double begin, double end) {
  const ControllerSetup& setup = control_.controllers[static_cast<std::size_t>(controller)];
  ControlRun run;
  run.name = setup.name;
  const Equations& design = for_design();
  const State at = start_state(design);
  std::vector<ControllerDesign> designs;
  auto loop = make_control_loop(design, at, {controller}, &designs, options_.external);
  run.design = std::move(designs.front());
  if (stiffens_ && setup.kind != ControllerKind::external) run.design.notes.push_back(stiffening_note_);
  const Shaper shaper = make_shaper(setup.shaping.kind, run.design.shaper_frequency, setup.shaping.damping_ratio,
                                    setup.shaping.tolerance);
  for (const int reference : setup.references) {
    const double finish =
        ReferenceFunction(control_.references[static_cast<std::size_t>(reference)], shaper).end_time();
    if (std::isfinite(finish)) run.reference_end = std::max(run.reference_end, finish);
  }
  run.design_decay = run.full_decay = none;
  run.path_decay = decay_along(design, run.design, setup);
  if (setup.kind != ControllerKind::external) {
    judge_poles(run.design, setup, run);
    for (const ConfigurationDesign& further : run.design.further) judge_poles(further, setup, run);
  }
  const std::clock_t clock = std::clock();
  const double middle = begin + (end - begin) / (options_.vary_payload && control_.judgement.payload_link >= 0 ? 3 : 1);
  Recorded recorded = simulate_with(*equations_, loop, begin, middle, run.name, false);
  run.motion = std::move(recorded.motion);
  run.recording = std::move(recorded.recording);
  run.seconds = static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC;
  run.figures = control_figures(run.rows(), control_, controller, model_, run.reference_end, run.design.model.inputs);
  try_payloads(controller, loop, middle, end, run);
  return run;
}

}  // namespace

RecordedRows ControlRun::rows() const { return {motion, recording.get()}; }

ControlFigures control_figures(const RecordedRows& rows, const ControlSetup& control, int controller,
                               const Model& model, double reference_end, const VectorX& rest) {
  const ControllerSetup& setup = control.controllers[static_cast<std::size_t>(controller)];
  Judge judge(rows, control, setup, model, reference_end, rest);
  const auto reader = rows.read();
  for (RecordedValues row; reader->next(row);) judge.look(row);
  return judge.figures(rows.motion.end == RunEnd::finished);
}

bool ControlStudy::finished() const {
  return failures.empty() && std::all_of(runs.begin(), runs.end(),
                                         [](const ControlRun& run) { return run.motion.end == RunEnd::finished; });
}

namespace {

// All that settle, against the slowest of them. `which`: the controller of each run.
void make_equal(const Study& study, const std::vector<int>& which, ControlStudy& result) {
  int settled = 0;
  for (const ControlRun& run : result.runs) {
    if (!run.figures.finished || !(run.figures.settling_time > 0) || !std::isfinite(run.figures.settling_time))
      continue;
    ++settled;
    result.equal_settling = std::max(result.equal_settling, run.figures.settling_time);
  }
  if (settled < 2) {
    result.equal_settling = 0;
    return;
  }
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    ControlRun& run = result.runs[i];
    const bool settles =
        run.figures.finished && run.figures.settling_time > 0 && run.figures.settling_time <= result.equal_settling;
    if (settles) study.make_equal(which[i], result.equal_settling, run);
  }
}

}  // namespace

ControlStudy control_study(const Model& model, const ControlStudyOptions& options) {
  if (!model.control || model.control->controllers.empty())
    throw InputError(
        cat(model.file, ": the model has no controllers; see [[controllers]] in the reference of the model file"));
  std::vector<int> which = options.controllers;
  if (which.empty())
    for (std::size_t i = 0; i < model.control->controllers.size(); ++i) which.push_back(static_cast<int>(i));
  Study study(model, options, which);
  ControlStudy result;
  const double count = static_cast<double>(which.size());
  std::vector<int> done;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const double k = static_cast<double>(i);
    try {
      result.runs.push_back(study.run(which[i], k / count, (k + 1) / count));
    } catch (const InputError& error) {
      result.failures.push_back({model.control->controllers[static_cast<std::size_t>(which[i])].name, error.what()});
      continue;
    }
    done.push_back(which[i]);
    if (result.runs.back().motion.end == RunEnd::cancelled) break;
  }
  const bool cancelled = options.simulate.cancel && *options.simulate.cancel;
  if (options.equal_settling && !cancelled) make_equal(study, done, result);
  result.equations = study.take_equations();
  return result;
}

}  // namespace lithe
