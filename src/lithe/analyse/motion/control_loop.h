// Controllers as blocks of a simulation: each is sampled at its rate, reads its sensors, and holds its torques until
// the next sample, with delay, saturation, quantisation and noise. docs/control.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/analyse/observe/sensors.h"
#include "lithe/control/controller.h"
#include "lithe/control/pacer.h"
#include "lithe/control/reference.h"
#include "lithe/model/control_setup.h"

namespace lithe {

// The deflection that the references themselves bring, to second order in their rates: `rest`, and per reference what
// its distance from `start`, its rate and its acceleration add. Delayed reference control acts on the rest of a
// deflection.
struct PlannedDeflection {
  double rest = 0;
  std::vector<double> start, by_value, by_rate, by_acceleration;  // empty: the whole deflection counts
};

// All controllers of a simulation, in the order of their samples.
class ControlLoop {
 public:
  // Rate, delay, sensors, actuators, limits, noise and references of the set-up; how it acts is the controller's.
  void add(const ControllerSetup& setup, std::unique_ptr<Controller> controller,
           std::vector<ReferenceFunction> references, PlannedDeflection planned = {});
  bool empty() const { return blocks_.empty(); }
  // Samples wait for the clock of the wall.
  void keep_pace(std::shared_ptr<Pacer> pacer) { pacer_ = std::move(pacer); }

  // What simulate() calls. start(): at the beginning of a run, or with the memory of the one that is continued.
  void start(const Equations& equations, const State& state);
  // Not where a clock or another program has gone on meanwhile.
  bool can_start_again() const;
  double next_time() const;  // of the next sample or action
  double tolerance() const;  // s, within which two instants are one
  // Takes the samples and applies the torques that are due at the state's time. `inputs` and `accelerations` are those
  // just before.
  void act(const State& state, const Inputs& inputs, const Accelerations& accelerations, Workspace& workspace);
  void add_forces(Inputs& inputs) const;
  VectorX memory() const;
  std::string failure() const;             // of a controller that gave up
  std::vector<std::string> notes() const;  // of controllers, after a run

  // What is recorded: outputs and references of every controller.
  std::vector<Channel> channels(const Model& model) const;
  void read(std::vector<double>& values) const;  // appends one number per channel

 private:
  struct Pending {
    double time = 0;
    std::vector<double> outputs;
  };
  struct Block {
    ControllerSetup setup;
    std::unique_ptr<Controller> controller;
    std::vector<ReferenceFunction> references;
    PlannedDeflection planned;
    std::unique_ptr<SensorReader> sensors, vibration;
    long next_sample = 0;
    std::vector<double> held, wanted, measured, vibrating, motor_speeds;
    std::unique_ptr<SensorReader> motors;  // speeds of the actuators, where their motors have limits
    std::vector<SignalValue> now;
    std::vector<Pending> waiting;  // a queue of fixed capacity
    std::size_t num_waiting = 0;
    double reference_time = 0, last_sample_time = 0;
    bool started = false;

    double sample_time_of_next() const { return static_cast<double>(next_sample) * setup.sample_time; }
  };

  void sample(Block& block, const State& state, const Inputs& inputs, const Accelerations& accelerations,
              Workspace& workspace);
  void move_references(Block& block, double time, double deflection);
  void disturb(Block& block);
  static void limit_by_motors(Block& block);
  void apply(Block& block, double time);
  static void restore(Block& block, const VectorX& memory, Eigen::Index& at);
  static void append(const Block& block, std::vector<double>& memory);

  std::vector<Block> blocks_;
  std::shared_ptr<Pacer> pacer_;
};

// A number of the standard normal distribution, the same on every machine for the same three numbers.
double seeded_normal(std::uint64_t seed, std::uint64_t sample, std::uint64_t channel);

}  // namespace lithe
