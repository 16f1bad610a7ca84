#include "lithe/formulate/erls/tree/mass.h"

#include <algorithm>

namespace lithe {

CompositeMass::CompositeMass(const ErlsTree& tree, std::vector<int> place)
    : place_(std::move(place)), frames_(tree.frames.size()), links_(link_inertias(tree)), scratch_(tree) {
  const int n = tree.num_coordinates;
  Eigen::Index most = 0;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const ErlsFrame& frame = tree.frames[i];
    FrameColumns& f = frames_[i];
    if (frame.coordinate >= 0) {
      f.beta = place_[frame.coordinate];
      f.eps = place_[frame.coordinate + n];
    }
    if (f.eps >= 0) f.stretch = joint_stretch_vector(frame);
    if (f.beta >= 0) f.columns.push_back(f.beta);
    if (f.eps >= 0) f.columns.push_back(f.eps);
    if (frame.link >= 0)
      for (int k = 0; k < tree.links[frame.link].num_modes; ++k)
        f.columns.push_back(place_[2 * n + tree.first_mode[frame.link] + k]);
    f.forces.resize(9, static_cast<Eigen::Index>(f.columns.size()));
    most = std::max(most, f.forces.cols());
  }
  passed_.resize(9, most);
  turned_.resize(3, most);
  row_.resize(most);
  modal_rows_.resize(scratch_.shape.cols(), most);
}

void CompositeMass::start(const ErlsTree& tree, const TreeWork<double>& work, int i) {
  const ErlsFrame& frame = tree.frames[i];
  if (frames_[i].beta >= 0) frames_[i].motion = joint_motion_vector(frame, work.frames[i]);
  if (frame.link < 0) {
    frames_[i].inertia.setZero();
    return;
  }
  LinkInertia& link = links_[frame.link];
  link_inertia(tree, work, i, frames_[i].inertia, link.coupling);
  modal_mass(tree, work, frame.link, link.modal_mass);
}

void CompositeMass::enter(int row, const std::vector<int>& columns, const Eigen::Ref<const Eigen::RowVectorXd>& values,
                          MatrixX& mass) const {
  for (std::size_t k = 0; k < columns.size(); ++k) mass(row, columns[k]) = mass(columns[k], row) = values(k);
}

// Forces that unit accelerations of the frame's own variables cause on it, and their projection on those variables.
void CompositeMass::own_columns(const ErlsTree& tree, int i, MatrixX& mass) {
  FrameColumns& f = frames_[i];
  const ErlsFrame& frame = tree.frames[i];
  Eigen::Index column = 0;
  if (f.beta >= 0) f.forces.col(column++).noalias() = f.inertia * f.motion;
  if (f.eps >= 0) f.forces.col(column++).noalias() = f.inertia * f.stretch;
  const Eigen::Index num_joint = column;
  if (frame.link >= 0 && tree.links[frame.link].num_modes > 0) {
    const LinkInertia& link = links_[frame.link];
    f.forces.rightCols(link.coupling.cols()) = link.coupling;
    for (Eigen::Index k = 0; k < link.coupling.cols(); ++k)
      for (Eigen::Index m = 0; m < link.coupling.cols(); ++m)
        mass(f.columns[num_joint + k], f.columns[num_joint + m]) = link.modal_mass(k, m);
  }
}

// What the forces F of frame i's columns do to the modes of the parent's link; F in the parent's axes at the joint.
void CompositeMass::enter_parent_modes(const ErlsTree& tree, const TreeWork<double>& work, int i,
                                       const std::vector<int>& columns, MatrixX& mass) {
  const ErlsFrame& frame = tree.frames[i];
  const auto count = static_cast<Eigen::Index>(columns.size());
  const auto F = passed_.leftCols(count);
  const int link = tree.frames[frame.parent].link;
  const auto d = static_cast<Eigen::Index>(tree.links[link].num_modes);
  const AttachShapes attach(frame, work);
  auto rotation_dual = turned_.leftCols(count);
  rotation_dual = F.middleRows<3>(attach.turn);
  if (frame.motion == FrameMotion::prismatic) rotation_dual.noalias() += skew(work.frames[i].slide) * F.topRows<3>();
  auto rows = modal_rows_.topLeftCorner(d, count);
  rows.noalias() = attach.translation.transpose() * F.topRows<3>();
  rows.noalias() += attach.rotation.transpose() * rotation_dual;
  const int first = 2 * tree.num_coordinates + tree.first_mode[link];
  for (Eigen::Index k = 0; k < d; ++k) enter(place_[first + k], columns, rows.row(k), mass);
}

// The forces of one frame's columns on their way to the ground, projected on every variable they meet.
void CompositeMass::pass_columns(const ErlsTree& tree, const TreeWork<double>& work, int origin, MatrixX& mass) {
  const std::vector<int>& columns = frames_[origin].columns;
  const auto count = static_cast<Eigen::Index>(columns.size());
  if (count == 0) return;
  auto F = passed_.leftCols(count);
  auto turned = turned_.leftCols(count);
  auto row = row_.leftCols(count);
  F = frames_[origin].forces;
  for (int i = origin; i >= 0; i = tree.frames[i].parent) {
    const FrameColumns& own = frames_[i];
    if (own.beta >= 0) {
      row.noalias() = own.motion.transpose() * F;
      enter(own.beta, columns, row, mass);
    }
    if (own.eps >= 0) {
      row.noalias() = own.stretch.transpose() * F;
      enter(own.eps, columns, row, mass);
    }
    if (tree.frames[i].parent < 0) return;
    const FrameWork<double>& f = work.frames[i];
    for (int block = 0; block < 9; block += 3) {
      turned.noalias() = f.R * F.middleRows<3>(block);
      F.middleRows<3>(block) = turned;
    }
    if (tree.frames[i].parent_flexible) enter_parent_modes(tree, work, i, columns, mass);
    turned.noalias() = skew(f.offset) * F.topRows<3>();
    F.middleRows<3>(3) += turned;
    F.bottomRows<3>() += turned;
  }
}

void CompositeMass::assemble(const ErlsTree& tree, const TreeWork<double>& work, MatrixX& mass) {
  mass.setZero();
  const int n = static_cast<int>(tree.frames.size());
  for (int i = 0; i < n; ++i) start(tree, work, i);
  for (int i = n; i-- > 0;) {
    const ErlsFrame& frame = tree.frames[i];
    FrameColumns& f = frames_[i];
    own_columns(tree, i, mass);
    pass_columns(tree, work, i, mass);
    if (frame.parent >= 0) {
      LinkInertia* link = frame.parent_flexible ? &links_[tree.frames[frame.parent].link] : nullptr;
      add_to_parent_inertia(frame, work, work.frames[i], f.inertia, frames_[frame.parent].inertia, link, scratch_);
    }
    if (frame.coordinate < 0) continue;
    // The motor turns with β + ε.
    for (int a : {f.beta, f.eps})
      for (int b : {f.beta, f.eps})
        if (a >= 0 && b >= 0) mass(a, b) += tree.joints[frame.coordinate].inertia;
  }
}

}  // namespace lithe
