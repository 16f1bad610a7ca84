// Displacements of all bodies as linear functions of a few coordinates, in one configuration: u = G u_O + H θ, [SC]
// (15) (docs/theory/condensation.md, section 4).
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/condense/topology.h"
#include "lithe/kinematics/position.h"

namespace lithe {

// Freedoms of a joint that may move, about the configuration. World axes.
struct JointMotion {
  Vector3 point = Vector3::Zero();  // origin of the joint's frame on the child
  Matrix6X screws;                  // displacement and rotation of the child there per unit freedom
  MatrixX stiffness, inertia;       // of the freedoms
  VectorX force;                    // of the drives at time 0
};

// (translation, rotation) of a point = matrix · z(columns), world axes.
struct PointMap {
  std::vector<int> columns;
  Matrix6X matrix;
};

// Coordinates z of one configuration: displacement and rotation of every subsystem's root (those of the kept ones
// first, in their order, then the imposed, then the others), then the joints' freedoms; where joints form loops or are
// coupled, instead of the freedoms of a subsystem those combinations that loops and couplings allow. Subsystems that
// couplings tie together share them.
class CondenseGeometry {
 public:
  CondenseGeometry(const Model& model, const Mechanism& mechanism, const CondenseTopology& topology);

  // The configuration must be closed.
  void update(const Configuration& configuration);

  int num_coordinates() const { return num_coordinates_; }
  // First of the six columns of a subsystem's root; -1 where grounded.
  int root_column(int subsystem) const { return root_column_[subsystem]; }
  int num_redundant() const;
  // Of all subsystems that couplings tie to this one; said of the first of them.
  int num_redundant(int subsystem) const { return loops_[subsystem].redundancy; }
  const KinematicState& state() const { return state_; }
  const Pose& link_pose(int link) const { return state_.in_world[mechanism_.frame_of_link(link)]; }
  Vector3 node_position(const NodeOfLink& node) const;
  const JointMotion& joint(int j) const { return joints_[j]; }
  // Freedoms of a tying joint in terms of z: freedom x columns.
  void joint_map(int j, std::vector<int>& columns, MatrixX& matrix) const;
  // A point of a body, which may be the ground (no columns).
  void point_map(int body, const Vector3& point, PointMap& map) const;
  // Block of every coordinate for elimination: a root, a joint, or the freedoms that loops and couplings allow.
  std::vector<int> blocks() const;
  // Joints and roots that take part in a motion z, largest first: "joint 'elbow'", "node 'arm:tip'".
  std::vector<std::string> participants(const VectorX& z) const;

 private:
  // θ = allowed · ξ for the joints of a subsystem with loops, or of several that couplings tie together: it stands at
  // the first of them.
  struct Loops {
    std::vector<int> subsystems, couplings;
    MatrixX allowed;  // one row per freedom, those of joint j from first_row_[j] on
    int first_column = 0;
    int redundancy = 0;
  };
  void number_roots();
  void update_joint(const Configuration& configuration, int j);
  Vector6 joint_values(const Configuration& configuration, int j) const;
  void tie_by_couplings();
  bool is_tied(int subsystem) const { return !loops_[group_[subsystem]].subsystems.empty(); }
  const Loops& loops_of(int subsystem) const { return loops_[group_[subsystem]]; }
  void close(Loops& loops);
  MatrixX loop_rows(const Loops& loops, int num, double size) const;
  MatrixX coupling_rows(const Loops& loops, int num, const VectorX& unit) const;
  void number_freedoms();

  const Model& model_;
  const Mechanism& mechanism_;
  const CondenseTopology& topology_;
  KinematicState state_;
  std::vector<JointMotion> joints_;
  std::vector<Loops> loops_;  // per subsystem
  std::vector<int> group_;    // per subsystem: the first one that couplings tie it to
  std::vector<int> root_column_, joint_column_, subsystem_of_joint_, first_row_;
  int num_root_columns_ = 0, num_coordinates_ = 0;
};

}  // namespace lithe
