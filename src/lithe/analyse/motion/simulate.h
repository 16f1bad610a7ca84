// Motion in time: from equations of motion and a state to a table of what the sensors saw. docs/simulate.md.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lithe/analyse/observe/deformation.h"
#include "lithe/base/channel.h"
#include "lithe/integrate/integrator.h"

namespace lithe {

class ControlLoop;  // analyse/motion/control_loop.h
class Recorder;     // analyse/motion/recorder.h
struct RecordedInstant;

// An event that a simulation met.
struct EventRecord {
  std::string name;
  double time = 0;
};

// What a run has to say of itself so far, from its beginning.
struct RunSoFar {
  long long num_recorded = 0;     // instants
  double last_recorded = -1e300;  // s
  double end_energy = 0, largest_kinetic = 0;
  long long num_steps = 0;
  double start_time = 0;                     // s
  std::string stiffened_for;                 // why it has geometric stiffening, which is left to the analysis
  std::vector<IntegratorCounters> counters;  // of every integrator of the run
  std::vector<EventRecord> events;
  std::vector<LinkDeformation> deformations;
};

// Everything from which a run goes on bit by bit as if it had not been interrupted, given the same options.
struct Checkpoint {
  State state;
  double next_step = 0;
  double start_energy = 0, input_work = 0, dissipated = 0;  // of the energy balance, from the beginning of the run
  std::vector<char> stops_touched;                          // one per end stop
  bool stiffened = false;  // the state is one of Trajectory::equations, not of those that the run was asked for
  RunSoFar so_far;
};

enum class EndStops {
  spring,  // a stiff damped spring beyond the limit
  stop,    // the simulation ends at the limit
  ignore,
};

// How a motion is integrated and recorded.
struct SimulateOptions {
  double end_time = 1;
  double output_step = 1e-3;         // values are recorded at its multiples, and at the start; 0: only at output_times
  std::vector<double> output_times;  // used instead when not empty, ascending
  std::string integrator = "automatic";
  IntegratorOptions integration;  // `scales` empty: those of displacement_scales()
  IntegratorFactory make = make_integrator;
  InputFunction inputs;                  // empty: the drives and loads of the model
  std::shared_ptr<ControlLoop> control;  // adds its torques; one loop serves one run at a time
  bool energy_balance = true;            // records energies and integrates the work of inputs and dampers
  bool keep_states = true;
  bool watch_deformation = false;  // looks at every recorded state how far the links deform
  // Where geometric stiffening is left to the analysis and turns out to matter, the run begins again with it, from the
  // state that this gives. Empty: it goes on without.
  std::function<State(const Equations&)> start;
  // The same equations of another model, for payloads that are taken or put down. Empty: then a run with them throws
  // InputError.
  std::function<std::shared_ptr<const Equations>(const Model&)> remake;

  EndStops end_stops = EndStops::spring;
  double end_stop_frequency = 100;  // Hz, of the joint's inertia on the spring
  double end_stop_damping = 0.2;    // ratio
  std::vector<Event> events;

  std::function<void(double time)> progress;
  const std::atomic<bool>* cancel = nullptr;
  double checkpoint_interval = 0;  // s; > 0: the integrator starts afresh at every multiple of it
  std::function<void(const Checkpoint&)> checkpoint;

  // Takes every recorded instant. The trajectory keeps at most so many of them (0 states: none), evenly chosen, and the
  // last one; states are then no longer those at `times`.
  Recorder* recorder = nullptr;
  std::size_t max_rows = std::numeric_limits<std::size_t>::max(), max_states = max_rows;
  // For a run from a checkpoint: hands over the instants that were recorded before it.
  std::function<void(const std::function<void(const RecordedInstant&)>&)> recorded_before;
};

enum class RunEnd { finished, failed, cancelled, stopped };

// Values of a column at its ends, and its extremes.
struct ColumnRange {
  double first = 0, last = 0, least = 0, most = 0;
};

// total energy at the end = at the start + work of inputs - dissipated + imbalance
struct EnergyBalance {
  double start = 0, end = 0, input_work = 0, dissipated = 0;  // NaN: the formulation does not tell
  double largest_kinetic = 0;                                 // to judge the imbalance by
  double imbalance() const { return end - start - input_work + dissipated; }
};

// A recorded motion.
struct Trajectory {
  std::string model, formulation, integrator;
  std::shared_ptr<const Equations> equations;  // that moved, where geometric stiffening came in; else null
  std::vector<double> times;
  std::vector<Column> columns;  // sensors, then energies, then outputs and references of controllers
  std::vector<std::string> coordinate_names;
  std::vector<State> states;  // at `times`
  // Coordinates and speeds under `coordinate_names` of states whose own are others (Configuration::split), by index.
  std::map<std::size_t, std::pair<VectorX, VectorX>> renamed;
  EnergyBalance energy;
  IntegratorCounters counters;
  std::vector<EventRecord> events;
  RunEnd end = RunEnd::finished;
  StepReport report;                          // of the last step
  std::string message;                        // how it ended, with time and cause
  std::vector<LinkDeformation> deformations;  // of flexible links, when watched
  std::vector<std::string> warnings;          // where a link left the range of small deformation
  std::vector<std::string> notes;             // why geometric stiffening came in
  Checkpoint last;                            // where the run ended
  long long num_recorded = 0;                 // instants, also where `times` has an even choice of them
  std::vector<ColumnRange> ranges;            // of all recorded values, one per column; see range()

  // Of a column that is not empty, also where nobody has filled `ranges`.
  ColumnRange range(std::size_t column) const;
  const Column* column(const std::string& name) const;  // null when there is none
};

// Never throws for numerical reasons: whatever was computed until a failure is in the result. Throws InputError for
// options that make no sense (unknown integrator, end before start).
Trajectory simulate(const Equations& equations, const State& start, const SimulateOptions& options);
Trajectory simulate(const Equations& equations, const Checkpoint& start, const SimulateOptions& options);

// Metres that the fastest named node moves per unit of each coordinate, at a state; 1 rad of a rigid link's rotation
// counts at least as 1 unit where no node tells.
VectorX displacement_scales(const Equations& equations, const State& state, const Inputs& inputs);

}  // namespace lithe
