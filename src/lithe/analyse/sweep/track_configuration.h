// Configurations near a known one: where a node, joints, or both have given values. Follows the branch of solutions
// that the known configuration is on, in steps; takes no detours to others.
#pragma once

#include <optional>
#include <vector>

#include "lithe/analyse/condense/topology.h"
#include "lithe/kinematics/position.h"

namespace lithe {

// What a configuration shall meet. Values that are not given follow from the loops, or stay as near as they can.
struct ConfigurationGoal {
  struct JointValue {
    int joint = -1;
    int freedom = 0;
    double value = 0;
  };
  std::optional<Vector3> tool_position;
  std::optional<Matrix3> tool_orientation;
  std::vector<JointValue> joints;
};

// Finds configurations one from the other.
class ConfigurationTracker {
 public:
  // `home` must be closed. Freedoms with prescribed motion stay where they are there, unless the tool is moved or the
  // goal names them. The tool may be left out when no goal names it.
  ConfigurationTracker(const Model& model, const Mechanism& mechanism, std::optional<NodeOfLink> tool,
                       Configuration home);

  // Freedoms of the tool at home: of its position, and of position and orientation together.
  int num_position_freedoms() const { return position_freedoms_; }
  int num_pose_freedoms() const { return pose_freedoms_; }
  Pose tool_at_home() const { return tool_at_home_; }
  const Configuration& home() const { return home_; }

  // Moves `configuration` to the goal. False, with the configuration as it was, where the goal cannot be reached that
  // way.
  bool reach(const ConfigurationGoal& goal, Configuration& configuration) const;
  // The same without a way that the tool follows: for goals behind a hole of the workspace. The configuration may be on
  // another branch than the one it starts from.
  bool search(const ConfigurationGoal& goal, Configuration& configuration) const;

 private:
  struct Work;
  ConfigurationGoal present(const ConfigurationGoal& goal, const Configuration& configuration, Work& work) const;
  double distance(const ConfigurationGoal& from, const ConfigurationGoal& to) const;
  ConfigurationGoal between(const ConfigurationGoal& from, const ConfigurationGoal& to, double part) const;
  bool solve(const ConfigurationGoal& goal, Configuration& configuration, Work& work) const;
  VectorX scales(const ConfigurationGoal& goal) const;
  bool descend(const ConfigurationGoal& goal, Configuration& configuration, Work& work) const;
  void residual(const ConfigurationGoal& goal, const Configuration& configuration, Work& work) const;
  void jacobian(const ConfigurationGoal& goal, Work& work) const;
  double value_of(const ConfigurationGoal::JointValue& joint, const Configuration& configuration,
                  const Work& work) const;
  Pose tool_pose(const KinematicState& state) const;
  MatrixX tool_jacobian(const KinematicState& state) const;
  void count_freedoms();

  const Model& model_;
  const Mechanism& mechanism_;
  std::optional<NodeOfLink> tool_;
  Configuration home_;
  Pose tool_at_home_;
  std::vector<bool> fixed_;  // per coordinate
  int position_freedoms_ = 0, pose_freedoms_ = 0;
};

}  // namespace lithe
