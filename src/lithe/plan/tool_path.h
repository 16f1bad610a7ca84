// The tool's way through waypoints: lines, arcs and rounded corners, with orientation. It is told by the length that it
// has come, so that derivatives are per metre; a turn without a way counts its angle in rad as metres.
#pragma once

#include <memory>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/move.h"

namespace lithe {

// World axes; derivatives with respect to the length.
struct ToolPoint {
  Vector3 position = Vector3::Zero(), velocity = Vector3::Zero(), acceleration = Vector3::Zero();
  Matrix3 orientation = Matrix3::Identity();
  Vector3 turn = Vector3::Zero(), turn_rate = Vector3::Zero();  // angular velocity and its derivative
};

class ToolPiece {
 public:
  virtual ~ToolPiece() = default;
  virtual ToolPoint at(double s) const = 0;  // 0 <= s <= length()
  virtual double length() const = 0;
};

// Pieces that the tool passes without a stop.
struct ToolLeg {
  std::vector<std::unique_ptr<ToolPiece>> pieces;
  int last_waypoint = 0;  // where it ends
  double length() const;
};

// Throws InputError, at the waypoint, for arcs through points on a line and for blends that are too large.
std::vector<ToolLeg> tool_legs(const Pose& start, const std::vector<MoveWaypoint>& waypoints);

}  // namespace lithe
