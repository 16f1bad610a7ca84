// Closed chains of elements: joints (and welds inside a link) that the tree cut, as rows Ψ(y) = 0 that determine the
// dependent coordinates; [LIN] (3), (53)-(63) with the tree's coordinates in place of the nodal ones.
#pragma once

#include <vector>

#include "lithe/formulate/erls/loops/constraints.h"
#include "lithe/formulate/transfer/motion.h"

namespace lithe {

// A side of a cut: a joint frame in a frame of the tree, or in the world.
struct TransferSide {
  int frame = -1;
  Pose joint_frame;
};

struct TransferLoop {
  int joint = -1;  // -1: a weld inside a link
  TransferSide parent, child;
  std::vector<LoopRow> rows;
  int first_row = 0;
  std::vector<int> path;  // frames between either side and the ground, ascending
  // A nodal coordinate that is a variable of its own, and its row: coordinate of the child's side - y. -1: none.
  int variable = -1;
  bool turn = false;  // the coordinate is the angle about the world's z axis
  // Of a coupling of joint coordinates, which has no sides: Σ factor y - offset.
  std::vector<LoopCoordinate> coupled = {};
  double offset = 0;
};

// World motion of a side.
struct SideMotion {
  Pose pose;
  Vector3 velocity = Vector3::Zero(), omega = Vector3::Zero(), acceleration = Vector3::Zero(), alpha = Vector3::Zero();
};
SideMotion side_motion(const TransferTree& tree, const TransferWork& work, const TransferSide& side);

struct TransferLoops {
  std::vector<TransferLoop> loops;
  int num_rows = 0;
};
TransferLoops build_transfer_loops(const Model& model, const Mechanism& mechanism, const TransferTree& tree);
// One more row: the x, y, z (0, 1, 2) or the rotation of a node is the tree's `variable`.
void add_nodal_row(const NodePlace& place, int component, int variable, const TransferTree& tree, TransferLoops& loops);

// Ψ, Ψ̇ and Ψ̈ at the frames' motion; after update_frames.
struct LoopValues {
  VectorX value, rate, acceleration;
};
void loop_values(const TransferLoops& loops, const TransferTree& tree, const TransferWork& work, LoopValues& values);

// (velocity, angular velocity) of a side per unit rate of each variable, world axes.
void side_jacobian(const TransferTree& tree, const TransferWork& work, const TransferSide& side, MatrixX& jacobian);
// ∂Ψ/∂y
void loop_jacobian(const TransferLoops& loops, const TransferTree& tree, const TransferWork& work, MatrixX& jacobian);
// ∂Ψ̇/∂y and ∂Ψ̈/∂y; after update_jacobians.
void loop_jacobians(const TransferLoops& loops, const TransferTree& tree, const TransferWork& work, MatrixX& rate,
                    MatrixX& acceleration);

// The forces of rows' multipliers as loads on the frames: with them the tree's forces are those and Jᵀ λ.
void add_loop_loads(const TransferLoops& loops, const TransferTree& tree, const VectorX& multipliers,
                    TransferWork& work);
// How the wrenches Jᵀ λ on both sides of each loop change, world axes: rows (force, torque) of the parent's, then of
// the child's; for changes of y and of the multipliers of all rows.
std::vector<MatrixX> loop_wrench_changes(const TransferLoops& loops, const TransferTree& tree, const TransferWork& work,
                                         const VectorX& multipliers, const MatrixX& y,
                                         const MatrixX& multiplier_changes);
// What the loads' own turning adds to the stiffness, Σ λ ∂²Ψ/∂y² beyond constant loads.
void add_loop_stiffness(const TransferLoops& loops, const TransferTree& tree, const TransferWork& work,
                        const VectorX& multipliers, MatrixX& stiffness);

}  // namespace lithe
