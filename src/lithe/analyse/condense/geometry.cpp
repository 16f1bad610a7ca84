#include "lithe/analyse/condense/geometry.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "lithe/base/decompositions.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/charts.h"
#include "lithe/kinematics/cut_motion.h"

namespace lithe {
namespace {

// World axes of all freedoms of a joint: translations along those of F, each rotation turned by the ones before it.
Matrix3X freedom_axes(const std::vector<Freedom>& freedoms, const Matrix3& R_WF, const Vector6& values) {
  Matrix3X axes(3, freedoms.size());
  Matrix3 R = R_WF;
  for (std::size_t f = 0; f < freedoms.size(); ++f) {
    axes.col(static_cast<Eigen::Index>(f)) = R * freedoms[f].axis;
    if (freedoms[f].motion == FrameMotion::revolute)
      R = R * Eigen::AngleAxisd(values[static_cast<Eigen::Index>(f)], freedoms[f].axis).toRotationMatrix();
  }
  return axes;
}

// Three rotations that all may move are taken about the axes of F rather than about those of the chart, which may be
// parallel: ω = A β̇, so a stiffness of the angles is A⁻ᵀ k A⁻¹ for ω.
void use_rotation_vector(const Matrix3& R_WF, int first, JointMotion& motion) {
  const Matrix3 A = R_WF.transpose() * motion.screws.block<3, 3>(3, first);
  motion.screws.block<3, 3>(3, first) = R_WF;
  const bool loaded = motion.stiffness.block<3, 3>(first, first).norm() > 0 ||
                      motion.inertia.block<3, 3>(first, first).norm() > 0 || motion.force.segment<3>(first).norm() > 0;
  if (!loaded) return;
  const Matrix3 inverse = A.inverse();
  for (MatrixX* matrix : {&motion.stiffness, &motion.inertia})
    matrix->block<3, 3>(first, first) = (inverse.transpose() * matrix->block<3, 3>(first, first) * inverse).eval();
  motion.force.segment<3>(first) = (inverse.transpose() * motion.force.segment<3>(first)).eval();
}

// Two rotations about axes normal to a line, in place of three.
void leave_out_rotation(const Vector3& line, JointMotion& motion) {
  const Vector3 d = line.normalized();
  Eigen::Index least = 0;
  d.cwiseAbs().minCoeff(&least);
  const Vector3 first = d.cross(Vector3::Unit(least)).normalized();
  motion.screws.setZero(6, 2);
  motion.screws.block<3, 1>(3, 0) = first;
  motion.screws.block<3, 1>(3, 1) = d.cross(first);
}

// A displacement known at `from` carried rigidly to `to`: [SC] (10).
template <class Columns>
Matrix6X carried(const Columns& screws, const Vector3& from, const Vector3& to) {
  Matrix6X result = screws;
  result.template topRows<3>() -= skew(to - from) * screws.template bottomRows<3>();
  return result;
}

}  // namespace

CondenseGeometry::CondenseGeometry(const Model& model, const Mechanism& mechanism, const CondenseTopology& topology)
    : model_(model),
      mechanism_(mechanism),
      topology_(topology),
      state_(mechanism),
      joints_(model.joints.size()),
      loops_(topology.subsystems().size()),
      group_(topology.subsystems().size()),
      root_column_(topology.subsystems().size(), -1),
      joint_column_(model.joints.size(), -1),
      subsystem_of_joint_(model.joints.size(), -1),
      first_row_(model.joints.size(), -1) {
  number_roots();
  for (int s = 0; s < static_cast<int>(topology.subsystems().size()); ++s)
    for (const int j : topology.subsystems()[s].joints) subsystem_of_joint_[j] = s;
  tie_by_couplings();
}

void CondenseGeometry::tie_by_couplings() {
  std::iota(group_.begin(), group_.end(), 0);
  const auto group = [&](int s) {
    while (group_[s] != s) s = group_[s];
    return s;
  };
  for (const Coupling& coupling : model_.couplings)
    for (const CoupledFreedom& term : coupling.terms) {
      const int a = group(subsystem_of_joint_[coupling.joint]), b = group(subsystem_of_joint_[term.joint]);
      group_[std::max(a, b)] = std::min(a, b);
    }
  for (int s = 0; s < static_cast<int>(group_.size()); ++s) group_[s] = group(s);
  for (int c = 0; c < static_cast<int>(model_.couplings.size()); ++c)
    loops_[group_[subsystem_of_joint_[model_.couplings[c].joint]]].couplings.push_back(c);
  std::vector<bool> tied(group_.size(), false);
  for (std::size_t s = 0; s < group_.size(); ++s)
    tied[group_[s]] = tied[group_[s]] || !topology_.subsystems()[s].loop_joints.empty() || !loops_[s].couplings.empty();
  for (int s = 0; s < static_cast<int>(group_.size()); ++s)
    if (tied[group_[s]]) loops_[group_[s]].subsystems.push_back(s);
}

void CondenseGeometry::number_roots() {
  const auto number = [&](std::size_t s) {
    root_column_[s] = num_root_columns_;
    num_root_columns_ += topology_.subsystems()[s].root_size;
  };
  for (const int s : topology_.kept()) number(static_cast<std::size_t>(s));
  for (const SubsystemRole role : {SubsystemRole::imposed, SubsystemRole::condensed})
    for (std::size_t s = 0; s < topology_.subsystems().size(); ++s)
      if (topology_.subsystems()[s].role == role) number(s);
}

void CondenseGeometry::update(const Configuration& configuration) {
  update_position(mechanism_, configuration, state_);
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) update_joint(configuration, j);
  for (Loops& loops : loops_)
    if (!loops.subsystems.empty()) close(loops);
  number_freedoms();
}

