// The fastest way along a path within limits of speed, acceleration and torque, torque-speed lines included:
// reachability of (s, ṡ²) on a grid, backwards and forwards (Pham and Pham, 2018). With limits of jerk: jerk_limited.h.
#pragma once

#include <string>
#include <vector>

#include "lithe/plan/joint_path.h"
#include "lithe/plan/rigid_torques.h"
#include "lithe/plan/time_law.h"

namespace lithe {

struct PathLimits {
  std::vector<int> coordinates;       // of the joints that the move drives
  std::vector<MotionLimits> motions;  // of them
  std::vector<double> torques;        // of them, infinite where there is no limit
  MotionLimits tool;                  // of the path itself, where its length is the tool's way
  std::vector<MotorLine> lines{};     // of the motors of the joints; empty: none
};

struct FastestLaw {
  TimeLaw law;
  std::string failure;   // why there is none; empty: there is
  double failed_at = 0;  // place on the path
  int coordinate = -1;   // index into PathLimits::coordinates, where a torque cannot hold it
};

// `torques` may be null where no torque is limited. `intervals` of the grid, spread over the parts of the path.
FastestLaw time_optimal(const JointPath& path, const PathLimits& limits, const RigidTorques* torques, int intervals);

}  // namespace lithe
