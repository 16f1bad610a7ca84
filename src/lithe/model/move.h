// Moves of a robot as the model file asks for them; plan/ makes prescribed motions of them.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lithe/model/model.h"

namespace lithe {

enum class MoveProfile { trapezoid, s_curve, minimum_jerk, spline, time_optimal };

// A place to come through or to: joint values, or a pose of the tool.
struct MoveWaypoint {
  SourcePlace place;
  std::vector<double> joints;  // one per joint of the move; empty: a pose
  Vector3 position = Vector3::Zero();
  std::optional<Matrix3> orientation;  // none: that of the waypoint before
  std::optional<Vector3> via;          // the tool comes here on an arc through this point, not on a line
  double blend = 0;                    // m: the corner here is rounded from so far before it to so far after it
};

struct MotionLimits {
  double speed = std::numeric_limits<double>::infinity();
  double acceleration = std::numeric_limits<double>::infinity();
  double jerk = std::numeric_limits<double>::infinity();
};

// The torque of a motor that drives at speed w is at most stall_torque (1 - w / no_load_speed), both at the joint.
struct MotorLine {
  double stall_torque = std::numeric_limits<double>::infinity(), no_load_speed = stall_torque;
};

struct Move {
  std::string name;
  SourcePlace place;
  std::optional<double> start_time;  // s; none: after the move before, and `pause`
  double pause = 0;
  std::optional<double> duration;  // s; none: the shortest within the limits
  MoveProfile profile = MoveProfile::s_curve;
  std::vector<int> joints;   // of one degree of freedom, that the move drives
  int link = -1, node = -1;  // the tool; -1: the waypoints are joint values
  std::vector<MoveWaypoint> waypoints;
  std::vector<MotionLimits> joint_limits;  // one per joint
  std::vector<double> joint_torques;       // likewise, N m or N; infinite where there is no limit
  std::vector<MotorLine> motor_lines;      // likewise; time-optimal moves keep them
  MotionLimits tool_limits;
  std::vector<double> table_times;                // instead of waypoints: values at times after the start
  std::vector<std::vector<double>> table_values;  // one list per joint
};

// A reference of controllers that is the planned motion of a joint, times a factor.
struct MoveReference {
  int reference = 0;  // index into ControlSetup::references
  int joint = 0;
  double factor = 1;
};

// A payload that is taken or put down when a move has ended: indices into ControlSetup::payloads and of moves, -1: at
// the payload's own time.
struct PayloadMoves {
  int payload = 0, taken_after = -1, put_down_after = -1;
};

// A move as it was planned.
struct PlannedMove {
  std::string name;
  double start_time = 0, end_time = 0;
  std::vector<int> joints;
  std::string limited_by;  // what sets its duration: "speed of joint 'elbow'"; empty: `duration`
};

}  // namespace lithe
