// How an analysis talks to who started it. All of it may be left out.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "lithe/control/controller.h"
#include "lithe/control/pacer.h"
#include "lithe/integrate/integrator.h"

namespace lithe {

struct Checkpoint;
struct RecordedInstant;
class Recorder;
class ReplayRecorder;

// Functions that a long analysis calls, and the flag that ends it.
struct RunHooks {
  std::function<void(double part)> progress;  // 0 to 1
  const std::atomic<bool>* cancel = nullptr;  // set: the analysis ends early with what it has
  ExternalFactory external;                   // empty: a controller that is a program is an InputError
  IntegratorFactory integrators;              // empty: make_integrator; make_any_integrator has those of SUNDIALS
  std::size_t max_rows = 0, max_states = 0;   // that a motion keeps of its instants, evenly chosen; 0: all
  // Of studies with several motions: takes the rows of a run; empty: they are kept in memory. `trial`: of a run whose
  // figures alone count.
  std::function<std::shared_ptr<ReplayRecorder>(const std::string& run, const Equations& equations, bool trial)>
      recorders;
};

// Of a simulation besides: where its instants go, and what a later run can go on from.
struct SimulateHooks : RunHooks {
  InputFunction inputs;          // what acts; empty: the drives and loads of the model
  Recorder* recorder = nullptr;  // takes every recorded instant
  std::function<void(const Checkpoint&)> checkpoint;
  const Checkpoint* restart = nullptr;  // goes on from here
  // For a restart: hands over the instants that were recorded before it.
  std::function<void(const std::function<void(const RecordedInstant&)>&)> recorded_before;
  std::shared_ptr<Pacer> pacer;  // the controllers' samples wait for the clock
};

}  // namespace lithe
