// What a long analysis calls while it runs: progress, signals, and functions of the user as controllers, drives and
// loads. Functions of Python are called with the interpreter's lock; compiled ones without it.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "beside.h"
#include "bind.h"
#include "lithe/analyse/hooks.h"

namespace lithe::python {

// The first error of a callback, or a KeyboardInterrupt: the run ends, and Python raises it afterwards.
struct Stop {
  std::atomic<bool> wanted = false;
  nb::object error;
  void raise_later();  // the error that is set now; needs the lock
};

// A function of Python, or the address of a compiled one with an array of its own.
struct Callback {
  nb::object function;
  void* address = nullptr;
  nb::object memory_owner;
  double* memory = nullptr;
};

// double time, measurements, references (value, rate, acceleration of each), outputs, memory.
using CompiledController = void (*)(double, const double*, const double*, double*, double*);
// double time, coordinates, speeds, result (one number; three of a prescribed motion), memory.
using CompiledInput = void (*)(double, const double*, const double*, double*, double*);

class Hooks {
 public:
  // Called with the part that is done, 0 to 1, about ten times a second.
  nb::object progress = nb::none();
  std::map<std::string, Callback> controllers, drives, loads;

  RunHooks run_hooks();
  SimulateHooks simulate_hooks(const Model& model);
  bool has_inputs() const { return !drives.empty() || !loads.empty(); }
  // The error that ended the run, once; None: there was none.
  nb::object take_error();
  // Lets go of all functions, which might refer to who holds this object.
  void clear();
  bool stopped() const { return stop_.wanted; }
  // What `compute` gives, for an analysis that looks at `cancel` more often than it tells of its progress. With the
  // interpreter's lock.
  template <class Compute>
  auto attended(Compute compute) {
    here_ = std::this_thread::get_id();
    return computed_beside(std::move(compute), [this] {
      look();
      return true;
    });
  }

 private:
  void poll(double part);
  void look();  // for signals; tells of the progress
  InputFunction input_function(const Model& model);

  Stop stop_;
  std::thread::id here_;  // of who attends a computation elsewhere
  std::atomic<double> part_ = 0;
  std::chrono::steady_clock::time_point last_signal_, last_progress_;
};

}  // namespace lithe::python
