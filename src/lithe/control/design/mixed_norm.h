// Dynamic output feedback between H2 and H∞: the least mean square cost (LQG) whose peak gain stays below a bound, by
// two Riccati equations with the bound in them, and with fewer states if asked for. docs/theory/control.md.
#pragma once

#include <limits>
#include <string>

#include "lithe/control/design/regulator.h"

namespace lithe {

// Both norms are of the sampled loop from disturbances, of the constant ones their changes, and measurement noise (all
// in their standard deviations) to errors and efforts (in the allowed ones).
struct LoopNorms {
  double h2 = 0, peak = 0;  // infinite: unstable
};

struct MixedNormGoal {
  double peak_gain = 0;   // bound of the peak gain; 0: none, the least H2 norm
  double peak_ratio = 0;  // instead: the bound as a multiple of the smallest that is possible
  int order = 0;          // states of the controller; 0: as many as the design has
};

struct MixedNormDesign {
  bool found = false;
  std::string message;
  RegulatorDesign base;  // sampled model, weights, targets, and LQG with the same weights
  // ξ⁺ = A ξ + [B_y B_u] (y; u),  u = C ξ + [D_y D_u] (y; u): the controller told the input that acts.
  StateSpace observer;
  MatrixX entry;                                           // into ξ, of a change of the sampled model's state
  LoopNorms norms;                                         // of the loop with it
  LoopNorms whole;                                         // before its order was reduced
  double level = std::numeric_limits<double>::infinity();  // γ in the Riccati equations; infinite: LQG
  double bound = 0;                                        // that was asked for; 0: none
  double least_peak = 0;  // smallest peak gain of any controller, to 1e-4; 0: not looked for
  Eigen::Index whole_order = 0;
};

MixedNormDesign design_mixed_norm(const StateSpace& plant, const std::vector<int>& tracked,
                                  const RegulatorWeights& weights, double sample_time, int delay_steps,
                                  const MixedNormGoal& goal);

// The controller as a sampled system from measurements to -u, while no limit is reached.
StateSpace feedback_form(const MixedNormDesign& design);

}  // namespace lithe
