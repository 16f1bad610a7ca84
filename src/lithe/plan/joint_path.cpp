#include "lithe/plan/joint_path.h"

#include <algorithm>

#include "lithe/model/motion_pieces.h"

namespace lithe {

void JointPath::add(double end, PathNode from, PathNode to) {
  ends_.push_back(end);
  from_.push_back(std::move(from));
  to_.push_back(std::move(to));
}

PathNode between(const PathNode& from, const PathNode& to, double width, double part) {
  PathNode result = from;
  for (Eigen::Index k = 0; k < from.value.size(); ++k) {
    const SignalValue at = quintic_at(
        quintic({from.value[k], from.first[k], from.second[k]}, {to.value[k], to.first[k], to.second[k]}, width), width,
        part);
    result.value[k] = at.value, result.first[k] = at.rate, result.second[k] = at.acceleration;
  }
  return result;
}

PathNode JointPath::at(double s, bool before) const {
  const auto next = before ? std::lower_bound(ends_.begin() + 1, ends_.end(), s)
                           : std::upper_bound(ends_.begin() + 1, ends_.end(), s);
  const auto i = std::min<std::size_t>(static_cast<std::size_t>(next - ends_.begin()), ends_.size() - 1) - 1;
  const double width = ends_[i + 1] - ends_[i];
  return between(from_[i], to_[i], width, std::clamp((s - ends_[i]) / width, 0.0, 1.0));
}

JointPath straight_path(const VectorX& from, const VectorX& to) {
  const VectorX zero = VectorX::Zero(from.size());
  JointPath path(0);
  path.add(1, {from, to - from, zero}, {to, to - from, zero});
  return path;
}

JointPath spline_path(const MatrixX& points) {
  const Eigen::Index n = points.cols();
  VectorX knots = VectorX::Zero(n);
  for (Eigen::Index i = 1; i < n; ++i)
    knots[i] = knots[i - 1] + (points.col(i) - points.col(i - 1)).cwiseAbs().maxCoeff();
  knots /= knots[n - 1];
  // Slopes m_i: (m_{i-1} + 2 m_i)/h_i + (2 m_i + m_{i+1})/h_{i+1} = 3 (Δ_i/h_i² + Δ_{i+1}/h_{i+1}²), by elimination.
  MatrixX slopes = MatrixX::Zero(points.rows(), n);
  VectorX upper = VectorX::Zero(n);
  for (Eigen::Index i = 1; i + 1 < n; ++i) {
    const double left = knots[i] - knots[i - 1], right = knots[i + 1] - knots[i];
    const VectorX load = 3 * ((points.col(i) - points.col(i - 1)) / (left * left) +
                              (points.col(i + 1) - points.col(i)) / (right * right));
    const double pivot = 2 / left + 2 / right - upper[i - 1] / left;
    upper[i] = 1 / right / pivot;
    slopes.col(i) = (load - slopes.col(i - 1) / left) / pivot;
  }
  for (Eigen::Index i = n - 2; i > 0; --i) slopes.col(i) -= upper[i] * slopes.col(i + 1);
  JointPath path(0);
  for (Eigen::Index i = 1; i < n; ++i) {
    const double h = knots[i] - knots[i - 1];
    const VectorX chord = (points.col(i) - points.col(i - 1)) / h;
    path.add(knots[i],
             {points.col(i - 1), slopes.col(i - 1), (6 * chord - 4 * slopes.col(i - 1) - 2 * slopes.col(i)) / h},
             {points.col(i), slopes.col(i), (-6 * chord + 2 * slopes.col(i - 1) + 4 * slopes.col(i)) / h});
  }
  return path;
}

}  // namespace lithe
