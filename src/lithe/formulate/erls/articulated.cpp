#include "lithe/formulate/erls/articulated.h"

#include <cmath>

namespace lithe {
namespace {

// H(q) = ∫ρ r × Φ, row by row from G_ab = ∫ρ r_a φ_b = t_a C_b + Σ_j F_aj S_jb + (N_ba q).
void angular_coupling(const ModalLink& body, const LinkWork<double>& l, const ErlsFrame& frame,
                      const FrameWork<double>& f, Matrix9X& coupling) {
  const int d = body.num_modes;
  const Matrix3 F = Matrix3::Identity() + skew(f.psi);
  for (int c = 0; c < 3; ++c) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    for (int k = 0; k < d; ++k) {
      double h = l.mode_moments((3 * b + a) * d + k) - l.mode_moments((3 * a + b) * d + k);
      if (frame.displaced) {
        h += f.t(a) * body.mode_momentum(b, k) - f.t(b) * body.mode_momentum(a, k);
        for (int j = 0; j < 3; ++j)
          h += F(a, j) * body.position_mode_stack(3 * j + b, k) - F(b, j) * body.position_mode_stack(3 * j + a, k);
      } else {
        h += body.mode_angular_momentum(c, k);
      }
      coupling(3 + c, k) = h;
    }
  }
}

// Expressed in the parent's axes: every 3x3 block becomes R B Rᵀ.
Matrix9 rotated(const Matrix9& inertia, const Matrix3& R) {
  Matrix9 result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) {
      const Matrix3 block = R * inertia.block<3, 3>(3 * i, 3 * j) * R.transpose();
      result.block<3, 3>(3 * i, 3 * j) = block;
      if (i != j) result.block<3, 3>(3 * j, 3 * i) = block.transpose();
    }
  return result;
}

// Xᵀ I X for the shift w' = w + (ω + ψ̇) × o.
void shift(Matrix9& I, const Vector3& o) {
  const Matrix3 m = -skew(o);
  for (int c : {3, 6}) I.middleCols<3>(c) += I.leftCols<3>() * m;
  for (int r : {3, 6}) I.middleRows<3>(r) += m.transpose() * I.topRows<3>();
}

}  // namespace

Vector9 joint_motion_vector(const ErlsFrame& frame, const FrameWork<double>& f) {
  Vector9 S = Vector9::Zero();
  if (frame.motion == FrameMotion::revolute) {
    S.segment<3>(3) = frame.axis_in_frame;
    if (frame.displaced) {
      S.head<3>() = f.t.cross(frame.axis_in_frame);
      S.tail<3>() = f.psi.cross(frame.axis_in_frame);
    }
  } else {
    S.head<3>() = frame.axis_in_frame;
    if (frame.displaced) S.head<3>() += f.R.transpose() * f.psi_attach.cross(f.slide_axis);
  }
  return S;
}

Vector9 joint_stretch_vector(const ErlsFrame& frame) {
  Vector9 S = Vector9::Zero();
  if (frame.motion == FrameMotion::revolute)
    S.tail<3>() = frame.axis_in_frame;
  else
    S.head<3>() = frame.axis_in_frame;
  return S;
}

void link_inertia(const ErlsTree& tree, const TreeWork<double>& work, int frame_index, Matrix9& I, Matrix9X& coupling) {
  const ErlsFrame& frame = tree.frames[frame_index];
  const FrameWork<double>& f = work.frames[frame_index];
  const ModalLink& body = tree.links[frame.link];
  const LinkWork<double>& l = work.links[frame.link];
  const bool flexible = body.num_modes > 0;
  const Matrix3 psi = skew(f.psi);
  const Vector3 Fc0 = body.first_moment + psi * body.first_moment;
  Vector3 c = Fc0 + body.mass * f.t;  // ∫ρ r
  const Matrix3 FP0 = body.second_moment + psi * body.second_moment;
  Matrix3 Prs = FP0 + f.t * body.first_moment.transpose();  // ∫ρ r sᵀ
  Matrix3 Prr = FP0 + FP0 * psi.transpose() + f.t * (Fc0 + body.mass * f.t).transpose() + Fc0 * f.t.transpose();
  if (flexible) {
    c += l.Cq;
    Prs += l.Q;
    const Matrix3 cross = (Matrix3::Identity() + psi) * l.Q.transpose() + f.t * l.Cq.transpose();
    Prr += cross + cross.transpose() + l.Nqq;
  }
  const Matrix3 one = Matrix3::Identity();
  I.block<3, 3>(0, 0) = body.mass * one;
  I.block<3, 3>(0, 3) = -skew(c);
  I.block<3, 3>(0, 6) = -skew(body.first_moment);
  I.block<3, 3>(3, 3) = Prr.trace() * one - Prr;
  I.block<3, 3>(3, 6) = Prs.trace() * one - Prs.transpose();
  I.block<3, 3>(6, 6) = body.inertia;
  I.block<3, 3>(3, 0) = I.block<3, 3>(0, 3).transpose();
  I.block<3, 3>(6, 0) = I.block<3, 3>(0, 6).transpose();
  I.block<3, 3>(6, 3) = I.block<3, 3>(3, 6).transpose();
  if (!flexible) return;
  coupling.topRows<3>() = body.mode_momentum;
  coupling.bottomRows<3>() = body.mode_angular_momentum;
  angular_coupling(body, l, frame, f, coupling);
}

