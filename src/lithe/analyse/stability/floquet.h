// Stability of periodic motions: Floquet multipliers of cranks that turn, rotors on unsymmetrical supports, shaken
// pendulums. docs/theory/linearisation.md, section 8.
#pragma once

#include <atomic>
#include <complex>
#include <string>
#include <vector>

#include "lithe/analyse/linear/linear_results.h"

namespace lithe {

// The period, and how exactly it is found and integrated.
struct FloquetOptions {
  double period = 0;                          // s; 0: that of the model's drives and loads
  double start_time = 0;                      // from when on the motion is periodic
  double tolerance = 1e-9;                    // of the simulated motion, m per second
  int max_iterations = 12;                    // of Newton's method for the periodic motion
  int max_steps = 1024;                       // of the variational equations per period
  const std::atomic<bool>* cancel = nullptr;  // set: ends early with a message

  bool cancelled() const { return cancel && *cancel; }
};

// The shortest time after which all drives and loads repeat from `start_time` on; joints that turn steadily repeat
// after a turn. Throws InputError where there is none, naming what does not repeat.
double drive_period(const Model& model, double start_time);

// Shoots for the periodic motion from the model's initial state and multiplies up the linearised motion about it.
// Throws InputError for a period that is no positive number.
FloquetResult floquet(const Equations& equations, const FloquetOptions& options);

}  // namespace lithe
