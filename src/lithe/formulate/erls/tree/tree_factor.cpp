#include "lithe/formulate/erls/tree/tree_factor.h"

#include <cmath>

namespace lithe {

double joint_damping_jacobian(const ErlsTree& tree, const TreeWork<double>& work, int coordinate) {
  return joint_resistance(tree, work, coordinate, 1.0, 0.0);
}

template <class S>
TreeFactor<S>::TreeFactor(const ErlsTree& tree, std::vector<TreeFreedom> freedoms)
    : freedoms_(std::move(freedoms)),
      own_contacts_(tree.carried ? 6 : 9),
      frames_(tree.frames.size()),
      links_(tree.links.size()) {
  for (Link& link : links_) link.num_contacts = own_contacts_;
  resistance_.setZero(tree.num_coordinates);
  modal_resistance_.setZero(tree.num_modes);
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const ErlsFrame& frame = tree.frames[i];
    frames_[i].moves = frame.coordinate >= 0 && freedoms_[frame.coordinate] != TreeFreedom::held;
    frames_[i].slides = frame.motion == FrameMotion::prismatic;
    if (!frame.parent_flexible) continue;
    Link& parent = links_[tree.frames[frame.parent].link];
    frames_[i].first_contact = parent.num_contacts;
    frames_[i].turn_row = frame.carrier < 0 ? 6 : 3;
    parent.num_contacts += 6;
  }
  for (std::size_t l = 0; l < links_.size(); ++l) {
    Link& link = links_[l];
    link.first_field = link.num_contacts;
    if (tree.bends(static_cast<int>(l))) {
      const QuadraticForms& field = tree.second_order[l].field;
      for (int row = 0; row < field.size(); ++row)
        if (!field.empty(row)) link.field_rows.push_back(row);
    }
    link.num_contacts += 2 * static_cast<int>(link.field_rows.size());
    const int d = link.num_modes = tree.links[l].num_modes, c = link.num_contacts;
    link.contacts.setZero(c, d);
    link.coupling.setZero(9, d);
    link.inverse.setZero(d);
    link.scaled.setZero(c, d);
    link.gram.setZero(c, c);
    link.carried.setZero(link.first_field - own_contacts_, 6);
    link.passed.setZero(link.first_field, 9);
    link.passed.topRows(own_contacts_).setIdentity();
    link.taken.setZero(c, 9);
    link.closed.setZero(c - own_contacts_, c - own_contacts_);
    link.closing = Eigen::PartialPivLU<Matrix>(c - own_contacts_);
  }
}

// 6 rows of the parent link: translation and rotation of the joint.
template <class S>
void TreeFactor<S>::touch_parent(const ErlsTree& tree, const TreeWork<double>& work, int i) {
  const ErlsFrame& frame = tree.frames[i];
  const Frame& own = frames_[i];
  Link& parent = links_[tree.frames[frame.parent].link];
  const AttachShapes attach(frame, work);
  auto translation = parent.contacts.template middleRows<3>(own.first_contact);
  translation = attach.translation;
  for (Eigen::Index k = 0; own.slides && k < translation.cols(); ++k)
    translation.col(k) -= own.slide.cross(attach.rotation.col(k));
  parent.contacts.template middleRows<3>(own.first_contact + 3) = attach.rotation;
}

// The modes' own contacts.
template <class S>
void TreeFactor<S>::bend(const ErlsTree& tree, const TreeWork<double>& work, int l) {
  Link& link = links_[l];
  if (link.field_rows.empty()) return;
  const LinkWork<double>& bent = work.links[l];
  bent_products(tree.links[l], bent.field_jacobian, bent.field_product);
  const auto count = static_cast<int>(link.field_rows.size());
  for (int k = 0; k < count; ++k) {
    const int first = link.first_field + k, second = first + count;
    link.contacts.row(first) = bent.field_jacobian.row(link.field_rows[k]);
    link.contacts.row(second) = bent.field_product.row(link.field_rows[k]);
  }
}

