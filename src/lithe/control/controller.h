// A controller as a block with its own state: called at its sample instants, it holds its outputs until the next one.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "lithe/model/model.h"

namespace lithe {

struct ControllerSetup;  // model/control_setup.h

// Derive from this for a controller of your own, and make it in RunHooks::external (analyse/hooks.h).
class Controller {
 public:
  virtual ~Controller() = default;

  // Once before the first update(), at the first sample.
  virtual void start(double /*time*/, std::span<const double> /*measurements*/,
                     std::span<const SignalValue> /*references*/) {}
  // measurements: one number per sensor it reads; references: value, rate and acceleration; outputs: torques and forces
  // to fill, which hold the last ones on entry. Must not allocate where it is to run in real time.
  virtual void update(double time, std::span<const double> measurements, std::span<const SignalValue> references,
                      std::span<double> outputs) = 0;

  // Told after update() where another controller has a say in the outputs: what really acts.
  virtual void applied(std::span<const double> /*outputs*/) {}

  // In place of update() where its outputs do not count at this sample: only its memory goes on, applied() follows.
  // `scratch` has room for its outputs.
  virtual void follow(double time, std::span<const double> measurements, std::span<const SignalValue> references,
                      std::span<double> scratch) {
    update(time, measurements, references, scratch);
  }

  // Everything that a run restarted from a checkpoint needs. The size must not change after start().
  virtual VectorX memory() const { return {}; }
  virtual void restore(const VectorX& /*memory*/) {}
  // Not empty: why a run with it cannot be restarted.
  virtual std::string no_restart() const { return {}; }

  // Not empty: the run ends here, with this message, and keeps what it has.
  virtual std::string failure() const { return {}; }
  // What is worth telling after a run: "12 of 3000 samples found no feasible plan".
  virtual std::string note() const { return {}; }
};

// Makes controllers of type external, which the core does not know: make_external_controller of
// control/external_process.h.
using ExternalFactory = std::function<std::unique_ptr<Controller>(const ControllerSetup&)>;

}  // namespace lithe
