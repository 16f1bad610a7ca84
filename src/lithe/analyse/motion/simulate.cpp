#include "lithe/analyse/motion/simulate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/analyse/motion/control_loop.h"
#include "lithe/analyse/motion/end_stops.h"
#include "lithe/analyse/motion/integrator_choice.h"
#include "lithe/analyse/motion/keep_instants.h"
#include "lithe/analyse/motion/output_times.h"
#include "lithe/analyse/motion/payloads/payload_run.h"
#include "lithe/analyse/motion/recorder.h"
#include "lithe/analyse/motion/run_notes.h"
#include "lithe/analyse/motion/speed_jumps.h"
#include "lithe/analyse/motion/work_integral.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/analyse/observe/watched_outputs.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"
#include "lithe/integrate/capabilities.h"
#include "lithe/model/coordinate_choice.h"

namespace lithe {
namespace {

InputError unknown_integrator(const std::string& name) {
  std::string known = "automatic";
  for (const std::string& one : integrator_names()) known += one == "automatic" ? "" : ", " + one;
  return InputError(cat("unknown integrator '", name, "'; there are: ", known, ", and those of SUNDIALS"));
}

bool moves_chosen_coordinates(const Model& model) {
  const std::vector<ChosenCoordinate>& items = chosen_coordinates(model);
  return std::any_of(items.begin(), items.end(),
                     [](const ChosenCoordinate& item) { return item.role == CoordinateRole::prescribed; });
}

class Simulation {
 public:
  Simulation(const Equations& equations, const Checkpoint& start, const SimulateOptions& options, bool fresh,
             bool stiffened = false);
  Trajectory run();
  // Why the run was given up, to begin again with geometric stiffening; null: it was not.
  const LinkDeformation* gave_up_for() const { return gives_up_ ? deformation_->stiffened_link() : nullptr; }

 private:
  void check_start() const;
  void list_limits();
  void make_integrators();
  void choose_integrator();
  bool consider_integrator();
  std::vector<Event> make_events();
  void apply_inputs(double time, const State& state, Inputs& inputs);
  void begin();
  void begin_recording();
  bool advance();
  bool handle_event(const FoundEvent& found);
  void change_stops(double time);
  bool impact(double time);
  void reach_limit(double time);
  double next_limit() const;
  bool control(double time);
  Workspace& workspace_at_state() {
    Workspace* known = choice_.now().known_workspace();
    return known ? *known : *workspace_;
  }
  void record_until(double time);
  void record(const State& state, bool within_step = false);
  void record_observed(const State& state, const Accelerations& accelerations, Workspace& workspace,
                       EvaluationStatus status);
  void read_energies(const State& state, Workspace& workspace);
  void look_at_energy();
  void look_at_axial_forces();
  void close_balance();
  void finish();
  Checkpoint checkpoint() const;

  const Equations& equations_;
  SimulateOptions options_;
  Checkpoint start_;
  bool fresh_, stiffened_;
  bool watches_forces_ = false, may_stiffen_ = false, gives_up_ = false;

  std::unique_ptr<Workspace> workspace_;
  Inputs inputs_;
  Accelerations accelerations_;
  SensorReader sensors_;
  std::unique_ptr<EndStopSet> stops_;
  std::optional<DeformationWatch> deformation_;
  std::unique_ptr<EventFinder> events_;
  std::size_t num_user_events_ = 0;
  IntegratorChoice choice_;
  State probe_;
  std::vector<double> readings_;
  VectorX named_coordinates_, named_speeds_;

