// Motors and gearboxes as catalogues give them, beside what the model needs of them.
#pragma once

#include <optional>

#include "lithe/model/model.h"

namespace lithe {

// The motor of a joint, its gearbox and its limits.
struct DriveTrain {
  SourcePlace place;
  int joint = 0;            // whose value and speed are the motor's over the ratio
  int gear = -1;            // joint of an elastic gearbox; -1: rigid
  bool gyroscopic = false;  // the rotor is a body of its own, whose inertia the joint does not have
  bool described = false;   // limits of a robot's description, without a motor of the file
  double ratio = 1;         // motor over joint, rad/rad or rad/m
  double inertia = 0;       // of the rotor, at the joint: ratio² J
  double efficiency = 1;    // of the gearbox
  std::optional<double> max_torque, rated_torque;             // of the motor, N m: for a moment, for ever
  std::optional<double> max_speed;                            // of the motor, rad/s
  std::optional<double> stall_torque, no_load_speed;          // ends of its torque-speed line, N m and rad/s
  std::optional<double> gear_max_torque, gear_rated_torque;   // at the gearbox's output, N m or N
  std::optional<double> torque_constant, winding_resistance;  // N m/A, ohm
};

}  // namespace lithe
