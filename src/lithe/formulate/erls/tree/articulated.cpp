#include "lithe/formulate/erls/tree/articulated.h"

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

namespace {

// Moments of the deformed link: of (1, s) with r, and of the affine fields with themselves.
struct BentMoments {
  Vector3 c;    // ∫ρ r
  Matrix3 Psr;  // ∫ρ s rᵀ
};

// ∫ρ χ and ∫ρ r × χ of χ_k = φ_k + P_a,k + P_b,k s, the velocity field of mode k: adds the part of P.
void add_field_coupling(const ModalLink& body, const QuadraticForms& forms, const MatrixX& P, const BentMoments& m,
                        Matrix9X& coupling) {
  const Vector3& c0 = body.first_moment;
  const auto add = [&](int row, int i, double mass, const Vector3& moment) {  // component i of the velocity
    if (forms.empty(row)) return;
    const int a = (i + 1) % 3, b = (i + 2) % 3;  // (r × e_i)
    coupling.row(i) += mass * P.row(row);
    coupling.row(3 + a) += moment[b] * P.row(row);
    coupling.row(3 + b) -= moment[a] * P.row(row);
  };
  for (int i = 0; i < 3; ++i) {
    add(i, i, body.mass, m.c);
    for (int j = 0; j < 3; ++j) add(affine_row(i, j), i, c0[j], m.Psr.row(j).transpose());
  }
}

}  // namespace

