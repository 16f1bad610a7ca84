#include "support/constrained_mechanism.h"

#include <Eigen/LU>
#include <Eigen/QR>

#include "lithe/fem/assemble.h"

namespace lithe::test {
namespace {

// 6 x 6: displacement of the point `to` of a body from that of its point `from`.
Matrix6 rigid_transfer(const Vector3& from, const Vector3& to) {
  Matrix6 G = Matrix6::Identity();
  G.topRightCorner<3, 3>() = -skew(to - from);
  return G;
}

// Directions (translations, rotations; world axes) that a joint leaves free, for one whose coordinates are all zero but
// those of revolute, prismatic and cylindrical joints.
Matrix6X free_directions(JointType type, const Matrix3& R) {
  std::vector<Vector6> columns;
  const auto slide = [&](int k) { columns.push_back((Vector6() << R.col(k), Vector3::Zero()).finished()); };
  const auto turn = [&](int k) { columns.push_back((Vector6() << Vector3::Zero(), R.col(k)).finished()); };
  switch (type) {
    case JointType::fixed:
      break;
    case JointType::revolute:
      turn(2);
      break;
    case JointType::prismatic:
      slide(2);
      break;
    case JointType::cylindrical:
      slide(2), turn(2);
      break;
    case JointType::universal:
      turn(2), turn(0);
      break;
    case JointType::spherical:
      turn(0), turn(1), turn(2);
      break;
    case JointType::planar:
      slide(0), slide(1), turn(2);
      break;
    case JointType::free:
      slide(0), slide(1), slide(2), turn(0), turn(1), turn(2);
      break;
  }
  Matrix6X result(6, columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) result.col(static_cast<Eigen::Index>(k)) = columns[k];
  return result;
}

void append_rows(MatrixX& rows, const MatrixX& more) {
  rows.conservativeResize(rows.rows() + more.rows(), more.cols());
  rows.bottomRows(more.rows()) = more;
}

class ConstrainedBuilder {
 public:
  ConstrainedBuilder(const Model& model, const Mechanism& mechanism, const Configuration& configuration)
      : model_(model), mechanism_(mechanism), state_(mechanism) {
    update_position(mechanism, configuration, state_);
  }

  ConstrainedMechanism build() {
    for (const Link& link : model_.links) {
      meshes_.push_back(link.rigid ? FiniteElementBody{} : assemble(model_, link));
      m_.first.push_back(size_);
      size_ += 6 * (link.rigid ? static_cast<int>(link.nodes.size()) : meshes_.back().num_nodes());
    }
    m_.stiffness = m_.mass = MatrixX::Zero(size_, size_);
    m_.rows.resize(0, size_);
    m_.weight = VectorX::Zero(size_);
    for (int i = 0; i < static_cast<int>(model_.links.size()); ++i)
      model_.links[i].rigid ? add_rigid(i) : add_flexible(i);
    for (const Joint& joint : model_.joints) add_joint(joint);
    return m_;
  }

 private:
  Pose pose(int link) const { return link < 0 ? Pose{} : state_.in_world[mechanism_.frame_of_link(link)]; }
  Vector3 position(int link, int node) const { return pose(link) * model_.links[link].nodes[node].position; }

  void add_flexible(int i) {
    const FiniteElementBody& mesh = meshes_[i];
    MatrixX R = MatrixX::Zero(mesh.num_dofs(), mesh.num_dofs());
    for (int k = 0; k < mesh.num_dofs(); k += 3) R.block<3, 3>(k, k) = pose(i).rotation;
    const int n = mesh.num_dofs();
    m_.stiffness.block(m_.first[i], m_.first[i], n, n) += R * MatrixX(mesh.stiffness) * R.transpose();
    m_.mass.block(m_.first[i], m_.first[i], n, n) += R * MatrixX(mesh.mass) * R.transpose();
    VectorX fall = VectorX::Zero(n);
    for (int k = 0; k < n; k += 6) fall.segment<3>(k) = model_.gravity;
    m_.weight.segment(m_.first[i], n) += m_.mass.block(m_.first[i], m_.first[i], n, n) * fall;
  }

