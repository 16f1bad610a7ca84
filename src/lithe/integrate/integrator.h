// Stepping a State through time. All integrators share this interface; docs/theory/integrators.md derives the methods.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

class ErrorDuration;  // integrate/error_duration.h

// Fills `inputs` with everything that acts from outside at `time`. `time` is the state's time, or the instant before it
// where a step ends at a jump of a signal. Must not allocate.
using InputFunction = std::function<void(double time, const State& state, Inputs& inputs)>;

// What is integrated: the equations, and what acts on them.
struct System {
  const Equations* equations = nullptr;
  InputFunction inputs;  // empty: no inputs
  Inputs prototype;      // an Inputs of the right sizes, copied once by every integrator
};

// Tolerances and limits of steps.
struct IntegratorOptions {
  // Error that may build up per second of motion, in metres (radians) of what the user sees: a coordinate's error
  // counts times its entry of `scales`, a speed's error times the time it lasts (1 s at most).
  double tolerance = 1e-6;
  VectorX scales;         // metres of the node that moves most per unit of each coordinate; empty: ones
  double fixed_step = 0;  // s; > 0: no error control and bounded work per step
  double initial_step = 0;
  double min_step = 1e-12;
  double max_step = 0.1;
  double spectral_radius = 0.9;  // generalised-alpha: of the amplification at infinite frequency, 0 to 1
  int max_newton_iterations = 8;
};

// How a step ended.
enum class StepStatus {
  ok,
  evaluation_failed,  // see `cause`
  step_too_small,     // the tolerance cannot be met
  newton_failed,      // implicit equations not solved (fixed step)
  library_failed,     // an outside library gave up
};
std::string describe(StepStatus status);

// How a step ended, where and why.
struct StepReport {
  StepStatus status = StepStatus::ok;
  EvaluationStatus cause = EvaluationStatus::ok;
  double time = 0;  // where it happened
  bool ok() const { return status == StepStatus::ok; }
  std::string text() const;  // one sentence with time and cause
};

// What an integration has cost.
struct IntegratorCounters {
  long steps = 0, rejected = 0, evaluations = 0, linearisations = 0, newton_iterations = 0;
};

// One integration: a system, its state, and the step to the next one.
class Integrator {
 public:
  Integrator(System system, IntegratorOptions options);
  virtual ~Integrator();
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  virtual std::string name() const = 0;

  // Begins at `state`. All that follows depends on the two arguments alone, so that a run restarted from a saved state
  // and step repeats bit by bit one that called start() there. Step 0: the integrator chooses.
  StepReport start(const State& state, double first_step = 0);

  // After a jump of the inputs or a change of speeds (impact): same time, same configuration, new accelerations.
  StepReport refresh(const State& state);

  // One accepted step that does not pass `limit`. Inputs are taken as they are just before `limit`. A failure leaves
  // the state at the end of the last accepted step.
  virtual StepReport step(double limit);

  // The motion inside the last step. Configuration and charts are those of its beginning.
  virtual void interpolate(double time, State& result) const = 0;

  const State& state() const { return state_; }
  const State& previous() const { return previous_; }  // beginning of the last step
  const Accelerations& accelerations() const { return accelerations_; }
  double next_step() const { return next_step_; }
  const IntegratorCounters& counters() const { return counters_; }
  // What so many steps cost, in evaluations; from counters alone, so that a run repeats itself.
  virtual double work(const IntegratorCounters& counted) const { return static_cast<double>(counted.evaluations); }
  // One that has evaluated state(), so that whoever looks at it finds the loops closed; null where the integrator keeps
  // in it what looking would overwrite.
  virtual Workspace* known_workspace() { return nullptr; }
  // Whether an explicit method would take steps as long, and cheaper ones.
  virtual bool explicit_would_do() const { return false; }

 protected:
  struct Attempt {
    StepReport report;
    double error = 0;  // over what is allowed; <= 1 is good
  };

  // Called by start() and when coordinates were renamed. accelerations_ are those of state_.
  virtual StepReport prepare() = 0;
  // From state_ over h to candidate_, with its accelerations in candidate_accelerations_.
  virtual Attempt attempt(double h) = 0;
  virtual int error_order() const = 0;  // p where the step's error falls as h^(p+1)
  // After refresh(): coordinates or speeds may have changed.
  virtual void refreshed() {}
  // After acceptance, state_ is the new state and previous_ the old one.
  virtual void accepted(double /*h*/) {}
  virtual double guess_first_step() const;
  // The step after an accepted one of length h, which the controller would make `factor` times as long.
  virtual double choose_step(double h, double factor) { return h * factor; }
  // A step at most as long as `h` that suits the method better; asked after a rejection.
  virtual double favourable_step(double h) { return h; }

  EvaluationStatus evaluate(const State& state, Accelerations& result);
  EvaluationStatus linearise(const State& state, LinearBlocks& result);
  EvaluationStatus linearise_elastic(const State& state, LinearBlocks& result);
  // Largest scaled error per second of motion; e_x and e_v are the step's errors, in coordinates.
  double scaled_error(const VectorX& e_x, const VectorX& e_v, double h);
  // How long an error of a speed has lasted so far, 1 s at most.
  double lasting_seconds(Eigen::Index i, double h) const;
  double scale(Eigen::Index i) const { return options_.scales.size() > 0 ? options_.scales[i] : 1.0; }
  StepReport failure(EvaluationStatus cause, double time) const { return {StepStatus::evaluation_failed, cause, time}; }
  StepReport commit(double h);
  int size() const { return system_.equations->num_coordinates(); }

  System system_;
  IntegratorOptions options_;
  std::unique_ptr<Workspace> workspace_;
  Inputs inputs_;
  State state_, previous_, candidate_;
  Accelerations accelerations_, previous_accelerations_, candidate_accelerations_;
  double next_step_ = 0;
  double input_limit_ = std::numeric_limits<double>::infinity();
  IntegratorCounters counters_;

 private:
  double step_towards(double limit) const;
  double prescribed_way(double h);
  double step_that_loops_follow(double h);
  std::unique_ptr<ErrorDuration> duration_;
  bool carries_loops_ = false;
  Inputs begin_inputs_, end_inputs_;
  double last_error_ = 1;  // of the last accepted step, for the PI controller
};

// A function of the state and what its zero means.
struct Event {
  std::string name;
  std::function<double(const State& state)> value;  // the event is where this is zero
  int direction = 0;                                // +1: rising through zero, -1: falling, 0: both
  bool stops = true;                                // ends the simulation; otherwise it is only noted
  // Optional, of the same sign as the rate of `value`: roots that lie close together are then found, too.
  std::function<double(const State& state)> rate = {};
};

// "exponential", "dormand_prince", "generalised_alpha", "radau"; "automatic": the one to begin with, the first, or for
// many coordinates the last, or the second where linear systems of that size are dense. Null for another name; throws
// InputError where a mechanism is too large for the method.
std::unique_ptr<Integrator> make_integrator(const std::string& name, System system, IntegratorOptions options);
std::vector<std::string> integrator_names();
// What `automatic` compares with the integrator that it begins with.
std::vector<std::string> alternatives_to(const std::string& name, const Equations& equations);
// And besides, while joints are on their end stops, whose springs are stiff where a joint has got lighter or is damped.
std::vector<std::string> alternatives_at_stops(const std::string& name, const Equations& equations);

using IntegratorFactory =
    std::function<std::unique_ptr<Integrator>(const std::string& name, System system, IntegratorOptions options)>;

}  // namespace lithe