  std::vector<double> limits_;
  OutputTimes outputs_;
  std::size_t next_limit_ = 0;
  std::vector<double> checkpoint_times_;
  double last_instant_;               // of drives and loads: just before a jump of speed that ends the run
  std::optional<WorkIntegral> work_;  // none where nothing does work
  EnergyScale energy_scale_;
  bool prescribes_motion_ = false;
  long long num_steps_ = 0;
  UnknownInstants unknown_;
  Trajectory result_;
  InstantKeeper keeper_;
};

Simulation::Simulation(const Equations& equations, const Checkpoint& start, const SimulateOptions& options, bool fresh,
                       bool stiffened)
    : equations_(equations),
      options_(options),
      start_(start),
      fresh_(fresh),
      stiffened_(stiffened),
      workspace_(equations.make_workspace()),
      inputs_(make_inputs(equations.model())),
      sensors_(equations),
      probe_(start.state),
      keeper_(result_, options.max_rows, options.keep_states ? options.max_states : 0) {
  accelerations_.values.setZero(equations.num_coordinates());
  check_options(options, start.state.time);
  if (!fresh) check_start();
  if (options_.inputs) {
    options_.inputs(start_.state.time, start_.state, inputs_);
  } else {
    evaluate_inputs(equations.model(), start_.state.time, inputs_);
  }
  stops_ = std::make_unique<EndStopSet>(equations, start_.state, inputs_, options_.end_stop_frequency,
                                        options_.end_stop_damping);
  if (options_.end_stops == EndStops::ignore) stops_->stops().clear();
  for (std::size_t i = 0; i < stops_->stops().size() && i < start_.stops_touched.size(); ++i)
    stops_->stops()[i].touched = start_.stops_touched[i] != 0;
  list_limits();
  outputs_ = options_.output_times.empty() ? OutputTimes(start_.state.time, options_.end_time, options_.output_step)
                                           : OutputTimes(start_.state.time, options_.end_time, options_.output_times);
  const Model& model = equations.model();
  last_instant_ = speed_jumps(model, options_.end_time).empty()
                      ? options_.end_time
                      : std::nextafter(options_.end_time, -std::numeric_limits<double>::infinity());
  make_integrators();
  prescribes_motion_ =
      moves_chosen_coordinates(model) ||
      std::any_of(model.drives.begin(), model.drives.end(), [](const Drive& drive) { return drive.prescribes_motion; });
  if (options_.energy_balance && (!model.drives.empty() || !model.loads.empty() || prescribes_motion_ ||
                                  options_.inputs || options_.control || !stops_->empty() || loses_energy(model)))
    work_.emplace(
        equations, [this](double time, const State& state, Inputs& inputs) { apply_inputs(time, state, inputs); },
        prescribes_motion_);
  watches_forces_ = options_.start && can_stiffen(equations);
  may_stiffen_ = watches_forces_ && (!options_.control || options_.control->can_start_again());
  if (options_.watch_deformation || watches_forces_)
    deformation_.emplace(equations).begin(start_.state.time, options_.integration.tolerance);
  result_.model = model.name;
  result_.formulation = equations.name();
  result_.coordinate_names = equations.coordinate_names();
}

// A state of other equations would be read beyond its end.
void Simulation::check_start() const {
  const State& state = start_.state;
  const State own = equations_.initial_state();
  const auto check = [](const char* what, auto has, auto needs) {
    if (has != needs) throw InputError(cat("the state to start from has ", has, " ", what, ", the model ", needs));
  };
  check("coordinates", state.coordinates.size(), equations_.num_coordinates());
  check("speeds", state.speeds.size(), equations_.num_coordinates());
  check("joint values", state.configuration.coordinates.size(), own.configuration.coordinates.size());
  check("charts", state.configuration.references.size(), own.configuration.references.size());
}

// Jumps of signals, checkpoints and the end, ascending.
void Simulation::list_limits() {
  const double start = start_.state.time, end = options_.end_time;
  const Model& model = equations_.model();
  const auto add = [&](const Signal& signal) {
    for (const double time : break_times(signal))
      if (time > start && time < end) limits_.push_back(time);
  };
  for (const Drive& drive : model.drives) add(drive.signal);
  for (const Load& load : model.loads) add(load.signal);
  for (const ChosenCoordinate& item : chosen_coordinates(model))
    if (item.role == CoordinateRole::prescribed) add(item.motion);
  if (const double interval = options_.checkpoint_interval; interval > 0) {
    const double rounding = 1e-9 * interval;  // 3 * 0.1 is not 0.3: no step of 1e-17 s
    for (long k = std::lround(std::floor(start / interval)) + 1;; ++k) {
      const double time = static_cast<double>(k) * interval;
      if (time >= end - rounding) break;
      if (time > start + rounding) checkpoint_times_.push_back(time);
    }
    limits_.insert(limits_.end(), checkpoint_times_.begin(), checkpoint_times_.end());
  }
  limits_.push_back(end);
  std::sort(limits_.begin(), limits_.end());
  limits_.erase(std::unique(limits_.begin(), limits_.end()), limits_.end());
}

void Simulation::make_integrators() {
  System system;
  system.equations = &equations_;
  system.prototype = make_inputs(equations_.model());
  system.inputs = [this](double time, const State& state, Inputs& inputs) { apply_inputs(time, state, inputs); };
  IntegratorOptions integration = options_.integration;
  std::vector<std::unique_ptr<Integrator>> at_stops;
  if (integration.scales.size() == 0) {
    // At the model's own start, not at this run's: a restarted run must weigh errors as the whole run did.
    const State first = equations_.initial_state();
    Inputs inputs = make_inputs(equations_.model());
    apply_inputs(first.time, first, inputs);
    integration.scales = displacement_scales(equations_, first, inputs);
  }
  std::unique_ptr<Integrator> usual = options_.make(options_.integrator, system, integration), explicit_method;
  if (!usual) throw unknown_integrator(options_.integrator);
  std::vector<std::unique_ptr<Integrator>> others;
  if (options_.integrator == "automatic" && integration.fixed_step <= 0) {
    for (const std::string& name : alternatives_to(usual->name(), equations_))
      others.push_back(options_.make(name, system, integration));
    if (options_.end_stops == EndStops::spring && !stops_->empty())
      for (const std::string& name : alternatives_at_stops(usual->name(), equations_))
        at_stops.push_back(options_.make(name, system, integration));
    if (usual->name() == "exponential" || usual->name() == "radau")
      explicit_method = options_.make("dormand_prince", std::move(system), std::move(integration));
  }
  const double tolerance = options_.integration.tolerance, duration = options_.end_time;  // of a restarted run, too
  watch_outputs(equations_, tolerance, duration, *usual);
  for (const auto* more : {&others, &at_stops})
    for (const std::unique_ptr<Integrator>& other : *more) watch_outputs(equations_, tolerance, duration, *other);
  choice_.set(std::move(usual), std::move(others), std::move(explicit_method), std::move(at_stops));
  choose_integrator();
}

void Simulation::choose_integrator() {
  const std::vector<EndStop>& stops = stops_->stops();
  choice_.touch_stops(std::any_of(stops.begin(), stops.end(), [](const EndStop& stop) { return stop.touched; }));
}

// Another one goes on where the last one is, with a first step of its own: one as long as the steps before would miss
// what it can only tell from a step before (a mechanism with gearboxes was off by 1.4 times the tolerance).
bool Simulation::consider_integrator() {
  const Integrator& before = choice_.now();
  choice_.consider_trial();
  if (&choice_.now() == &before) return true;
  const State state = before.state();
  result_.report = choice_.now().start(state);
  if (!result_.report.ok() && choice_.give_up_trial()) result_.report = choice_.now().start(state);
  if (!result_.report.ok()) result_.end = RunEnd::failed;
  return result_.report.ok();
}

void Simulation::apply_inputs(double time, const State& state, Inputs& inputs) {
  if (options_.inputs) {
    options_.inputs(time, state, inputs);
  } else {
    evaluate_inputs(equations_.model(), std::min(time, last_instant_), inputs);
  }
  if (options_.control) options_.control->add_forces(inputs);
  if (options_.end_stops == EndStops::spring) stops_->add_forces(state, inputs);
}

// The user's events, then two directions of every end stop in one.
std::vector<Event> Simulation::make_events() {
  std::vector<Event> events = options_.events;
  num_user_events_ = events.size();
  for (const EndStop& stop : stops_->stops()) {
    Event event;
    event.name = stop.name;
    event.stops = options_.end_stops == EndStops::stop;
    event.direction = event.stops ? 1 : 0;
    event.value = [this, &stop](const State& state) {
      apply_inputs(state.time, state, inputs_);  // prescribed joints are where the drives put them
      return stops_->pressure(stop, state, inputs_);
    };
    event.rate = [this, &stop](const State& state) {
      apply_inputs(state.time, state, inputs_);
      return stops_->penetration(stop, state, inputs_).rate;
    };
    events.push_back(std::move(event));
  }
  return events;
}

void Simulation::begin() {
  if (options_.control) options_.control->start(equations_, start_.state);
  result_.report = choice_.now().start(start_.state, start_.next_step);
  for (const Channel& channel : sensors_.channels()) result_.columns.push_back({channel.name, channel.unit, {}});
  if (options_.energy_balance)
    for (std::string name : {"kinetic_energy", "gravity_energy", "elastic_energy", "total_energy"}) {
      while (result_.column(name)) name += "_";  // a sensor has that name
      result_.columns.push_back({name, "J", {}});
    }
  if (options_.control) {
    for (const Channel& channel : options_.control->channels(equations_.model()))
      result_.columns.push_back({channel.name, channel.unit, {}});
    if (result_.report.ok() && options_.control->next_time() <= start_.state.time) control(start_.state.time);
  }
  begin_recording();
  events_ = std::make_unique<EventFinder>(make_events());
  events_->start(start_.state);
  if (fresh_ && options_.energy_balance)
    start_.start_energy = equations_.energies(start_.state, inputs_, *workspace_).total();
  result_.energy.start = start_.start_energy;
  if (work_) work_->set(start_.input_work, start_.dissipated);
  if (fresh_) {
    record(start_.state);
  } else if (options_.energy_balance) {
    const Energies now = equations_.energies(start_.state, inputs_, *workspace_);
    energy_scale_.look(now);
    const double dissipated = loses_energy(equations_.model()) ? start_.dissipated : 0;
    energy_scale_.inherited = now.total() - start_.start_energy - start_.input_work + dissipated;
  }
}

void Simulation::begin_recording() {
  if (options_.recorder) {
    std::vector<Channel> channels;
    for (const Column& column : result_.columns) channels.push_back({column.name, column.unit});
    options_.recorder->begin(channels, result_.coordinate_names);
  }
  if (fresh_) return;
  const RunSoFar& so_far = start_.so_far;
  if (options_.recorded_before)
    options_.recorded_before([this](const RecordedInstant& instant) { keeper_.add(instant); });
  keeper_.set_last_time(so_far.last_recorded);
  result_.num_recorded = so_far.num_recorded;
  result_.events = so_far.events;
  result_.energy.end = so_far.end_energy;
  result_.energy.largest_kinetic = so_far.largest_kinetic;
  num_steps_ = so_far.num_steps;
  choice_.count_from(so_far.counters);
  if (deformation_) deformation_->resume(so_far.deformations, so_far.start_time);
}

// One step with all that happens in it. False when the run is over.
bool Simulation::advance() {
  if (!consider_integrator()) return false;
  const double limit = next_limit();
  const bool between_samples = work_ && options_.control && !prescribes_motion_ && events_->empty() &&
                               choice_.now().known_workspace() != nullptr;
  WorkIntegral::Powers begin;
  if (between_samples)
    begin = work_->powers(choice_.now().state(), choice_.now().state().time, choice_.now().accelerations(),
                          workspace_at_state());
  result_.report = choice_.now().step(limit);
  if (!result_.report.ok()) {
    const State state = choice_.now().state();
    if (choice_.give_up_trial()) {
      result_.report = choice_.now().start(state);
      if (result_.report.ok()) return true;
    }
    result_.end = RunEnd::failed;
    return false;
  }
  const double from = choice_.now().previous().time;
  if (!events_->empty()) {
    const FoundEvent found = events_->find(choice_.now());
    if (found.event >= 0) {
      if (work_) work_->add(choice_.now(), from, found.time);
      record_until(found.time);
      return handle_event(found);
    }
  }
  const double time = choice_.now().state().time;
  if (between_samples) {
    work_->add_short_step(begin, choice_.now(), workspace_at_state());
  } else if (work_) {
    work_->add_step(choice_.now(), limit, choice_.now().known_workspace());
  }
  look_at_energy();
  look_at_axial_forces();
  if (gives_up_) return false;
  if (time < limits_[next_limit_] || !impact(time)) record_until(time);
  if (!result_.report.ok()) return false;
  if (time >= limit && !control(time)) return false;
  if (time >= limits_[next_limit_]) reach_limit(time);
  return result_.report.ok() && next_limit_ < limits_.size();
}

double Simulation::next_limit() const {
  const double limit = limits_[next_limit_];
  if (!options_.control) return limit;
  // An output at the same instant up to rounding is that instant, so that it always shows what held before the sample.
  const double tolerance = options_.control->tolerance();
  double next = options_.control->next_time();
  if (const double output = outputs_.at_or_after(next - tolerance); output <= next + tolerance) next = output;
  return next < limit - tolerance ? next : limit;  // never a sliver between the two
}

// Samples and new torques that are due. False when a controller has given up.
bool Simulation::control(double time) {
  if (!options_.control || options_.control->next_time() > time + options_.control->tolerance()) return true;
  apply_inputs(time, choice_.now().state(), inputs_);
  options_.control->act(choice_.now().state(), inputs_, choice_.now().accelerations(), workspace_at_state());
  if (const std::string why = options_.control->failure(); !why.empty()) {
    result_.end = RunEnd::failed;
    result_.message = cat("stopped at ", time, " s: ", why);
    return false;
  }
  result_.report = choice_.now().refresh(State(choice_.now().state()));
  if (!result_.report.ok()) result_.end = RunEnd::failed;
  return result_.report.ok();
}

bool Simulation::handle_event(const FoundEvent& found) {
  choice_.now().interpolate(found.time, probe_);
  probe_.time = found.time;
  std::string last;
  for (const int index : events_->happened(probe_)) {  // several at once, where joints move alike
    const Event& event = events_->events()[index];
    if (static_cast<std::size_t>(index) < num_user_events_ || event.stops)
      result_.events.push_back({event.name, found.time});
    if (event.stops) last = event.name;
  }
  const Integrator* before = &choice_.now();
  if (options_.end_stops == EndStops::spring) change_stops(found.time);
  result_.report = choice_.now().start(probe_, &choice_.now() == before ? std::min(before->next_step(), 1e-3) : 0);
  events_->start(probe_);
  if (!last.empty()) {
    result_.end = RunEnd::stopped;
    result_.message = cat("stopped at ", found.time, " s by the event '", last, "'");
    return false;
  }
  while (next_limit_ < limits_.size() && limits_[next_limit_] <= found.time) ++next_limit_;
  return result_.report.ok() && next_limit_ < limits_.size();
}

// The stops that are touched or left at probe_.
void Simulation::change_stops(double time) {
  std::vector<EndStop>& stops = stops_->stops();
  const std::vector<EndStop> before = stops;
  apply_inputs(probe_.time, probe_, inputs_);
  stops_->update(probe_, inputs_);
  for (std::size_t i = 0; i < stops.size(); ++i)
    if (stops[i].touched != before[i].touched)
      result_.events.push_back({stops[i].touched ? stops[i].name : stops[i].name + " left", time});
  choose_integrator();
}

// Where the speed of a prescribed motion jumps, its drive strikes the mechanism. The energy that this brings is the
// drive's work. False when nothing jumps.
bool Simulation::impact(double time) {
  const std::vector<std::string> struck = speed_jumps(equations_.model(), time);
  if (struck.empty() || time >= options_.end_time) return false;
  const double just_before = std::nextafter(time, -std::numeric_limits<double>::infinity());
  record_until(just_before);
  State state = choice_.now().state();
  apply_inputs(just_before, state, inputs_);
  const Inputs before = inputs_;
  const double energy = equations_.energies(state, before, *workspace_).total();
  apply_inputs(time, state, inputs_);
  if (!speeds_after_jump(equations_, before, inputs_, *workspace_, state)) return false;
  if (work_) work_->add_impact(equations_.energies(state, inputs_, *workspace_).total() - energy);
  for (const std::string& name : struck) result_.events.push_back({cat(name, ": speed jumps"), time});
  result_.report = choice_.now().start(state, choice_.now().next_step());
  if (!result_.report.ok()) result_.end = RunEnd::failed;
  if (outputs_.next() <= time) {
    record(state);
    outputs_.advance();
  }
  return true;
}

// At a jump of a signal the accelerations are new; at a checkpoint everything is.
void Simulation::reach_limit(double time) {
  ++next_limit_;
  if (next_limit_ >= limits_.size()) return;
  if (std::binary_search(checkpoint_times_.begin(), checkpoint_times_.end(), time)) {
    const Checkpoint now = checkpoint();
    if (options_.recorder) options_.recorder->flush();  // a checkpoint counts on the rows before it
    if (options_.checkpoint) options_.checkpoint(now);
    choice_.forget_trials();
    result_.report = choice_.now().start(now.state, now.next_step);
    if (work_) work_->restart();
  } else {
    result_.report = choice_.now().refresh(State(choice_.now().state()));
  }
  if (!result_.report.ok()) result_.end = RunEnd::failed;
}

Checkpoint Simulation::checkpoint() const {
  Checkpoint now;
  now.state = choice_.now().state();
  if (options_.control) now.state.controller_memory = options_.control->memory();
  now.next_step = choice_.now().next_step();
  now.stiffened = stiffened_;
  now.start_energy = start_.start_energy;
  now.input_work = work_ ? work_->input_work() : start_.input_work;
  now.dissipated = work_ ? work_->dissipated() : start_.dissipated;
  for (const EndStop& stop : stops_->stops()) now.stops_touched.push_back(stop.touched ? 1 : 0);
  now.so_far = {result_.num_recorded,
                keeper_.last_time(),
                result_.energy.end,
                result_.energy.largest_kinetic,
                num_steps_,
                fresh_ ? start_.state.time : start_.so_far.start_time,
                start_.so_far.stiffened_for,
                choice_.all_counters(),
                result_.events,
                {}};
  if (deformation_) now.so_far.deformations = deformation_->links();
  return now;
}

void Simulation::record_until(double time) {
  for (; outputs_.next() <= time; outputs_.advance()) {
    const State& now = choice_.now().state();
    // What the controllers see at their instants; a jump of a signal is nowhere else than at a limit.
    if (options_.control && outputs_.next() == now.time && now.time < limits_[next_limit_]) {
      apply_inputs(now.time, now, inputs_);
      record_observed(now, choice_.now().accelerations(), workspace_at_state(), EvaluationStatus::ok);
      continue;
    }
    choice_.now().interpolate(outputs_.next(), probe_);
    record(probe_, probe_.time < limits_[next_limit_]);  // at a limit inputs may jump, and accelerations with them
  }
}

void Simulation::record(const State& state, bool within_step) {
  apply_inputs(state.time, state, inputs_);
  const EvaluationStatus status = equations_.evaluate(state, inputs_, *workspace_, accelerations_);
  if (status != EvaluationStatus::ok) accelerations_.values.setConstant(std::numeric_limits<double>::quiet_NaN());
  const WatchesOutputs* knows = within_step ? watches_outputs(choice_.now()) : nullptr;
  if (status == EvaluationStatus::ok && knows) knows->interpolate_accelerations(state.time, accelerations_.values);
  record_observed(state, accelerations_, *workspace_, status);
}

// Where the equations could not be evaluated, accelerations and forces are NaN; where the mechanism cannot be placed,
// all that sensors read.
void Simulation::record_observed(const State& state, const Accelerations& accelerations, Workspace& workspace,
                                 EvaluationStatus status) {
  unknown_.look(state.time, status);
  sensors_.read(state, inputs_, accelerations, workspace, readings_);
  if (options_.energy_balance) read_energies(state, workspace);
  if (options_.control) options_.control->read(readings_);
  if (deformation_ && status == EvaluationStatus::ok) deformation_->look(state, inputs_, accelerations, workspace);
  const NamedCoordinates* named = state.configuration.split.empty() ? nullptr : named_coordinates(equations_);
  if (named) named->named_coordinates(state, inputs_, *workspace_, named_coordinates_, named_speeds_);
  const RecordedInstant instant{state, readings_, named ? named_coordinates_ : state.coordinates,
                                named ? named_speeds_ : state.speeds};
  keeper_.add(instant);
  if (options_.recorder) options_.recorder->add(instant);
}

void Simulation::read_energies(const State& state, Workspace& workspace) {
  const Energies e = equations_.energies(state, inputs_, workspace);
  for (const double value : {e.kinetic, e.gravity, e.elastic, e.total()}) readings_.push_back(value);
  if (e.status != EvaluationStatus::ok) return;
  if (num_steps_ == 0) energy_scale_.look(e);
  result_.energy.end = e.total();
  result_.energy.largest_kinetic = std::max(result_.energy.largest_kinetic, e.kinetic);
}

// What the imbalance is judged by, at the ends of steps: outputs may be rare, and between the steps of an implicit
// method vibrations that it does not resolve are not known.
void Simulation::look_at_energy() {
  constexpr int looks_at_all = 256, steps_between_looks = 16;
  const bool due = ++num_steps_ <= looks_at_all || num_steps_ % steps_between_looks == 0;
  if (!options_.energy_balance || !due) return;
  const State& now = choice_.now().state();
  apply_inputs(now.time, now, inputs_);
  energy_scale_.look(equations_.energies(now, inputs_, *workspace_));
}

// Whether geometric stiffening, which is left out, matters. Steps are looked at as those of energy are.
void Simulation::look_at_axial_forces() {
  if (!watches_forces_) return;
  constexpr int looks_at_all = 256, steps_between_looks = 4;
  if (num_steps_ > looks_at_all && num_steps_ % steps_between_looks != 0) return;
  const State& now = choice_.now().state();
  apply_inputs(now.time, now, inputs_);
  deformation_->look_at_axial_forces(now, inputs_, choice_.now().accelerations(), workspace_at_state());
  gives_up_ = may_stiffen_ && deformation_->stiffened_link() != nullptr;
}

void Simulation::close_balance() {
  EnergyBalance& energy = result_.energy;
  if (work_) {
    energy.input_work = work_->input_work();
    energy.dissipated = loses_energy(equations_.model()) ? work_->dissipated() : 0;
    energy_scale_.turnover = work_->turnover();
  } else {
    energy.input_work = start_.input_work;
    energy.dissipated = start_.dissipated;
  }
  energy_scale_.damps_vibrations = result_.integrator.find("radau") != std::string::npos;
  if (std::string warning = open_balance(energy, energy_scale_); !warning.empty())
    result_.warnings.push_back(std::move(warning));
}

void Simulation::finish() {
  const State& last = choice_.now().state();
  if (keeper_.last_time() < last.time) record(last);
  keeper_.finish();
  if (options_.recorder) options_.recorder->flush();
  result_.integrator = choice_.names();
  result_.counters = choice_.counters();
  result_.last = checkpoint();
  if (options_.watch_deformation) {
    result_.deformations = deformation_->links();
    result_.warnings = deformation_warnings(result_.deformations, allows_large_deflections(equations_));
  }
  if (watches_forces_) tell_left_out(*deformation_, result_);
  if (std::string warning = unknown_.warning(); !warning.empty()) result_.warnings.push_back(std::move(warning));
  close_balance();
  if (std::string note = unstiffened_links(equations_); !note.empty()) result_.notes.push_back(std::move(note));
  if (std::string note = undamped_note(equations_, result_.counters.steps, last.time); !note.empty())
    result_.notes.push_back(std::move(note));
  if (options_.control)
    for (std::string& note : options_.control->notes()) result_.warnings.push_back(std::move(note));
  if (!result_.message.empty()) return;
  if (result_.end == RunEnd::failed) {
    result_.message = result_.report.text() + named_places(equations_.model(), result_.report.cause);
  } else if (result_.end == RunEnd::cancelled) {
    result_.message = cat("interrupted at ", last.time, " s");
  } else {
    result_.message = cat("reached ", last.time, " s");
    if (const std::string reason = choice_.reason(); !reason.empty()) result_.message += cat("; ", reason);
    if (const std::string why = broken_balance(result_.energy, energy_scale_); !why.empty()) {
      result_.end = RunEnd::failed;
      result_.message += ", but " + why;
    }
  }
}

Trajectory Simulation::run() {
  begin();
  gives_up_ = may_stiffen_ && deformation_->stiffened_link() != nullptr;  // at the start already
  if (gives_up_) return std::move(result_);
  if (!result_.report.ok()) result_.end = RunEnd::failed;
  while (result_.end == RunEnd::finished && next_limit_ < limits_.size()) {
    if (options_.cancel && options_.cancel->load(std::memory_order_relaxed)) {
      result_.end = RunEnd::cancelled;
      break;
    }
    if (!advance()) break;
    if (options_.recorder) options_.recorder->flush();
    if (options_.progress) options_.progress(choice_.now().state().time);
  }
  if (gives_up_) return std::move(result_);
  if (!result_.report.ok()) result_.end = RunEnd::failed;
  finish();
  return std::move(result_);
}

// From a checkpoint with geometric stiffening, or from the beginning where there is none, for the given reason.
Trajectory run_stiffened(const Equations& equations, const Checkpoint* from, SimulateOptions options,
                         const std::string& reason) {
  std::shared_ptr<const Equations> stiff = stiffened(equations);
  if (!stiff) throw InputError("the state to start from has geometric stiffening, the equations have none");
  Checkpoint start;
  if (from) {
    start = *from;
  } else {
    start.state = options.start(*stiff);
    start.so_far.stiffened_for = reason;
    options.recorded_before = nullptr;
  }
  Trajectory motion = Simulation(*stiff, start, options, !from, true).run();
  motion.equations = std::move(stiff);
  if (!start.so_far.stiffened_for.empty())
    motion.notes.insert(motion.notes.begin(), "with" + start.so_far.stiffened_for);
  return motion;
}

// Without geometric stiffening as long as it does not matter, or where forces are below their limit and it cannot be.
Trajectory run_from(const Equations& equations, const Checkpoint& start, const SimulateOptions& options, bool fresh) {
  if (start.stiffened) return run_stiffened(equations, &start, options, {});
  Simulation simulation(equations, start, options, fresh);
  Trajectory motion = simulation.run();
  const LinkDeformation* reason = simulation.gave_up_for();
  if (!reason) return motion;
  const std::string why = cat(" geometric stiffening, which matters here (", axial_force_text(*reason), ")");
  motion = run_stiffened(equations, nullptr, options, why);
  if (!fresh || motion.end != RunEnd::failed || axial_force_matters(*reason)) return motion;
  SimulateOptions without = options;
  without.start = nullptr;  // leaves it out
  const std::string failure = std::move(motion.message);
  motion = Simulation(equations, start, without, fresh).run();
  motion.warnings.push_back(cat("without", why, "; with it the run fails: ", failure));
  return motion;
}

}  // namespace

Trajectory simulate(const Equations& equations, const State& start, const SimulateOptions& options) {
  Checkpoint first;
  first.state = start;
  return run_with_payloads(equations, first, options, true, run_from);
}

Trajectory simulate(const Equations& equations, const Checkpoint& start, const SimulateOptions& options) {
  return run_with_payloads(equations, start, options, false, run_from);
}

}  // namespace lithe
