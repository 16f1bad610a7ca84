// The equivalent rigid-link system with elastic links as a tree (docs/theory/erls_cms.md): what is constant, and the
// recursions over it.
//
// Coordinates of the tree:  β (joints), ε (elastic displacement along a joint's free direction, one per β), q (elastic,
// link by link). Each frame carries, besides its rigid motion (v, ω), the small rigid displacement (t, ψ) that the
// links before it impose. A point of a link is
//   r = t + (1 + ψ×) s + Φ(s) q                                    from the frame's origin, in the frame's axes (1)
// and only the sum w = v + ṫ acts, so a frame's generalised velocity is V = (w, ω, ψ̇), with dual forces (f_w, f_ω,
// f_ψ).
//
// With second-order terms (docs/theory/erls_cms.md, section 9) a frame is where the deformed links before it put it:
// the node of a flexible link carries it, t, ψ and ε are zero, and a point of a link is
//   r = a + (1 + b) s + Φ(s) q,    a, b = ½ qᵀ G q                                                                (1b)
//
// The recursions are templates over the number type: double to simulate, Dual to differentiate.
#pragma once

#include <vector>

#include "lithe/base/math.h"
#include "lithe/formulate/joints/ball_damper.h"
#include "lithe/formulate/joints/joint_element.h"
#include "lithe/formulate/links/modal_link.h"
#include "lithe/formulate/links/second_order.h"
#include "lithe/formulate/numerics/dual.h"
#include "lithe/kinematics/mechanism.h"

namespace lithe {

template <class S>
using Vec3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Mat3 = Eigen::Matrix<S, 3, 3>;
template <class S>
using VecX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S>
using MatX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <class S>
using Mat3X = Eigen::Matrix<S, 3, Eigen::Dynamic>;

// Derivatives along this many directions at once.
constexpr int erls_lanes = 8;
using ErlsDual = Dual<double, erls_lanes>;

struct ErlsFrame {
  int parent = -1;
  int link = -1;        // index into ErlsTree::links, -1 for a massless frame
  int coordinate = -1;  // index of β and ε
  int chart = -1;
  bool chart_transposed = false;  // a joint traversed backwards
  FrameMotion motion = FrameMotion::fixed;
  Vector3 axis;           // of the motion, in the joint frame
  Vector3 axis_in_frame;  // the same, in this frame's axes: R_afterᵀ axis
  Matrix3 before, after;  // rotations around the motion
  Vector3 offset;         // o0: from the parent's origin to the joint, parent axes
  bool parent_flexible = false;
  bool displaced = false;                        // t and ψ may be nonzero
  Matrix3X attach_translation, attach_rotation;  // Φ_α, Ψ_α of the parent's node, 3 x d_parent
  int carrier = -1;                              // index into ErlsTree::carriers: the node that carries the frame
};

// A node of a flexible link that carries a frame or a side of a cut joint.
struct ErlsCarrier {
  int link = 0, node = 0;
};

// Spring, damper, friction and motor of one joint freedom. They act on the joint's real displacement β + ε.
struct ErlsJoint : JointElement {
  int ball = -1, turn = 0;  // index into ErlsTree::ball_dampers, and which of its three angles
};

struct ErlsTree {
  std::vector<ErlsFrame> frames;
  std::vector<ModalLink> links;
  std::vector<int> frame_of_link;
  std::vector<int> first_mode;    // of each link in q
  std::vector<ErlsJoint> joints;  // per coordinate
  std::vector<BallDamper> ball_dampers;
  std::vector<SecondOrder> second_order;  // per link, where frames are carried; empty: none
  std::vector<ErlsCarrier> carriers;      // of deformed nodes, where second-order terms count
  MatrixX coupled_damping;                // of the mechanism's modes, q x q over all links; empty: none
  Vector3 gravity = Vector3::Zero();
  // [CMP] (5)-(7): the virtual displacement without δR u, so that moments have the undeformed lever arm. Not symmetric.
  bool published_virtual_displacement = false;
  int num_coordinates = 0;
  int num_modes = 0;
  bool carried = false;  // frames are carried by deformed nodes