template <class S>
void TreeFactor<S>::start(const ErlsTree& tree, const TreeWork<double>& work, int i, S damping, S stiffness) {
  const ErlsFrame& frame = tree.frames[i];
  const FrameWork<double>& f = work.frames[i];
  Frame& own = frames_[i];
  own.turn = f.R;
  own.offset = f.offset;
  own.slide = f.slide;
  if (own.moves) {
    own.motion = (freedoms_[frame.coordinate] == TreeFreedom::joint ? joint_motion_vector(frame, f)
                                                                    : joint_stretch_vector(frame))
                     .template cast<S>();
  }
  if (frame.parent_flexible) touch_parent(tree, work, i);
  if (frame.link < 0) {
    own.inertia.setZero();
    return;
  }
  Link& link = links_[frame.link];
  const ModalLink& body = tree.links[frame.link];
  Matrix9 inertia;
  link_inertia(tree, work, i, inertia, link.coupling);
  own.inertia = inertia.template cast<S>();
  if (link.num_modes == 0) return;
  link.contacts.topRows(own_contacts_) = link.coupling.topRows(own_contacts_);
  bend(tree, work, frame.link);
  auto resistance = modal_resistance_.segment(tree.first_mode[frame.link], link.num_modes);
  resistance = stiffness * body.squared_frequencies.template cast<S>();
  if (body.damped) resistance += damping * body.damping.diagonal().template cast<S>();
  link.inverse = (resistance.array() + S(1.0)).inverse();
}

// 𝒥 times `touching`, the contacts beside those of the frame.
template <class S>
void TreeFactor<S>::carry(Link& link) {
  const Eigen::Index carried = link.carried.rows(), field = (link.touching.rows() - carried) / 2;
  link.loaded.resize(link.touching.rows(), link.touching.cols());
  for (Eigen::Index k = 0; k < carried; k += 6)
    link.loaded.template middleRows<6>(k) =
        link.carried.template middleRows<6>(k).lazyProduct(link.touching.template middleRows<6>(k));
  link.loaded.middleRows(carried, field) = link.touching.bottomRows(field);
  link.loaded.bottomRows(field) = link.touching.middleRows(carried, field);
}

// (1 + Γ 𝒥)⁻¹ in place; leaves its lower rows and 𝒥 times them in `touching` and `loaded`.
template <class S>
void TreeFactor<S>::close(Link& link, Matrix& values) {
  const Eigen::Index touching = link.closed.rows();
  if (touching == 0) return;
  link.touching = link.closing.solve(values.bottomRows(touching));
  carry(link);
  values.bottomRows(touching) = link.touching;
  values.topRows(own_contacts_).noalias() -= link.gram.topRightCorner(own_contacts_, touching) * link.loaded;
}

// modal mass D + Hᵀ 𝒥 H, coupling Uᵀ H: what the modes take away from the frame's inertia is Uᵀ (1 + Γ 𝒥)⁻¹ Γ U.
template <class S>
void TreeFactor<S>::eliminate_modes(int frame, int l) {
  Link& link = links_[l];
  if (link.num_modes == 0) return;
  link.scaled.noalias() = link.contacts * link.inverse.asDiagonal();
  link.gram.noalias() = link.scaled * link.contacts.transpose();
  const Eigen::Index touching = link.closed.rows(), carried = link.carried.rows(), field = (touching - carried) / 2;
  if (touching > 0) {
    const auto beside = link.gram.bottomRightCorner(touching, touching);
    for (Eigen::Index k = 0; k < carried; k += 6)
      link.closed.template middleCols<6>(k) =
          beside.template middleCols<6>(k).lazyProduct(link.carried.template middleRows<6>(k));
    link.closed.middleCols(carried, field) = beside.rightCols(field);
    link.closed.rightCols(field) = beside.middleCols(carried, field);
    link.closed.diagonal().array() += S(1.0);
    link.closing.compute(link.closed);
  }
  link.taken.noalias() = link.gram.leftCols(link.first_field) * link.passed;
  close(link, link.taken);
  frames_[frame].inertia.noalias() -= link.passed.transpose() * link.taken.topRows(link.first_field);
}

template <class S>
bool TreeFactor<S>::free_joint(const ErlsTree& tree, int i) {
  Frame& own = frames_[i];
  if (!own.moves) return true;
  const int c = tree.frames[i].coordinate;
  own.resisting.noalias() = own.inertia * own.motion;
  own.pivot = (own.motion.transpose() * own.resisting)(0) + S(tree.joints[c].inertia) + resistance_[c];
  if (!(std::abs(own.pivot) > 0)) return false;
  own.inertia.noalias() -= own.resisting * (own.resisting / own.pivot).transpose();
  return true;
}