std::vector<LinkInertia> link_inertias(const ErlsTree& tree) {
  std::vector<LinkInertia> links(tree.links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const int d = tree.links[i].num_modes;
    links[i].coupling = Matrix9X::Zero(9, d);
    links[i].modal_mass = MatrixX::Identity(d, d);
  }
  for (const ErlsFrame& frame : tree.frames)
    if (frame.parent_flexible) links[tree.frames[frame.parent].link].carries = true;
  return links;
}

AttachScratch::AttachScratch(const ErlsTree& tree) {
  int most_modes = 0;
  for (const ModalLink& link : tree.links) most_modes = std::max(most_modes, link.num_modes);
  coupling.resize(9, most_modes);
  shape.resize(3, most_modes);
}

void add_to_parent_inertia(const ErlsFrame& frame, const FrameWork<double>& f, const Matrix9& inertia, Matrix9& parent,
                           LinkInertia* link, AttachScratch& scratch) {
  Matrix9 I = rotated(inertia, f.R);
  if (link != nullptr) {
    const auto d = link->modal_mass.rows();
    auto shape = scratch.shape.leftCols(d);
    shape = frame.attach_translation;
    if (frame.motion == FrameMotion::prismatic) shape.noalias() -= skew(f.slide) * frame.attach_rotation;
    auto Z = scratch.coupling.leftCols(d);
    Z.noalias() = I.leftCols<3>() * shape;
    Z.noalias() += I.rightCols<3>() * frame.attach_rotation;
    link->modal_mass.noalias() += shape.transpose() * Z.topRows<3>();
    link->modal_mass.noalias() += frame.attach_rotation.transpose() * Z.bottomRows<3>();
    link->coupling += Z;
    const Matrix3 o = skew(f.offset);
    link->coupling.middleRows<3>(3).noalias() += o * Z.topRows<3>();
    link->coupling.bottomRows<3>().noalias() += o * Z.topRows<3>();
  }
  shift(I, f.offset);
  parent += I;
}

ArticulatedMass::ArticulatedMass(const ErlsTree& tree, std::vector<char> solved, bool damped_and_stiff)
    : solved_(std::move(solved)), frames_(tree.frames.size()), scratch_(tree) {
  for (LinkInertia& inertia : link_inertias(tree)) {
    LinkFactor factor;
    static_cast<LinkInertia&>(factor) = std::move(inertia);
    if (damped_and_stiff) factor.carries = true;
    const auto d = factor.modal_mass.rows();
    factor.eliminated = MatrixX::Zero(d, 9);
    factor.modal_rhs = VectorX::Zero(d);
    links_.push_back(std::move(factor));
  }
}

void ArticulatedMass::start_link(const ErlsTree& tree, const TreeWork<double>& work, int i) {
  const ErlsFrame& frame = tree.frames[i];
  if (frame.link < 0) {
    frames_[i].inertia.setZero();
    return;
  }
  LinkFactor& link = links_[frame.link];
  link_inertia(tree, work, i, frames_[i].inertia, link.coupling);
  if (link.carries) link.modal_mass.setIdentity();
  add_elastic(tree, i);
}

void ArticulatedMass::add_elastic(const ErlsTree& tree, int i) {
  const ModalLink& body = tree.links[tree.frames[i].link];
  LinkFactor& link = links_[tree.frames[i].link];
  if (stiffness_ > 0) link.modal_mass.diagonal() += stiffness_ * body.squared_frequencies;
  if (damping_ > 0 && body.damped) link.modal_mass += damping_ * body.damping;
}