Vector6 CondenseGeometry::joint_values(const Configuration& configuration, int j) const {
  const int cut = mechanism_.cut_of_joint(j);
  if (cut >= 0 && !mechanism_.cuts()[cut].carried) return cut_values(mechanism_.cuts()[cut], state_);
  Vector6 values = Vector6::Zero();
  for (int f = 0; f < num_freedoms(model_.joints[j].type); ++f)
    values[f] = configuration.coordinates[mechanism_.coordinate_of(j, f)];
  for (int c = 0; c < mechanism_.num_charts(); ++c)
    if (mechanism_.charts()[c].joint == j)
      values.segment<3>(model_.joints[j].type == JointType::free ? 3 : 0) = whole_angles(mechanism_, configuration, c);
  return values;
}

void CondenseGeometry::update_joint(const Configuration& configuration, int j) {
  const Joint& joint = model_.joints[j];
  const std::vector<int>& free = topology_.freedoms(j).freedoms;
  const std::vector<Freedom>& freedoms = freedoms_of(joint.type);
  const auto pose = [&](int link) { return link < 0 ? Pose{} : link_pose(link); };
  const Matrix3 R_WF = pose(joint.parent).rotation * joint.parent_frame.rotation;
  const Matrix3X axes = freedom_axes(freedoms, R_WF, joint_values(configuration, j));
  const auto n = static_cast<Eigen::Index>(free.size());
  JointMotion& motion = joints_[j];
  motion.point = (pose(joint.child) * joint.child_frame).position;
  motion.screws = Matrix6X::Zero(6, n);
  motion.stiffness = motion.inertia = MatrixX::Zero(n, n);
  motion.force = VectorX::Zero(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int f = free[k];
    motion.screws.block<3, 1>(freedoms[f].motion == FrameMotion::revolute ? 3 : 0, k) = axes.col(f);
    motion.stiffness(k, k) = joint.stiffness[f];
    motion.inertia(k, k) = joint.inertia[f];
    for (const Drive& drive : model_.drives)
      if (drive.joint == j && drive.freedom == f && !drive.prescribes_motion)
        motion.force[k] += evaluate(drive.signal, 0).value;
  }
  if (const int other = topology_.freedoms(j).spin_to; other >= 0 && joint.type == JointType::spherical) {
    const Joint& end = model_.joints[other];
    const Vector3 line = (pose(end.child) * end.child_frame).position - motion.point;
    if (line.norm() > 1e-9 * mechanism_.length_scale()) leave_out_rotation(line, motion);
    return;
  }
  const bool ball = joint.type == JointType::spherical || joint.type == JointType::free;
  if (ball && n == num_freedoms(joint.type)) use_rotation_vector(R_WF, static_cast<int>(n) - 3, motion);
}

