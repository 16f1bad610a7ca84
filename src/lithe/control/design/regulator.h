// Design of regulators and observers on a linear model about an equilibrium. docs/theory/control.md.
#pragma once

#include <string>
#include <vector>

#include "lithe/control/linear/state_space.h"

namespace lithe {

// States and inputs along which the tracked outputs follow a reference r(t), to second order in its rates:
//   x = X0 r + X1 ṙ + X2 r̈,  u = U0 r + U1 ṙ + U2 r̈.
// U2 is the inertia that the actuators move, with the links' quasi-static bending; U0 the stiffness they work against.
struct TargetMaps {
  bool found = false;  // false: a transmission zero at the origin, or not as many tracked outputs as inputs
  MatrixX x0, x1, x2, u0, u1, u2;
};
// Of a continuous system; `tracked`: rows of C.
TargetMaps target_maps(const StateSpace& plant, const std::vector<int>& tracked);

// Bryson's rule: an output error and an effort of the allowed size cost the same.
struct RegulatorWeights {
  VectorX allowed_errors;     // per output of the plant; infinite: no weight
  VectorX allowed_efforts;    // per input
  VectorX disturbances;       // standard deviation at the inputs, per input
  VectorX measurement_noise;  // per output
  bool rejects_disturbance = true;
  double decay_rate = 0;  // 1/s: every pole of the regulated loop decays at least so fast
};

struct RegulatorDesign {
  bool found = false;
  std::string message;
  StateSpace model;  // sampled, with the inputs' delay as states; outputs without direct part
  MatrixX direct;    // D of the plant: the measurements feel the input that acted before the sample
  MatrixX state_weight, input_weight;
  MatrixX gain;  // u = u_s - gain (x - x_s)
  Eigen::Index num_plant_states = 0, num_disturbances = 0;
  int delay_steps = 0;
  MatrixX observer_a, observer_b, observer_c;  // model with the disturbances as last states
  MatrixX observer_gain;                       // of the innovation, at the sample
  MatrixX process_covariance;                  // that the observer was designed for, per sample
  MatrixX noise_covariance;
  TargetMaps maps;
};

// LQR by the discrete Riccati equation on the plant sampled by zero-order hold, Kalman's filter by its dual.
RegulatorDesign design_regulator(const StateSpace& plant, const std::vector<int>& tracked,
                                 const RegulatorWeights& weights, double sample_time, int delay_steps = 0);

// How much of an estimated disturbance the regulator takes off an input: all of it, and, through the gain, what it has
// already taken off the inputs that still wait. I + Σ K_k over the delays.
MatrixX disturbance_gain(const RegulatorDesign& design);

// The regulator as a sampled system from measurements to -u, for u = -K y: to analyse the closed loop.
StateSpace regulator_system(const RegulatorDesign& design);

// u = -K y minimising the rms of weighted errors and efforts under white disturbances at the inputs (discrete form of
// Levine and Athans 1970), from a stabilising start; with a bound of the peak gain from those disturbances to the
// weighted errors where one is asked for (mixed H2/H∞).
struct OutputFeedback {
  bool found = false;
  std::string message;
  MatrixX gain;
  double cost = 0;       // H2 norm
  double peak_gain = 0;  // H∞ norm
  int iterations = 0;
};
OutputFeedback design_output_feedback(const StateSpace& plant, const RegulatorWeights& weights, double sample_time,
                                      int delay_steps = 0, double max_peak_gain = 0);

}  // namespace lithe