template <class S>
void TreeFactor<S>::add_to_parent(const ErlsTree& tree, int i) {
  const ErlsFrame& frame = tree.frames[i];
  if (frame.parent < 0) return;
  const Frame& own = frames_[i];
  Square9 I;
  const Eigen::Matrix<S, 3, 3> R = own.turn.template cast<S>();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      I.template block<3, 3>(3 * a, 3 * b).noalias() =
          R * own.inertia.template block<3, 3>(3 * a, 3 * b) * R.transpose();
  const Eigen::Matrix<S, 3, 3> m = (-skew(own.offset)).template cast<S>();
  if (frame.parent_flexible) {
    Link& parent = links_[tree.frames[frame.parent].link];
    const int first = own.first_contact, turn = own.turn_row;
    // forces (f_w, f_ψ), or (f_w, f_ω), at the joint by motions of it and, shifted, by those of the parent's frame
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b)
        parent.carried.template block<3, 3>(first - own_contacts_ + 3 * a, 3 * b) =
            I.template block<3, 3>(turn * a, turn * b);
      auto rows = parent.passed.template middleRows<3>(first + 3 * a);
      const auto by_shift = I.template block<3, 3>(turn * a, 0);
      for (int b = 0; b < 3; ++b) {
        rows.template middleCols<3>(3 * b) = I.template block<3, 3>(turn * a, 3 * b);
        if (b > 0) rows.template middleCols<3>(3 * b) += by_shift * m;
      }
    }
  }
  for (int c : {3, 6}) I.template middleCols<3>(c) += I.template leftCols<3>() * m;
  for (int r : {3, 6}) I.template middleRows<3>(r) += m.transpose() * I.template topRows<3>();
  frames_[frame.parent].inertia += I;
}

template <class S>
bool TreeFactor<S>::factorise(const ErlsTree& tree, const TreeWork<double>& work, S damping, S stiffness) {
  for (int c = 0; c < tree.num_coordinates; ++c)
    resistance_[c] =
        damping * joint_damping_jacobian(tree, work, c) + stiffness * joint_stiffness_jacobian(tree, work, c);
  const int n = static_cast<int>(frames_.size());
  for (int i = 0; i < n; ++i) start(tree, work, i, damping, stiffness);
  for (int i = n; i-- > 0;) {
    if (tree.frames[i].link >= 0) eliminate_modes(i, tree.frames[i].link);
    if (!free_joint(tree, i)) return false;
    add_to_parent(tree, i);
  }
  return true;
}

// The dual of pass_acceleration().
template <class S>
void TreeFactor<S>::pass_bias(const ErlsTree& tree, int i) {
  const ErlsFrame& frame = tree.frames[i];
  if (frame.parent < 0) return;
  const Frame& own = frames_[i];
  Wide9& parent = frames_[frame.parent].bias;
  const Eigen::Matrix<S, 3, 3> R = own.turn.template cast<S>(), o = skew(own.offset).template cast<S>();
  const Eigen::Matrix<S, 3, Eigen::Dynamic> force = R * own.bias.template topRows<3>();
  const Eigen::Matrix<S, 3, Eigen::Dynamic> moment = R * own.bias.template middleRows<3>(3);
  const Eigen::Matrix<S, 3, Eigen::Dynamic> psi = R * own.bias.template bottomRows<3>();
  parent.template topRows<3>() += force;
  parent.template middleRows<3>(3) += moment + o * force;
  parent.template bottomRows<3>() += psi + o * force;
  if (!frame.parent_flexible) return;
  Link& link = links_[tree.frames[frame.parent].link];
  link.contact_bias.template middleRows<3>(own.first_contact) = force;
  link.contact_bias.template middleRows<3>(own.first_contact + 3) = own.turn_row == 3 ? moment : psi;
}