// (10) of the page: what the tree gives for the two sides of a loop's last joint must agree with that joint's own
// freedoms; beside them (10a), the couplings. Lengths in units of the mechanism's size, so that one threshold serves
// rows and columns.
void CondenseGeometry::close(Loops& loops) {
  int num = 0;
  const double size = mechanism_.length_scale();
  std::vector<double> units;
  for (const int s : loops.subsystems)
    for (const int j : topology_.subsystems()[s].joints) {
      first_row_[j] = num;
      num += static_cast<int>(joints_[j].screws.cols());
      for (Eigen::Index f = 0; f < joints_[j].screws.cols(); ++f)
        units.push_back(joints_[j].screws.col(f).tail<3>().norm() == 0 ? size : 1.0);
    }
  const VectorX unit = Eigen::Map<const VectorX>(units.data(), num);
  const MatrixX of_loops = loop_rows(loops, num, size), of_couplings = coupling_rows(loops, num, unit);
  MatrixX rows(of_loops.rows() + of_couplings.rows(), num);
  rows << of_loops * unit.asDiagonal(), of_couplings;
  const PivotedQr qr(rows, 1e-9);
  const Eigen::Index rank = qr.rank(), left = num - rank;
  MatrixX allowed(num, left);
  allowed.topRows(rank) = -qr.r().topRightCorner(rank, left);
  qr.r().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solveInPlace(allowed.topRows(rank));
  allowed.bottomRows(left).setIdentity();
  loops.allowed = unit.asDiagonal() * (qr.order() * allowed);
  loops.redundancy = static_cast<int>(rows.rows() - rank);
}

MatrixX CondenseGeometry::loop_rows(const Loops& loops, int num, double size) const {
  std::vector<int> last_joints;
  for (const int s : loops.subsystems) {
    const std::vector<int>& joints = topology_.subsystems()[s].loop_joints;
    last_joints.insert(last_joints.end(), joints.begin(), joints.end());
  }
  MatrixX rows = MatrixX::Zero(6 * static_cast<Eigen::Index>(last_joints.size()), num);
  for (std::size_t l = 0; l < last_joints.size(); ++l) {
    const int last = last_joints[l];
    const Vector3& point = joints_[last].point;
    auto block = rows.middleRows<6>(6 * static_cast<Eigen::Index>(l));
    const auto add = [&](int j, double sign) {
      const Matrix6X screws = carried(joints_[j].screws, joints_[j].point, point);
      block.middleCols(first_row_[j], screws.cols()) += sign * screws;
    };
    for (const auto& step : topology_.bodies()[topology_.body_of(child_end(model_.joints[last]))].path)
      add(step.joint, step.sign);
    for (const auto& step : topology_.bodies()[topology_.body_of(parent_end(model_.joints[last]))].path)
      add(step.joint, -step.sign);
    add(last, -1);
    block.topRows<3>() /= size;
  }
  return rows;
}

// Freedoms that are held do not move.
MatrixX CondenseGeometry::coupling_rows(const Loops& loops, int num, const VectorX& unit) const {
  MatrixX rows = MatrixX::Zero(static_cast<Eigen::Index>(loops.couplings.size()), num);
  for (std::size_t i = 0; i < loops.couplings.size(); ++i) {
    const Coupling& coupling = model_.couplings[static_cast<std::size_t>(loops.couplings[i])];
    auto row = rows.row(static_cast<Eigen::Index>(i));
    const auto add = [&](int j, int freedom, double factor) {
      const std::vector<int>& free = topology_.freedoms(j).freedoms;
      const auto place = std::find(free.begin(), free.end(), freedom);
      if (place != free.end()) row[first_row_[j] + (place - free.begin())] += factor;
    };
    add(coupling.joint, coupling.freedom, 1);
    for (const CoupledFreedom& term : coupling.terms) add(term.joint, term.freedom, -term.factor);
    row = row * unit.asDiagonal();
    if (const double largest = row.cwiseAbs().maxCoeff(); largest > 0) row /= largest;
  }
  return rows;
}

void CondenseGeometry::number_freedoms() {
  num_coordinates_ = num_root_columns_;
  for (std::size_t s = 0; s < loops_.size(); ++s) {
    if (!loops_[s].subsystems.empty()) {
      loops_[s].first_column = num_coordinates_;
      num_coordinates_ += static_cast<int>(loops_[s].allowed.cols());
    }
    if (is_tied(static_cast<int>(s))) continue;
    for (const int j : topology_.subsystems()[s].joints) {
      joint_column_[j] = num_coordinates_;
      num_coordinates_ += static_cast<int>(joints_[j].screws.cols());
    }
  }
}

int CondenseGeometry::num_redundant() const {
  int sum = 0;
  for (const Loops& loops : loops_) sum += loops.redundancy;
  return sum;
}

Vector3 CondenseGeometry::node_position(const NodeOfLink& node) const {
  return link_pose(node.link) * model_.links[node.link].nodes[node.node].position;
}

