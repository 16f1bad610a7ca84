// Flexible mechanisms by chance, for laws of the automatic choice of modes and for campaigns.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/reduction/choose_modes.h"
#include "lithe/model/model.h"

namespace lithe::testing {

// Serial, branched, closed and sliding chains of one to four flexible links; weight, steps, ramps, waves and prescribed
// moves; with and without damping, springs and tip masses; sensors of places, speeds, deflections and accelerations.
// All links are automatic with this tolerance, and the file asks for a motion of `duration`.
Model judged_mechanism(unsigned seed, double duration, double tolerance = 1e-3);

// The largest difference of each sensor between the chosen modes and all of them, as a part of its peak: the same
// motion integrated twice. Speeds and accelerations are compared after the low-pass that the estimate names. Empty
// where a run failed. `fine`: by the automatic integrator instead of fixed steps, which is slow.
struct TrueErrors {
  std::vector<double> sensors, peaks;
  bool small_deformation = true;  // all links stay in the range of linear elasticity
  double seconds_chosen = 0, seconds_all = 0;
  long steps_chosen = 0, steps_all = 0;
};
TrueErrors true_errors(const Model& model, const ModeChoice& choice, bool fine = false);

}  // namespace lithe::testing
