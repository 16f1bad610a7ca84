// Which coordinates bring the tool where it shall be, and how fast they move along a path: the branch that the
// mechanism is on, loops closed, redundant coordinates by the shortest change, away from their limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/kinematics/position.h"
#include "lithe/plan/joint_path.h"
#include "lithe/plan/tool_path.h"

namespace lithe {

class ToolKinematics {
 public:
  // `movable`: per coordinate; the others stay. Without `oriented` the orientation is free. `references` of charts.
  ToolKinematics(const Model& model, const Mechanism& mechanism, int link, int node, const std::vector<bool>& movable,
                 bool oriented, std::vector<Quaternion> references);

  Pose pose(const VectorX& coordinates) const;
  // Newton's method from `coordinates`, which must be near. False: it does not get there.
  bool reach(const ToolPoint& point, VectorX& coordinates) const;
  // dβ/ds and d²β/ds² at a point that has been reached.
  PathNode node(const ToolPoint& point, const VectorX& coordinates) const;
  // The smallest over the largest singular value of the tool's Jacobian, lengths in units of the mechanism's size; 0 in
  // a singular configuration.
  double conditioning(const VectorX& coordinates) const;
  double size() const { return size_; }

 private:
  void place(const VectorX& coordinates) const;
  MatrixX jacobian() const;  // loops, then tool, per movable coordinate
  VectorX ease() const;
  VectorX least(const MatrixX& J, const VectorX& right) const;

  const Model& model_;
  const Mechanism& mechanism_;
  int link_, node_;
  std::vector<int> movable_;
  std::vector<std::optional<std::pair<double, double>>> limits_;  // of them
  int tool_rows_;
  double size_;
  mutable Configuration configuration_;
  mutable KinematicState state_;
};

// The path of all coordinates while the tool goes along a leg.
struct FollowedLeg {
  JointPath path{0};
  std::string failure;   // why it ends early; empty: it does not
  double failed_at = 0;  // m along the leg
};
FollowedLeg follow(const ToolKinematics& tool, const ToolLeg& leg, const VectorX& start);

}  // namespace lithe
