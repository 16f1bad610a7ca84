// Motor torques with which the links of an arm with elastic gearboxes move as prescribed: inverse dynamics of the
// flexible-joint model (M. W. Spong, Journal of Dynamic Systems, Measurement, and Control 109 (1987) 310-319).
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/hooks.h"
#include "lithe/analyse/specs.h"
#include "lithe/model/drive_train.h"

namespace lithe {

// Over which time, and how the result is checked.
struct FeedforwardSpec {
  double end_time = 0;  // s; 0: when the last prescribed motion ends
  double output_step = SimulateSpec{}.output_step;
  double tolerance = 1e-8;  // of the simulation that checks the result, m
};

// One per joint whose motion is prescribed; values over the times of the result.
struct FeedforwardJoint {
  std::string joint;
  bool elastic = false, slides = false;
  double ratio = 1;
  std::vector<double> link;                // prescribed value of the link, rad or m
  std::vector<double> gear_torque;         // that the gearbox must transmit, N m or N
  std::vector<double> motor, motor_speed;  // value of the joint on its motor's side, over the ratio
  std::vector<double> torque;              // of the motor, N m; of a joint without a motor its own
  double error = 0, uncorrected = 0;  // largest distance of the link from its path, simulated with these motor values,
                                      // and with those of a rigid gearbox; NaN where that failed
};

// What the motors have to do so that the links follow.
struct FeedforwardResult {
  std::string failure;  // why there is none; empty: there is
  std::vector<double> times;
  std::vector<FeedforwardJoint> joints;
  std::vector<std::string> warnings;
};

// Links are rigid: those of `model` as if nothing in them bent. Throws InputError without a prescribed motion.
FeedforwardResult elastic_feedforward(const Model& model, const std::vector<DriveTrain>& trains,
                                      const FeedforwardSpec& spec, const RunHooks& hooks = {});

// Weights of values at nodes in the derivatives of order 0 to `order` at a place: B. Fornberg, Mathematics of
// Computation 51 (1988) 699-706. One row per node.
MatrixX difference_weights(double place, const std::vector<double>& nodes, int order);

}  // namespace lithe