void CondenseGeometry::joint_map(int j, std::vector<int>& columns, MatrixX& matrix) const {
  const int s = subsystem_of_joint_[j];
  const auto n = joints_[j].screws.cols();
  columns.clear();
  if (!is_tied(s)) {
    for (int k = 0; k < n; ++k) columns.push_back(joint_column_[j] + k);
    matrix = MatrixX::Identity(n, n);
    return;
  }
  const Loops& loops = loops_of(s);
  for (int k = 0; k < loops.allowed.cols(); ++k) columns.push_back(loops.first_column + k);
  matrix = loops.allowed.middleRows(first_row_[j], n);
}

void CondenseGeometry::point_map(int b, const Vector3& point, PointMap& map) const {
  const TiedBody& body = topology_.bodies()[b];
  const Subsystem& subsystem = topology_.subsystems()[body.subsystem];
  const Loops& loops = loops_of(body.subsystem);
  const int root = root_column_[body.subsystem], num_root = subsystem.root_size;
  const bool looped = is_tied(body.subsystem);
  Eigen::Index n = num_root;
  if (looped) n += loops.allowed.cols();
  for (const auto& step : body.path) n += looped ? 0 : joints_[step.joint].screws.cols();
  map.columns.clear();
  map.matrix.setZero(6, n);
  for (int k = 0; k < num_root; ++k) map.columns.push_back(root + k);
  if (num_root > 0)
    map.matrix.leftCols(num_root) =
        carried(Matrix6::Identity(), node_position(subsystem.root), point).leftCols(num_root);
  if (looped)
    for (int k = 0; k < loops.allowed.cols(); ++k) map.columns.push_back(loops.first_column + k);
  Eigen::Index at = num_root;
  for (const auto& step : body.path) {
    const JointMotion& joint = joints_[step.joint];
    const Matrix6X screws = step.sign * carried(joint.screws, joint.point, point);
    if (looped) {
      map.matrix.rightCols(loops.allowed.cols()) +=
          screws * loops.allowed.middleRows(first_row_[step.joint], screws.cols());
      continue;
    }
    map.matrix.middleCols(at, screws.cols()) = screws;
    for (int k = 0; k < screws.cols(); ++k) map.columns.push_back(joint_column_[step.joint] + k);
    at += screws.cols();
  }
}

std::vector<int> CondenseGeometry::blocks() const {
  std::vector<int> block(num_coordinates_, -1);
  int next = 0;
  for (std::size_t s = 0; s < loops_.size(); ++s) {
    const Subsystem& subsystem = topology_.subsystems()[s];
    for (int k = 0; k < subsystem.root_size; ++k) block[root_column_[s] + k] = next;
    next += subsystem.root_size > 0;
    if (!loops_[s].subsystems.empty()) {
      for (int k = 0; k < loops_[s].allowed.cols(); ++k) block[loops_[s].first_column + k] = next;
      next += loops_[s].allowed.cols() > 0;
    }
    if (is_tied(static_cast<int>(s))) continue;
    for (const int j : subsystem.joints) {
      for (int k = 0; k < joints_[j].screws.cols(); ++k) block[joint_column_[j] + k] = next;
      next += joints_[j].screws.cols() > 0;
    }
  }
  return block;
}

std::vector<std::string> CondenseGeometry::participants(const VectorX& z) const {
  std::vector<std::pair<double, std::string>> found;
  const double size = mechanism_.length_scale();
  std::vector<int> columns;
  MatrixX matrix;
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
    if (!topology_.freedoms(j).ties || joints_[j].screws.cols() == 0) continue;
    joint_map(j, columns, matrix);
    const VectorX freedoms = matrix * z(columns);
    const std::vector<int>& free = topology_.freedoms(j).freedoms;
    const Joint& joint = model_.joints[j];
    for (Eigen::Index k = 0; k < freedoms.size(); ++k) {
      const bool rotation = is_rotation(joint.type, free[k]);
      found.emplace_back(std::abs(freedoms[k]) / (rotation ? 1.0 : size),
                         num_freedoms(joint.type) == 1
                             ? cat("joint '", joint.name, "'")
                             : cat("joint '", joint.name, "' (", describe_freedom(joint.type, free[k]), ")"));
    }
  }
  for (std::size_t s = 0; s < root_column_.size(); ++s) {
    if (root_column_[s] < 0) continue;
    double share = z.segment<3>(root_column_[s]).norm() / size;
    if (topology_.subsystems()[s].root_size == 6) share = std::max(share, z.segment<3>(root_column_[s] + 3).norm());
    found.emplace_back(share, cat("node '", node_text(model_, topology_.subsystems()[s].root), "'"));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> names;
  for (const auto& [share, name] : found)
    if (share > 1e-3 * found.front().first) names.push_back(name);
  return names;
}

}  // namespace lithe