template <class S>
void TreeFactor<S>::pass_acceleration(const ErlsTree& tree, int i) {
  const ErlsFrame& frame = tree.frames[i];
  Frame& own = frames_[i];
  if (frame.parent < 0) {
    own.acceleration.setZero();
    return;
  }
  const Wide9& p = frames_[frame.parent].acceleration;
  const Eigen::Matrix<S, 3, 3> Rt = own.turn.transpose().template cast<S>(), o = skew(own.offset).template cast<S>();
  Eigen::Matrix<S, 3, Eigen::Dynamic> omega = p.template middleRows<3>(3), psi = p.template bottomRows<3>();
  Eigen::Matrix<S, 3, Eigen::Dynamic> w = p.template topRows<3>() - o * (omega + psi);
  if (frame.parent_flexible) {
    const Matrix& moved = links_[tree.frames[frame.parent].link].small;  // H q
    w += moved.template middleRows<3>(own.first_contact);
    (own.turn_row == 3 ? omega : psi) += moved.template middleRows<3>(own.first_contact + 3);
  }
  own.acceleration.template topRows<3>().noalias() = Rt * w;
  own.acceleration.template middleRows<3>(3).noalias() = Rt * omega;
  own.acceleration.template bottomRows<3>().noalias() = Rt * psi;
}

template <class S>
void TreeFactor<S>::solve(const ErlsTree& tree, Matrix& joints, Matrix& modes) {
  const int n = static_cast<int>(frames_.size());
  const Eigen::Index columns = joints.cols();
  for (Frame& frame : frames_) {
    frame.bias.setZero(9, columns);
    frame.acceleration.resize(9, columns);
  }
  for (Link& link : links_) link.contact_bias.setZero(link.num_contacts, columns);
  for (int i = n; i-- > 0;) {
    const ErlsFrame& frame = tree.frames[i];
    Frame& own = frames_[i];
    if (frame.link >= 0 && links_[frame.link].num_modes > 0) {  // bias += Uᵀ (1 + Γ 𝒥)⁻¹ (H D⁻¹ f - Γ b)
      Link& link = links_[frame.link];
      link.force.noalias() = link.scaled * modes.middleRows(tree.first_mode[frame.link], link.num_modes);
      link.small = link.force;
      const Eigen::Index carried = link.carried.rows();
      if (carried > 0)
        link.small.noalias() -=
            link.gram.middleCols(own_contacts_, carried) * link.contact_bias.middleRows(own_contacts_, carried);
      close(link, link.small);
      own.bias.noalias() += link.passed.transpose() * link.small.topRows(link.first_field);
    }
    if (own.moves) {
      auto u = joints.row(frame.coordinate);
      u = ((u - own.motion.transpose() * own.bias) / own.pivot).eval();
      own.bias.noalias() += own.resisting * u;
    }
    pass_bias(tree, i);
  }
  for (int i = 0; i < n; ++i) {
    const ErlsFrame& frame = tree.frames[i];
    Frame& own = frames_[i];
    pass_acceleration(tree, i);
    if (own.moves) {
      auto u = joints.row(frame.coordinate);
      u -= (own.resisting.transpose() * own.acceleration) / own.pivot;
      own.acceleration.noalias() += own.motion * u;
    } else if (frame.coordinate >= 0) {
      joints.row(frame.coordinate).setZero();
    }
    if (frame.link < 0 || links_[frame.link].num_modes == 0) continue;
    Link& link = links_[frame.link];
    // s = H q = (1 + Γ 𝒥)⁻¹ (g - Γ (b + U a)),  q = D⁻¹ (f - Hᵀ (b + U a + 𝒥 s))
    auto before_field = link.contact_bias.topRows(link.first_field);
    before_field.noalias() += link.passed * own.acceleration;
    link.small = link.force;
    link.small.noalias() -= link.gram.leftCols(link.first_field) * before_field;
    close(link, link.small);
    if (link.closed.rows() > 0) link.contact_bias.bottomRows(link.closed.rows()) += link.loaded;
    auto q = modes.middleRows(tree.first_mode[frame.link], link.num_modes);
    q = (link.inverse.asDiagonal() * q).eval();
    q.noalias() -= link.scaled.transpose() * link.contact_bias;
  }
}

template class TreeFactor<double>;
template class TreeFactor<std::complex<double>>;

}  // namespace lithe