void modal_mass(const ErlsTree& tree, const TreeWork<double>& work, int link, MatrixX& mass) {
  if (!tree.bends(link)) {
    mass.setIdentity();
    return;
  }
  const LinkWork<double>& l = work.links[static_cast<std::size_t>(link)];
  bent_modal_mass(tree.links[static_cast<std::size_t>(link)], tree.second_order[static_cast<std::size_t>(link)].field,
                  l.field_jacobian, l.field_product, mass);
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
  const bool bends = tree.bends(frame.link);
  if (bends) {                                                             // r = s + Φq + a + b s
    const Vector3 moved = l.Cq + body.first_moment;                        // ∫ρ (s + Φq)
    const Matrix3 Ps = body.second_moment + l.Q;                           // ∫ρ (s + Φq) sᵀ
    const Matrix3 along = moved * l.a.transpose() + Ps * l.b.transpose();  // ∫ρ (s + Φq) (a + b s)ᵀ
    const Vector3 shift = body.mass * l.a + l.b * body.first_moment;       // ∫ρ (a + b s)
    const Matrix3 shift_s = l.a * body.first_moment.transpose() + l.b * body.second_moment;  // ∫ρ (a + b s) sᵀ
    c += shift;
    Prs += shift_s;
    Prr += along + along.transpose() + shift * l.a.transpose() + shift_s * l.b.transpose();
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
  if (!bends) return;
  // ∫ρ (a + b s) × φ_k, then the velocity field's own part.
  for (int i = 0; i < 3; ++i) {
    const int a = (i + 1) % 3, b = (i + 2) % 3;
    coupling.row(3 + i) += l.a[a] * body.mode_momentum.row(b) - l.a[b] * body.mode_momentum.row(a);
    for (int j = 0; j < 3; ++j)
      coupling.row(3 + i) +=
          l.b(a, j) * body.position_mode_stack.row(3 * j + b) - l.b(b, j) * body.position_mode_stack.row(3 * j + a);
  }
  const QuadraticForms& forms = tree.second_order[static_cast<std::size_t>(frame.link)].field;
  add_field_coupling(body, forms, l.field_jacobian, {c, Prs.transpose()}, coupling);
}

AttachShapes::AttachShapes(const ErlsFrame& frame, const TreeWork<double>& work)
    : translation(frame.carrier < 0 ? frame.attach_translation
                                    : work.carriers[static_cast<std::size_t>(frame.carrier)].shift_jacobian),
      rotation(frame.carrier < 0 ? frame.attach_rotation
                                 : work.carriers[static_cast<std::size_t>(frame.carrier)].spin_jacobian),
      turn(frame.carrier < 0 ? 6 : 3) {}

std::vector<LinkInertia> link_inertias(const ErlsTree& tree) {
  std::vector<LinkInertia> links(tree.links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const int d = tree.links[i].num_modes;
    links[i].coupling = Matrix9X::Zero(9, d);
    links[i].modal_mass = MatrixX::Identity(d, d);
  }
  for (const ErlsFrame& frame : tree.frames)
    if (frame.parent_flexible) links[tree.frames[frame.parent].link].carries = true;
  for (std::size_t i = 0; i < links.size(); ++i)
    if (tree.bends(static_cast<int>(i))) links[i].carries = true;
  return links;
}

AttachScratch::AttachScratch(const ErlsTree& tree) {
  int most_modes = 0;
  for (const ModalLink& link : tree.links) most_modes = std::max(most_modes, link.num_modes);
  coupling.resize(9, most_modes);
  shape.resize(3, most_modes);
}

void add_to_parent_inertia(const ErlsFrame& frame, const TreeWork<double>& work, const FrameWork<double>& f,
                           const Matrix9& inertia, Matrix9& parent, LinkInertia* link, AttachScratch& scratch) {
  Matrix9 I = rotated(inertia, f.R);
  if (link != nullptr) {
    const auto d = link->modal_mass.rows();
    const AttachShapes attach(frame, work);
    auto shape = scratch.shape.leftCols(d);
    shape = attach.translation;
    if (frame.motion == FrameMotion::prismatic) shape.noalias() -= skew(f.slide) * attach.rotation;
    auto Z = scratch.coupling.leftCols(d);
    Z.noalias() = I.leftCols<3>() * shape;
    Z.noalias() += I.middleCols<3>(attach.turn) * attach.rotation;
    link->modal_mass.noalias() += shape.transpose() * Z.topRows<3>();
    link->modal_mass.noalias() += attach.rotation.transpose() * Z.middleRows<3>(attach.turn);
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
  if (link.carries) modal_mass(tree, work, frame.link, link.modal_mass);
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

double joint_stiffness_jacobian(const ErlsTree& tree, const TreeWork<double>& work, int coordinate) {
  const ErlsJoint& joint = tree.joints[coordinate];
  if (!joint.law) return joint.stiffness;
  return joint.stiffness +
         spring_excess_stiffness(*joint.law, work.beta(coordinate) + work.eps(coordinate) - joint.rest_value);
}

double joint_resistance(const ErlsTree& tree, const TreeWork<double>& work, int coordinate, double damping,
                        double stiffness) {
  const ErlsJoint& joint = tree.joints[coordinate];
  double jacobian = joint.damping;
  if (joint.ball >= 0) {
    const BallDamper& ball = tree.ball_dampers[joint.ball];
    jacobian += ball_damper_matrix(ball, ball_motion<double>(ball.coordinates, work).angles)(joint.turn, joint.turn);
  }
  if (joint.friction > 0) {
    const double share = std::tanh(work.beta_rate(coordinate) / joint.friction_speed);
    jacobian += joint.friction * (1 - share * share) / joint.friction_speed;
  }
  if (joint.law) jacobian += friction_excess_damping(*joint.law, work.beta_rate(coordinate), joint.friction_speed);
  return damping * jacobian + stiffness * joint_stiffness_jacobian(tree, work, coordinate);
}

bool ArticulatedMass::free_joint(const ErlsTree& tree, const TreeWork<double>& work, int i) {
  const ErlsFrame& frame = tree.frames[i];
  FrameFactor& factor = frames_[i];
  if (frame.coordinate < 0 || !solved_[frame.coordinate]) return true;
  factor.motion = joint_motion_vector(frame, work.frames[i]);
  factor.resisting.noalias() = factor.inertia * factor.motion;
  const ErlsJoint& joint = tree.joints[frame.coordinate];
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
  add_to_parent_inertia(frame, work, work.frames[i], frames_[i].inertia, frames_[frame.parent].inertia, link, scratch_);
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
  const AttachShapes attach(frame, work);
  Vector3 rotation_dual = f.R * p.segment<3>(attach.turn);
  if (frame.motion == FrameMotion::prismatic) rotation_dual += f.slide.cross(force);
  rhs.noalias() -= attach.translation.transpose() * force;
  rhs.noalias() -= attach.rotation.transpose() * rotation_dual;
}

Vector9 ArticulatedMass::passed_acceleration(const ErlsTree& tree, const TreeWork<double>& work, int i,
                                             const VectorX& q) const {
  const ErlsFrame& frame = tree.frames[i];
  if (frame.parent < 0) return Vector9::Zero();
  const FrameWork<double>& f = work.frames[i];
  const Vector9& p = frames_[frame.parent].acceleration;
  Vector9 at_joint = p;
  at_joint.head<3>() += (p.segment<3>(3) + p.tail<3>()).cross(f.offset);
  if (frame.parent_flexible) {
    const int link = tree.frames[frame.parent].link;
    const AttachShapes attach(frame, work);
    const auto modes = q.segment(tree.first_mode[link], tree.links[link].num_modes);
    const Vector3 elastic = attach.rotation * modes;
    at_joint.head<3>() += attach.translation * modes;
    if (frame.motion == FrameMotion::prismatic) at_joint.head<3>() += elastic.cross(f.slide);
    at_joint.segment<3>(attach.turn) += elastic;
  }
  Vector9 result;
  for (int block = 0; block < 9; block += 3) result.segment<3>(block) = f.R.transpose() * at_joint.segment<3>(block);
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