// 𝓜_qq = L Lᵀ; what the elastic coordinates take away from the frame's inertia is (L⁻¹ 𝓜_qV)ᵀ (L⁻¹ 𝓜_qV).
bool ArticulatedMass::eliminate_modes(const ErlsTree& tree, int i) {
  const ErlsFrame& frame = tree.frames[i];
  if (frame.link < 0 || tree.links[frame.link].num_modes == 0) return true;
  LinkFactor& link = links_[frame.link];
  link.eliminated = link.coupling.transpose();
  if (link.carries) {
    Eigen::LLT<Eigen::Ref<MatrixX>> cholesky(link.modal_mass);
    if (cholesky.info() != Eigen::Success) return false;
    link.modal_mass.triangularView<Eigen::Lower>().solveInPlace(link.eliminated);
  }
  if (frame.parent >= 0) frames_[i].inertia.noalias() -= link.eliminated.transpose() * link.eliminated;
  return true;
}

double joint_resistance(const ErlsTree& tree, const TreeWork<double>& work, int coordinate, double damping,
                        double stiffness) {
  const JointProperties& joint = tree.joints[coordinate];
  double jacobian = joint.damping;
  if (joint.ball >= 0) {
    const BallDamper& ball = tree.ball_dampers[joint.ball];
    jacobian += ball_damper_matrix(ball, ball_motion<double>(ball.coordinates, work).angles)(joint.turn, joint.turn);
  }
  if (joint.friction > 0) {
    const double share = std::tanh(work.beta_rate(coordinate) / joint.friction_speed);
    jacobian += joint.friction * (1 - share * share) / joint.friction_speed;
  }
  return damping * jacobian + stiffness * joint.stiffness;
}

bool ArticulatedMass::free_joint(const ErlsTree& tree, const TreeWork<double>& work, int i) {
  const ErlsFrame& frame = tree.frames[i];
  FrameFactor& factor = frames_[i];
  if (frame.coordinate < 0 || !solved_[frame.coordinate]) return true;
  factor.motion = joint_motion_vector(frame, work.frames[i]);
  factor.resisting.noalias() = factor.inertia * factor.motion;
  const JointProperties& joint = tree.joints[frame.coordinate];
  factor.pivot = factor.motion.dot(factor.resisting) + joint.inertia;
  if (damping_ > 0 || stiffness_ > 0)
    factor.pivot += joint_resistance(tree, work, frame.coordinate, damping_, stiffness_);
  // On the ground the frame's inertia is not needed as a whole, so its elastic part is taken out along S only.
  const bool on_ground_with_modes = frame.parent < 0 && frame.link >= 0 && tree.links[frame.link].num_modes > 0;
  if (on_ground_with_modes) {
    LinkFactor& link = links_[frame.link];
    link.modal_rhs.noalias() = link.eliminated * factor.motion;
    factor.pivot -= link.modal_rhs.squaredNorm();
    factor.resisting.noalias() -= link.eliminated.transpose() * link.modal_rhs;
  }
  if (!(factor.pivot > 0)) return false;
  if (frame.parent >= 0) factor.inertia.noalias() -= factor.resisting * (factor.resisting / factor.pivot).transpose();
  return true;
}

void ArticulatedMass::add_to_parent(const ErlsTree& tree, const TreeWork<double>& work, int i) {
  const ErlsFrame& frame = tree.frames[i];
  if (frame.parent < 0) return;
  LinkFactor* link = frame.parent_flexible ? &links_[tree.frames[frame.parent].link] : nullptr;
  add_to_parent_inertia(frame, work.frames[i], frames_[i].inertia, frames_[frame.parent].inertia, link, scratch_);
}

bool ArticulatedMass::factorise(const ErlsTree& tree, const TreeWork<double>& work, double damping, double stiffness) {
  damping_ = damping;
  stiffness_ = stiffness;
  const int n = static_cast<int>(tree.frames.size());
  for (int i = 0; i < n; ++i) start_link(tree, work, i);
  for (int i = n; i-- > 0;) {
    if (!eliminate_modes(tree, i) || !free_joint(tree, work, i)) return false;
    add_to_parent(tree, work, i);
  }
  return true;
}