  void add_rigid(int i) {
    const Link& link = model_.links[i];
    for (int node = 1; node < static_cast<int>(link.nodes.size()); ++node) {
      MatrixX rows = MatrixX::Zero(6, size_);
      rows.middleCols<6>(m_.first[i] + 6 * node).setIdentity();
      rows.middleCols<6>(m_.first[i]) = -rigid_transfer(position(i, 0), position(i, node));
      append_rows(m_.rows, rows);
    }
    const Vector3 centre = pose(i) * link.rigid_inertia.centre;
    const Matrix6 G = rigid_transfer(position(i, 0), centre);
    Matrix6 M = Matrix6::Zero();
    M.topLeftCorner<3, 3>() = link.rigid_inertia.mass * Matrix3::Identity();
    M.bottomRightCorner<3, 3>() = pose(i).rotation * link.rigid_inertia.inertia * pose(i).rotation.transpose();
    m_.mass.block<6, 6>(m_.first[i], m_.first[i]) += G.transpose() * M * G;
    Vector6 fall = Vector6::Zero();
    fall.head<3>() = model_.gravity;
    m_.weight.segment<6>(m_.first[i]) += G.transpose() * M * fall;
  }

  // Relative displacement D u at the child's joint frame: zero normal to the free directions, springs along them.
  void add_joint(const Joint& joint) {
    const Vector3 at = (pose(joint.child) * joint.child_frame).position;
    MatrixX D = MatrixX::Zero(6, size_);
    D.middleCols<6>(m_.unknown({joint.child, joint.child_node})).setIdentity();
    if (joint.parent >= 0)
      D.middleCols<6>(m_.unknown({joint.parent, joint.parent_node})) -=
          rigid_transfer(position(joint.parent, joint.parent_node), at);
    Matrix3 R = pose(joint.parent).rotation * joint.parent_frame.rotation;
    const Matrix6X H = free_directions(joint.type, R);
    const MatrixX complement = Eigen::FullPivLU<MatrixX>(H.transpose()).kernel();
    if (H.cols() == 0)
      append_rows(m_.rows, D);
    else if (H.cols() < 6)
      append_rows(m_.rows, complement.transpose() * D);
    const MatrixX along = H.transpose() * D;
    for (Eigen::Index f = 0; f < H.cols(); ++f) {
      m_.stiffness += joint.stiffness[f] * along.row(f).transpose() * along.row(f);
      m_.mass += joint.inertia[f] * along.row(f).transpose() * along.row(f);
    }
  }

  const Model& model_;
  const Mechanism& mechanism_;
  KinematicState state_;
  std::vector<FiniteElementBody> meshes_;
  ConstrainedMechanism m_;
  int size_ = 0;
};

}  // namespace

ConstrainedMechanism constrained_mechanism(const Model& model, const Mechanism& mechanism,
                                           const Configuration& configuration) {
  return ConstrainedBuilder(model, mechanism, configuration).build();
}

BruteCondensation condense_by_force(const ConstrainedMechanism& m, const std::vector<NodeOfLink>& nodes) {
  Eigen::ColPivHouseholderQR<MatrixX> factors(m.rows.transpose());
  factors.setThreshold(1e-10);
  const MatrixX Q = factors.householderQ();
  const MatrixX Z = Q.rightCols(m.rows.cols() - factors.rank());  // the null space of the rows
  MatrixX P = MatrixX::Zero(6 * static_cast<Eigen::Index>(nodes.size()), m.rows.cols());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    P.block<6, 6>(6 * static_cast<Eigen::Index>(i), m.unknown(nodes[i])).setIdentity();
  const MatrixX free_stiffness = Z.transpose() * m.stiffness * Z, forces = Z.transpose() * P.transpose();
  const MatrixX following = Eigen::FullPivLU<MatrixX>(free_stiffness).solve(forces);
  const MatrixX X = Z * following;
  BruteCondensation result;
  result.stiffness = (P * X).inverse();
  const MatrixX shape = X * result.stiffness;
  result.mass = shape.transpose() * m.mass * shape;
  result.weight = shape.transpose() * m.weight;
  return result;
}

}  // namespace lithe::test
