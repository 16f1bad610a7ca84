// What ties the tree's variables y = (β, ε, q) together: closed loops, and the gauge that splits the motion into rigid
// and elastic part (docs/theory/erls_cms.md, sections 3 and 4).
//
//   closure   Ψ(β) = 0                   the rigid mechanism's loops are closed
//   elastic   Λ(β; ε, q) = 0             the elastic displacements agree where a cut joint constrains them       [CMS]
//   (6) gauge     Θ(β; ε, q) = 0             minimum norm: Σ ∫ρ ∂e/∂θ · u = 0; with the encoder gauge ε = 0 instead
//
// Λ and Θ are linear in (ε, q). All three are position-level functions; rates and accelerations follow by
// differentiating them exactly (Pitfall 2 of the published method), with Dual numbers.
#pragma once

#include <vector>

#include "lithe/formulate/erls/tree/tree.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/model/model.h"

namespace lithe {

// One direction that a joint constrains: a translation along axis i of the parent's joint frame F, or a rotation kept
// at e_i(F)·e_j(M) = 0.
struct LoopRow {
  bool rotation = false;
  int parent_axis = 0;
  int child_axis = 0;
  bool used = true;  // false: other rows of an overconstrained loop say the same
};

std::vector<LoopRow> constrained_directions(JointType type);

struct LoopSide {
  int frame = -1;                  // -1: the ground
  int link = -1;                   // -1: the ground, or a frame that carries a joint
  Pose joint_frame;                // in the frame
  Matrix3X translation, rotation;  // shapes of the node, 3 x d
  std::vector<int> path;           // frames between the side and the ground
  int carrier = -1;                // index into ErlsTree::carriers
};

// A coupling of joint coordinates stands among the loops, too: without sides, its row of Ψ is Σ factor β - offset, that
// of Λ Σ factor ε, so that the joints' real values meet it.
struct LoopJoint {
  int joint = -1;
  JointType type = JointType::fixed;
  LoopSide parent, child;
  LoopSide parent_link;  // the joint on its parent link: `parent`, unless frames carry the joint
  std::vector<LoopRow> rows;
  std::vector<LoopCoordinate> coupled;  // of a coupling
  double offset = 0;

  bool couples() const { return !coupled.empty(); }
};

// Σ factor · value of a coupling's coordinates.
template <class S>
S coupled_sum(const LoopJoint& loop, const VecX<S>& values) {
  S sum(0.0);
  for (const LoopCoordinate& member : loop.coupled) sum += values(member.coordinate) * member.sign;
  return sum;
}

// Of the link at a side.
int num_modes(const LoopSide& side, const ErlsTree& tree);

std::vector<LoopJoint> loop_joints(const Model& model, const Mechanism& mechanism, const ErlsTree& tree);

// Frames' poses and displacements only: what the constraints depend on.
template <class S>
void update_displacement(const ErlsTree& tree, TreeWork<S>& work);
// The displacements alone, of frames that are in place.
template <class S>
void displace_frames(const ErlsTree& tree, TreeWork<S>& work);

// Ψ and Λ, row by row in the order of the loops; rows that are not used keep what they have.
template <class S>
void loop_residuals(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                    VecX<S>& closure, VecX<S>& elastic);

// ∂Ψ/∂β, and ∂Λ/∂(β, ε, q), by the motion that each variable gives the two sides of a cut joint;
// docs/theory/erls_cms.md (8f). Columns in the order of y; those of variables off a loop's paths are zero.
template <class S>
void loop_jacobians(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                    MatX<S>& closure, MatX<S>& elastic);

// The two parts of it: the columns that do not depend on ε and q, which they set to zero first, and ∂Λ/∂β.
template <class S>
void loop_elastic_jacobians(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                            MatX<S>& closure, MatX<S>& elastic);
template <class S>
void loop_joint_jacobians(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                          MatX<S>& elastic);

// Ψ and ∂Ψ/∂β alone, which need the frames' poses only.
template <class S>
void loop_closure(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work, VecX<S>& closure,
                  MatX<S>& jacobians);

// How each frame of the rigid mechanism moves in the world, and the displacement field at its origin with its rates:
// what second time derivatives of the constraints need.
template <class S>
struct LoopMotion {
  struct Frame {
    Vec3<S> omega, alpha;
    Vec3<S> point_rate, point_acceleration;
    Vec3<S> shift, shift_rate, shift_acceleration;  // of the origin, by the links before it
    Vec3<S> turn, turn_rate, turn_acceleration;
  };
  std::vector<Frame> frames;
};

// Second time derivatives of Ψ and Λ for the rates and accelerations in `work`, or for vanishing accelerations of all
// variables; docs/theory/erls_cms.md (8g). Needs update_displacement().
template <class S>
void loop_accelerations(const std::vector<LoopJoint>& loops, const ErlsTree& tree, const TreeWork<S>& work,
                        bool with_accelerations, LoopMotion<S>& motion, VecX<S>& closure, VecX<S>& elastic);

// Σ ∫ρ ∂e/∂β_c · u for every coordinate c of the tree: the momentum of the displacement field, projected on the joint
// axes.
template <class S>
void displacement_momentum(const ErlsTree& tree, const TreeWork<S>& work, std::vector<Vec3<S>>& linear,
                           std::vector<Vec3<S>>& angular, VecX<S>& momentum);

// Elastic displacement of a cut joint's sides along one of its freedoms, with rates; zero for joints whose axes move
// with each other.
SignalValue cut_displacement(const LoopJoint& loop, const Freedom& freedom, const ErlsTree& tree,
                             TreeWork<double>& work);

}  // namespace lithe