// Force that the frame passes on to its parent in solve(): the same map as pass_force_to_parent of the recursion.
void ArticulatedMass::pass_bias(const ErlsTree& tree, const TreeWork<double>& work, int i) {
  const ErlsFrame& frame = tree.frames[i];
  if (frame.parent < 0) return;
  const FrameWork<double>& f = work.frames[i];
  const Vector9& p = frames_[i].bias;
  Vector9& parent = frames_[frame.parent].bias;
  const Vector3 force = f.R * p.head<3>();
  const Vector3 moment = f.offset.cross(force);
  const Vector3 psi = f.R * p.tail<3>();
  parent.head<3>() += force;
  parent.segment<3>(3) += f.R * p.segment<3>(3) + moment;
  parent.tail<3>() += psi + moment;
  if (!frame.parent_flexible) return;
  VectorX& rhs = links_[tree.frames[frame.parent].link].modal_rhs;
  Vector3 rotation_dual = psi;
  if (frame.motion == FrameMotion::prismatic) rotation_dual += f.slide.cross(force);
  rhs.noalias() -= frame.attach_translation.transpose() * force;
  rhs.noalias() -= frame.attach_rotation.transpose() * rotation_dual;
}

Vector9 ArticulatedMass::passed_acceleration(const ErlsTree& tree, const TreeWork<double>& work, int i,
                                             const VectorX& q) const {
  const ErlsFrame& frame = tree.frames[i];
  if (frame.parent < 0) return Vector9::Zero();
  const FrameWork<double>& f = work.frames[i];
  const Vector9& p = frames_[frame.parent].acceleration;
  Vector3 psi = p.tail<3>();
  Vector3 w = p.head<3>() + (p.segment<3>(3) + psi).cross(f.offset);
  if (frame.parent_flexible) {
    const int link = tree.frames[frame.parent].link;
    const auto modes = q.segment(tree.first_mode[link], tree.links[link].num_modes);
    const Vector3 elastic = frame.attach_rotation * modes;
    w += frame.attach_translation * modes;
    if (frame.motion == FrameMotion::prismatic) w += elastic.cross(f.slide);
    psi += elastic;
  }
  Vector9 result;
  result.head<3>() = f.R.transpose() * w;
  result.segment<3>(3) = f.R.transpose() * p.segment<3>(3);
  result.tail<3>() = f.R.transpose() * psi;
  return result;
}

void ArticulatedMass::solve(const ErlsTree& tree, const TreeWork<double>& work, VectorX& beta, VectorX& q) {
  const int n = static_cast<int>(tree.frames.size());
  for (int i = 0; i < n; ++i) {
    frames_[i].bias.setZero();
    const int l = tree.frames[i].link;
    if (l >= 0) links_[l].modal_rhs = q.segment(tree.first_mode[l], tree.links[l].num_modes);
  }
  for (int i = n; i-- > 0;) {
    const ErlsFrame& frame = tree.frames[i];
    FrameFactor& factor = frames_[i];
    if (frame.link >= 0 && tree.links[frame.link].num_modes > 0) {
      LinkFactor& link = links_[frame.link];
      if (link.carries) link.modal_mass.triangularView<Eigen::Lower>().solveInPlace(link.modal_rhs);
      factor.bias.noalias() += link.eliminated.transpose() * link.modal_rhs;
    }
    if (frame.coordinate >= 0 && solved_[frame.coordinate]) {
      double& u = beta(frame.coordinate);
      u = (u - factor.motion.dot(factor.bias)) / factor.pivot;
      factor.bias += factor.resisting * u;
    }
    pass_bias(tree, work, i);
  }
  for (int i = 0; i < n; ++i) {
    const ErlsFrame& frame = tree.frames[i];
    FrameFactor& factor = frames_[i];
    factor.acceleration = passed_acceleration(tree, work, i, q);
    if (frame.coordinate >= 0) {
      double& u = beta(frame.coordinate);
      if (solved_[frame.coordinate]) {
        if (frame.parent >= 0) u -= factor.resisting.dot(factor.acceleration) / factor.pivot;
        factor.acceleration += factor.motion * u;
      } else {
        u = 0;
      }
    }
    if (frame.link < 0 || tree.links[frame.link].num_modes == 0) continue;
    LinkFactor& link = links_[frame.link];
    link.modal_rhs.noalias() -= link.eliminated * factor.acceleration;
    if (link.carries) link.modal_mass.triangularView<Eigen::Lower>().transpose().solveInPlace(link.modal_rhs);
    q.segment(tree.first_mode[frame.link], link.modal_rhs.size()) = link.modal_rhs;
  }
}

}  // namespace lithe