  // Of a node; -1: nothing hangs on it.
  int carrier(int link, int node) const {
    for (std::size_t i = 0; i < carriers.size(); ++i)
      if (carriers[i].link == link && carriers[i].node == node) return static_cast<int>(i);
    return -1;
  }
  bool bends(int link) const { return carried && !second_order[static_cast<std::size_t>(link)].empty(); }
  int num_variables() const { return 2 * num_coordinates + num_modes; }  // (β, ε, q)
};

template <class S>
struct FrameWork {
  // position
  Mat3<S> R;           // R_PC, this frame to its parent
  Vec3<S> offset;      // o = o0 + slide
  Vec3<S> slide;       // of a prismatic motion, parent axes
  Vec3<S> slide_axis;  // parent axes
  Vec3<S> t, psi;
  Vec3<S> psi_attach;  // ψ_α at the joint, parent axes
  Mat3<S> R_W;         // world orientation and origin of the rigid mechanism's frame
  Vec3<S> p_W;
  // velocity, own axes
  Vec3<S> v, omega, t_rate, psi_rate;
  Vec3<S> t_rate_attach, psi_rate_attach;  // as the joint passes them on, own axes
  // acceleration, own axes: a + ẗ, α, ψ̈
  Vec3<S> w_acceleration, alpha, psi_acceleration;
  // forces on the frame and everything outboard
  Vec3<S> f_w, f_omega, f_psi;
};

// How a carrier is displaced and turned, link axes.
template <class S>
struct CarrierWork {
  Vec3<S> shift, psi;
  Mat3<S> turn;                            // the rotation ψ stands for
  Mat3X<S> shift_jacobian, spin_jacobian;  // of shift, and of the turn's angular velocity, by q̇
  Mat3X<S> psi_jacobian;                   // of ψ
  Vec3<S> shift_rate, spin;                // and their parts of the accelerations that rates cause:
  Vec3<S> shift_bias, spin_bias;
};

template <class S>
struct LinkWork {
  VecX<S> mode_moments;      // N[a][b] q, stacked 9d
  VecX<S> coriolis_moments;  // 3d
  VecX<S> f_q;
  Vec3<S> Cq, Cq_rate, Cq_acceleration;
  Mat3<S> Q, Q_rate, Q_acceleration;  // Σ q_k ∫ρ φ_k sᵀ
  Mat3<S> Nqq;                        // ∫ρ Φq (Φq)ᵀ
  // Second order: G q of a and b, 12 x d, their values, rates and what rates add to their accelerations.
  MatX<S> field_jacobian;
  mutable MatX<S> field_product;  // scratch
  AffineValues field_force;       // that inertia forces exert on a and b
  Vec3<S> a, a_rate, a_bias, a_acceleration;
  Mat3<S> b, b_rate, b_bias, b_acceleration;
};

// Coordinates, rates and accelerations of the tree, and everything the recursions compute from them.
template <class S>
struct TreeWork {
  VecX<S> beta, beta_rate, beta_acceleration;
  VecX<S> eps, eps_rate, eps_acceleration;
  VecX<S> q, q_rate, q_acceleration;
  std::vector<Mat3<S>> references;  // R_ref of the charts
  std::vector<FrameWork<S>> frames;
  std::vector<LinkWork<S>> links;
  std::vector<CarrierWork<S>> carriers;
  VecX<S> f_beta, f_eps, f_q;  // generalised forces: result of inverse_dynamics

  explicit TreeWork(const ErlsTree& tree, int num_charts);
};

// Positions: frames, displacements, modal moments of first and second order.
template <class S>
void update_position(const ErlsTree& tree, TreeWork<S>& work);
// The last of these alone, where frames and displacements are known.
template <class S>
void update_moments(const ErlsTree& tree, TreeWork<S>& work);
// Velocities from the rates; needs positions.
template <class S>
void update_velocity(const ErlsTree& tree, TreeWork<S>& work);
// Accelerations from those of the coordinates; needs velocities. The ground accelerates by -g, which is gravity.
template <class S>
void update_acceleration(const ErlsTree& tree, TreeWork<S>& work);
// The same for a linear response: only what accelerations of the coordinates cause, at zero speed and without gravity.
template <class S>
void update_linear_acceleration(const ErlsTree& tree, TreeWork<S>& work);

// Inertia forces of all links into the frames' force slots (overwrites them), from update_acceleration.
template <class S>
void inertia_forces(const ErlsTree& tree, TreeWork<S>& work, bool with_velocity);
// Elastic forces Ω q and damping of the links into f_q slots (adds).
template <class S>
void elastic_forces(const ErlsTree& tree, TreeWork<S>& work);
// A force and torque (link axes) that act on a node: subtracted from the frame's forces.
template <class S>
void apply_nodal_load(const ErlsTree& tree, TreeWork<S>& work, int link, int node, const Vec3<S>& force,
                      const Vec3<S>& torque);
// From the outermost frames inwards: f_beta, f_eps, f_q, joint springs, dampers, friction and motor inertia included.
template <class S>
void collect_forces(const ErlsTree& tree, TreeWork<S>& work, bool with_joint_elements);

// Of a ball's real displacement β + ε.
template <class S>
BallMotion<S> ball_motion(const std::array<int, 3>& coordinates, const TreeWork<S>& work) {
  BallMotion<S> motion;
  for (int k = 0; k < 3; ++k) {
    const int c = coordinates[k];
    motion.angles[k] = work.beta(c) + work.eps(c);
    motion.rates[k] = work.beta_rate(c) + work.eps_rate(c);
    motion.accelerations[k] = work.beta_acceleration(c) + work.eps_acceleration(c);
  }
  return motion;
}

// Position of a node relative to its frame's origin, frame axes: (1).
template <class S>
Vec3<S> node_offset(const ErlsTree& tree, const TreeWork<S>& work, int link, int node);

}  // namespace lithe
