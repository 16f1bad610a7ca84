#include "lithe/formulate/transfer/loops.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/formulate/numerics/dual.h"

namespace lithe {
namespace {

TransferSide joint_side(int link, int node, const Pose& frame, const TransferTree& tree) {
  if (link < 0) return {-1, frame};
  const NodePlace& place = tree.nodes[link][node];
  return {place.frame, {place.link_axes * frame.rotation, place.offset}};
}

void finish_loop(const TransferTree& tree, TransferLoop& loop, TransferLoops& loops) {
  for (const TransferSide* side : {&loop.parent, &loop.child})
    for (int i = side->frame; i >= 0; i = tree.frames[i].parent) loop.path.push_back(i);
  std::sort(loop.path.begin(), loop.path.end());
  loop.path.erase(std::unique(loop.path.begin(), loop.path.end()), loop.path.end());
  loop.first_row = loops.num_rows;
  loops.num_rows += static_cast<int>(loop.rows.size());
  loops.loops.push_back(std::move(loop));
}

template <class S>
using Vec = Eigen::Matrix<S, 3, 1>;
template <class S>
using Mat = Eigen::Matrix<S, 3, 3>;

// Motion in world axes, gravity left out.
template <class S>
struct Moving {
  Mat<S> R = Mat<S>::Identity();
  Vec<S> p = Vec<S>::Zero(), v = p, omega = p, a = p, alpha = p;
};

template <class S>
Moving<S> carried(const Moving<S>& parent, const Mat<S>& Q, const Vec<S>& rho, const Vec<S>& rho_rate,
                  const Vec<S>& rho_acceleration, const Vec<S>& w, const Vec<S>& w_rate) {
  Moving<S> c;
  const Vec<S> r = parent.R * rho, r_rate = parent.R * rho_rate, turn = parent.R * w;
  c.R = parent.R * Q;
  c.p = parent.p + r;
  c.v = parent.v + parent.omega.cross(r) + r_rate;
  c.omega = parent.omega + turn;
  c.alpha = parent.alpha + parent.omega.cross(turn) + parent.R * w_rate;
  c.a = parent.a + parent.alpha.cross(r) + parent.omega.cross(parent.omega.cross(r)) +
        S(2.0) * parent.omega.cross(r_rate) + parent.R * rho_acceleration;
  return c;
}

template <class S>
Moving<S> fixed_to(const Moving<S>& frame, const Pose& pose) {
  const Vec<S> zero = Vec<S>::Zero();
  return carried<S>(frame, pose.rotation.cast<S>(), pose.position.cast<S>(), zero, zero, zero, zero);
}

// Ψ, Ψ̇, Ψ̈ of one row.
template <class S>
std::array<S, 3> row_values(const LoopRow& row, const Moving<S>& F, const Moving<S>& M) {
  const Vec<S> e = F.R.col(row.parent_axis);
  const Vec<S> e_rate = F.omega.cross(e), e_acceleration = F.alpha.cross(e) + F.omega.cross(e_rate);
  if (!row.rotation) {
    const Vec<S> d = M.p - F.p, d_rate = M.v - F.v, d_acceleration = M.a - F.a;
    return {e.dot(d), e_rate.dot(d) + e.dot(d_rate),
            e_acceleration.dot(d) + S(2.0) * e_rate.dot(d_rate) + e.dot(d_acceleration)};
  }
  const Vec<S> n = M.R.col(row.child_axis);
  const Vec<S> n_rate = M.omega.cross(n), n_acceleration = M.alpha.cross(n) + M.omega.cross(n_rate);
  return {e.dot(n), e_rate.dot(n) + e.dot(n_rate),
          e_acceleration.dot(n) + S(2.0) * e_rate.dot(n_rate) + e.dot(n_acceleration)};
}

// Of a row of a loop; the angle of a nodal rotation is left to loop_values().
template <class S>
std::array<S, 3> values_of(const TransferLoop& loop, std::size_t row, const Moving<S>& F, const Moving<S>& M) {
  if (loop.turn) return {S(0.0), M.omega(2), M.alpha(2)};
  return row_values(loop.rows[row], F, M);
}

Moving<double> moving(const SideMotion& s) {
  Moving<double> m;
  m.R = s.pose.rotation;
  m.p = s.pose.position;
  m.v = s.velocity;
  m.omega = s.omega;
  m.a = s.acceleration;
  m.alpha = s.alpha;
  return m;
}

using Jacobian = Dual<double, 6>;

Vec<Jacobian> with_jacobians(const Vector3& value, const Matrix3x6& jacobians) {
  Vec<Jacobian> result;
  for (int i = 0; i < 3; ++i) {
    result(i).value = value(i);
    for (int l = 0; l < 6; ++l) result(i).jacobian[l] = jacobians(i, l);
  }
  return result;
}

// The element's motion with derivatives by its own coordinates; Q_l = [w_l] Q.
Moving<Jacobian> carried_with_jacobians(const Moving<Jacobian>& parent, const ElementMotion& m,
                                        const ElementJacobians& s) {
  Mat<Jacobian> Q;
  for (int j = 0; j < 3; ++j) {
    Matrix3x6 column;
    for (int l = 0; l < 6; ++l) column.col(l) = m.w_jacobian.col(l).cross(m.Q.col(j));
    Q.col(j) = with_jacobians(m.Q.col(j), column);
  }
  return carried<Jacobian>(parent, Q, with_jacobians(m.rho, m.rho_jacobian), with_jacobians(m.rho_rate, s.rho_rate),
                           with_jacobians(m.rho_acceleration, s.rho_acceleration), with_jacobians(m.w, s.w),
                           with_jacobians(m.w_rate, s.w_rate));
}

// Columns of one element in one loop.
void element_columns(const TransferLoop& loop, int element, const TransferTree& tree, const TransferWork& work,
                     std::vector<Moving<Jacobian>>& motion, MatrixX& rate, MatrixX& acceleration) {
  const Moving<Jacobian> ground;
  for (std::size_t k = 0; k < loop.path.size(); ++k) {
    const int i = loop.path[k];
    const int parent = tree.frames[i].parent;
    const Moving<Jacobian>& p = parent < 0 ? ground : motion[parent];
    const ElementMotion& m = work.elements[i];
    motion[i] = i == element ? carried_with_jacobians(p, m, work.jacobians[i])
                             : carried<Jacobian>(p, m.Q.cast<Jacobian>(), m.rho.cast<Jacobian>(),
                                                 m.rho_rate.cast<Jacobian>(), m.rho_acceleration.cast<Jacobian>(),
                                                 m.w.cast<Jacobian>(), m.w_rate.cast<Jacobian>());
  }
  const auto side = [&](const TransferSide& s) {
    return fixed_to<Jacobian>(s.frame < 0 ? ground : motion[s.frame], s.joint_frame);
  };
  const Moving<Jacobian> F = side(loop.parent), M = side(loop.child);
  for (std::size_t r = 0; r < loop.rows.size(); ++r) {
    const std::array<Jacobian, 3> values = values_of(loop, r, F, M);
    for (int l = 0; l < tree.frames[element].count; ++l) {
      rate(loop.first_row + r, tree.frames[element].first + l) = values[1].jacobian[l];
      acceleration(loop.first_row + r, tree.frames[element].first + l) = values[2].jacobian[l];
    }
  }
}

// Wrench of a unit multiplier on the two sides: (f, n) on F, then on M, at their points, world axes.
Eigen::Matrix<double, 12, 1> row_wrench(const TransferLoop& loop, std::size_t index, const Pose& F, const Pose& M) {
  Eigen::Matrix<double, 12, 1> wrench = Eigen::Matrix<double, 12, 1>::Zero();
  if (loop.turn) {
    wrench(11) = 1;
    return wrench;
  }
  const LoopRow& row = loop.rows[index];
  const Vector3 e = F.rotation.col(row.parent_axis);
  if (row.rotation) {
    const Vector3 n = M.rotation.col(row.child_axis);
    wrench.segment<3>(3) = e.cross(n);
    wrench.tail<3>() = n.cross(e);
  } else {
    wrench.head<3>() = -e;
    wrench.segment<3>(3) = e.cross(M.position - F.position);
    wrench.segment<3>(6) = e;
  }
  return wrench;
}

// Its derivative by (δp, δθ) of F, then of M.
Matrix12x12 row_wrench_jacobian(const TransferLoop& loop, std::size_t index, const Pose& F, const Pose& M) {
  Matrix12x12 jacobian = Matrix12x12::Zero();
  if (loop.turn) return jacobian;
  const LoopRow& row = loop.rows[index];
  const Matrix3 e = skew(F.rotation.col(row.parent_axis));
  if (row.rotation) {
    const Matrix3 n = skew(M.rotation.col(row.child_axis));
    jacobian.block<3, 3>(9, 9) = e * n;
    jacobian.block<3, 3>(9, 3) = -n * e;
    jacobian.block<3, 3>(3, 9) = -e * n;
    jacobian.block<3, 3>(3, 3) = n * e;
  } else {
    const Matrix3 d = skew(M.position - F.position);
    jacobian.block<3, 3>(0, 3) = e;
    jacobian.block<3, 3>(6, 3) = -e;
    jacobian.block<3, 3>(3, 3) = d * e;
    jacobian.block<3, 3>(3, 6) = e;
    jacobian.block<3, 3>(3, 0) = -e;
  }
  return jacobian;
}

}  // namespace

SideMotion side_motion(const TransferTree& tree, const TransferWork& work, const TransferSide& side) {
  Moving<double> frame;
  if (side.frame >= 0) {
    const FrameState& f = work.frames[side.frame];
    frame.R = f.R_W;
    frame.p = f.p_W;
    frame.v = f.R_W * f.velocity;
    frame.omega = f.R_W * f.omega;
    frame.a = f.R_W * f.acceleration + tree.gravity;
    frame.alpha = f.R_W * f.alpha;
  }
  const Moving<double> m = fixed_to<double>(frame, side.joint_frame);
  return {{m.R, m.p}, m.v, m.omega, m.a, m.alpha};
}

TransferLoops build_transfer_loops(const Model& model, const Mechanism& mechanism, const TransferTree& tree) {
  TransferLoops loops;
  for (const CutJoint& cut : mechanism.cuts()) {
    const Joint& joint = model.joints[cut.joint];
    TransferLoop loop;
    if (cut.couples()) {
      loop.coupled = cut.coordinates;
      loop.offset = cut.offset;
      loop.rows.push_back({.rotation = !mechanism.is_length(cut, 0)});
      finish_loop(tree, loop, loops);
      continue;
    }
    loop.joint = cut.joint;
    loop.parent = joint_side(joint.parent, joint.parent_node, joint.parent_frame, tree);
    if (cut.carried) loop.parent = {tree.frame_of_coordinate[mechanism.frames()[cut.parent_frame].coordinate], Pose()};
    loop.child = joint_side(joint.child, joint.child_node, joint.child_frame, tree);
    loop.rows = constrained_directions(cut.type);
    finish_loop(tree, loop, loops);
  }
  for (const TransferTree::Weld& weld : tree.welds) {
    TransferLoop loop;
    loop.parent = {weld.node.frame, {weld.node.link_axes, weld.node.offset}};
    loop.child = {weld.end.frame, {weld.end.link_axes, weld.end.offset}};
    loop.rows = constrained_directions(JointType::fixed);
    finish_loop(tree, loop, loops);
  }
  return loops;
}

void add_nodal_row(const NodePlace& place, int component, int variable, const TransferTree& tree,
                   TransferLoops& loops) {
  TransferLoop loop;
  loop.variable = variable;
  loop.turn = component > 2;
  loop.child = {place.frame, {place.link_axes, place.offset}};
  loop.rows.push_back({.rotation = loop.turn, .parent_axis = loop.turn ? 2 : component});
  finish_loop(tree, loop, loops);
}

void loop_values(const TransferLoops& loops, const TransferTree& tree, const TransferWork& work, LoopValues& values) {
  for (const TransferLoop& loop : loops.loops) {
    if (!loop.coupled.empty()) {
      const int row = loop.first_row;
      values.value(row) = -loop.offset;
      values.rate(row) = values.acceleration(row) = 0;
      for (const LoopCoordinate& member : loop.coupled) {
        values.value(row) += member.sign * work.y(member.coordinate);
        values.rate(row) += member.sign * work.y_rate(member.coordinate);
        values.acceleration(row) += member.sign * work.y_acceleration(member.coordinate);
      }
      continue;
    }
    const Moving<double> F = moving(side_motion(tree, work, loop.parent)),
                         M = moving(side_motion(tree, work, loop.child));
    for (std::size_t r = 0; r < loop.rows.size(); ++r) {
      const std::array<double, 3> row = values_of(loop, r, F, M);
      values.value(loop.first_row + r) = row[0];
      values.rate(loop.first_row + r) = row[1];
      values.acceleration(loop.first_row + r) = row[2];
    }
    if (loop.variable < 0) continue;
    const int v = loop.variable, row = loop.first_row;
    if (loop.turn) values.value(row) = std::atan2(M.R(1, 0), M.R(0, 0));
    values.value(row) -= work.y(v);
    if (loop.turn) values.value(row) = std::remainder(values.value(row), 2 * std::numbers::pi);
    values.rate(row) -= work.y_rate(v);
    values.acceleration(row) -= work.y_acceleration(v);
  }
}

namespace {

// take(variable, (velocity, angular velocity) of the side per unit rate) for every variable that moves the side.
template <class Take>
void side_columns(const TransferTree& tree, const TransferWork& work, const TransferSide& side, const Take& take) {
  if (side.frame < 0) return;
  const Vector3 point = work.frames[side.frame].p_W + work.frames[side.frame].R_W * side.joint_frame.position;
  for (int i = side.frame; i >= 0; i = tree.frames[i].parent) {
    const TransferFrame& frame = tree.frames[i];
    if (frame.count == 0) continue;
    const Matrix3 R = frame.parent < 0 ? Matrix3(Matrix3::Identity()) : work.frames[frame.parent].R_W;
    const Vector3 arm = point - work.frames[i].p_W;
    for (int l = 0; l < frame.count; ++l) {
      Vector6 column;
      column.tail<3>() = R * work.elements[i].w_jacobian.col(l);
      column.head<3>() = R * work.elements[i].rho_jacobian.col(l) + Vector3(column.tail<3>()).cross(arm);
      take(frame.first + l, column);
    }
  }
}

}  // namespace

void side_jacobian(const TransferTree& tree, const TransferWork& work, const TransferSide& side, MatrixX& jacobian) {
  jacobian.setZero();
  side_columns(tree, work, side, [&](int variable, const Vector6& column) { jacobian.col(variable) = column; });
}

void loop_jacobian(const TransferLoops& loops, const TransferTree& tree, const TransferWork& work, MatrixX& jacobian) {
  for (const TransferLoop& loop : loops.loops) {
    const Pose F = side_motion(tree, work, loop.parent).pose, M = side_motion(tree, work, loop.child).pose;
    const auto rows = static_cast<int>(loop.rows.size());
    Eigen::Matrix<double, 12, 6> wrenches;
    for (int r = 0; r < rows; ++r) wrenches.col(r) = row_wrench(loop, r, F, M);
    jacobian.middleRows(loop.first_row, rows).setZero();
    if (loop.variable >= 0) jacobian(loop.first_row, loop.variable) = -1;
    for (const LoopCoordinate& member : loop.coupled) jacobian(loop.first_row, member.coordinate) = member.sign;
    for (const bool child : {false, true}) {
      const Matrix6 wrench = wrenches.middleRows<6>(child ? 6 : 0);
      side_columns(tree, work, child ? loop.child : loop.parent, [&](int variable, const Vector6& column) {
        for (int r = 0; r < rows; ++r) jacobian(loop.first_row + r, variable) += wrench.col(r).dot(column);
      });
    }
  }
}

void loop_jacobians(const TransferLoops& loops, const TransferTree& tree, const TransferWork& work, MatrixX& rate,
                    MatrixX& acceleration) {
  rate.setZero(loops.num_rows, tree.num_variables);
  acceleration.setZero(loops.num_rows, tree.num_variables);
  std::vector<Moving<Jacobian>> motion(tree.frames.size());
  for (const TransferLoop& loop : loops.loops)
    for (const int element : loop.path)
      if (tree.frames[element].count > 0) element_columns(loop, element, tree, work, motion, rate, acceleration);
}

void add_loop_loads(const TransferLoops& loops, const TransferTree& tree, const VectorX& multipliers,
                    TransferWork& work) {
  for (const TransferLoop& loop : loops.loops) {
    for (const LoopCoordinate& member : loop.coupled)
      work.joint_drive(member.coordinate) -= member.sign * multipliers(loop.first_row);
    const Pose F = side_motion(tree, work, loop.parent).pose, M = side_motion(tree, work, loop.child).pose;
    Eigen::Matrix<double, 12, 1> wrench = Eigen::Matrix<double, 12, 1>::Zero();
    for (std::size_t r = 0; r < loop.rows.size(); ++r)
      wrench += multipliers(loop.first_row + r) * row_wrench(loop, r, F, M);
    const auto load = [&](const TransferSide& side, const Vector6& w) {
      if (side.frame >= 0)
        work.loads.push_back({side.frame, false, side.joint_frame.position, -w.head<3>(), -w.tail<3>()});
    };
    load(loop.parent, wrench.head<6>());
    load(loop.child, wrench.tail<6>());
  }
}

std::vector<MatrixX> loop_wrench_changes(const TransferLoops& loops, const TransferTree& tree, const TransferWork& work,
                                         const VectorX& multipliers, const MatrixX& y,
                                         const MatrixX& multiplier_changes) {
  std::vector<MatrixX> changes;
  MatrixX one(6, tree.num_variables);
  for (const TransferLoop& loop : loops.loops) {
    const Pose F = side_motion(tree, work, loop.parent).pose, M = side_motion(tree, work, loop.child).pose;
    MatrixX sides(12, y.cols()), change = MatrixX::Zero(12, y.cols());
    side_jacobian(tree, work, loop.parent, one);
    sides.topRows<6>() = one * y;
    side_jacobian(tree, work, loop.child, one);
    sides.bottomRows<6>() = one * y;
    for (std::size_t r = 0; r < loop.rows.size(); ++r)
      change += row_wrench(loop, r, F, M) * multiplier_changes.row(loop.first_row + r) +
                multipliers(loop.first_row + r) * (row_wrench_jacobian(loop, r, F, M) * sides);
    changes.push_back(std::move(change));
  }
  return changes;
}

void add_loop_stiffness(const TransferLoops& loops, const TransferTree& tree, const TransferWork& work,
                        const VectorX& multipliers, MatrixX& stiffness) {
  MatrixX sides(12, tree.num_variables), one(6, tree.num_variables);
  for (const TransferLoop& loop : loops.loops) {
    const Pose F = side_motion(tree, work, loop.parent).pose, M = side_motion(tree, work, loop.child).pose;
    side_jacobian(tree, work, loop.parent, one);
    sides.topRows<6>() = one;
    side_jacobian(tree, work, loop.child, one);
    sides.bottomRows<6>() = one;
    Matrix12x12 jacobian = Matrix12x12::Zero();
    for (std::size_t r = 0; r < loop.rows.size(); ++r)
      jacobian += multipliers(loop.first_row + r) * row_wrench_jacobian(loop, r, F, M);
    stiffness.noalias() += sides.transpose() * (jacobian * sides).eval();
  }
}

}  // namespace lithe
