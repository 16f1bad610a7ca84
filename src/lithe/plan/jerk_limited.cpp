#include "lithe/plan/jerk_limited.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lithe/plan/leg_limits.h"

namespace lithe {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
using Three = std::array<double, 3>;

double times(const Three& factors, const VectorX& c, Eigen::Index first) {
  return factors[0] * c[first] + factors[1] * c[first + 1] + factors[2] * c[first + 2];
}
Three sum(double a, const Three& x, double b, const Three& y) {
  return {a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]};
}

// v = value · c + rest, over three coefficients of the spline, within a limit that may depend on y = square · c:
//   constant     |v| <= limit
//   inverse_root |v| √y <= limit: the jerk
//   motor_line   v <= limit (1 - √y / fastest)
struct Row {
  enum class Kind { constant, inverse_root, motor_line };
  Eigen::Index first = 0;
  Three value{}, square{};
  double rest = 0, limit = 0;
  Kind kind = Kind::constant;
  double fastest = unlimited;
  bool both_sides = true;  // |v|, else v

  // What is left to the limit on one side, as a part of it, and its derivatives with respect to the coefficients.
  double left(const VectorX& c, int side) const {
    const double v = side * (times(value, c, first) + rest) / limit;
    if (kind == Kind::constant) return 1 - v;
    const double root = std::sqrt(times(square, c, first));
    return kind == Kind::inverse_root ? 1 - v * root : 1 - root / fastest - v;
  }
  Three slope(const VectorX& c, int side) const {
    if (kind == Kind::constant) return sum(-side / limit, value, 0, square);
    const double root = std::sqrt(times(square, c, first)), v = side * (times(value, c, first) + rest) / limit;
    if (kind == Kind::inverse_root) return sum(-side * root / limit, value, -v / (2 * root), square);
    return sum(-side / limit, value, -1 / (2 * fastest * root), square);
  }
};

// Symmetric, positive definite, with two bands below the diagonal.
class Pentadiagonal {
 public:
  explicit Pentadiagonal(Eigen::Index n) : bands_(MatrixX::Zero(3, n)) {}
  void clear() { bands_.setZero(); }
  // + factor a aᵀ over three neighbours.
  void add(Eigen::Index first, const Three& a, double factor) {
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k <= i; ++k)
        bands_(i - k, first + k) += factor * a[static_cast<std::size_t>(i)] * a[static_cast<std::size_t>(k)];
  }
  void add_diagonal(Eigen::Index i, double value) { bands_(0, i) += value; }
  // L D Lᵀ x = b in place; the matrix is lost.
  void solve(VectorX& b) {
    const Eigen::Index n = b.size();
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index k = 1; k <= 2 && i + k < n; ++k) {
        const double l = bands_(k, i) / bands_(0, i);
        for (Eigen::Index m = k; m <= 2 && i + m < n; ++m) bands_(m - k, i + k) -= l * bands_(m, i);
        b[i + k] -= l * b[i];
      }
    for (Eigen::Index i = n; i-- > 0;) {
      for (Eigen::Index k = 1; k <= 2 && i + k < n; ++k) b[i] -= bands_(k, i) * b[i + k];
      b[i] /= bands_(0, i);
    }
  }

 private:
  MatrixX bands_;  // row k, column i: entry (i + k, i)
};

// The path by σ: s = length (10 σ³ - 15 σ⁴ + 6 σ⁵), so that σ̇ > 0 at rest as well.
struct Place {
  PathNode node;         // Q, Q', Q''
  double first, second;  // ds/dσ, d²s/dσ²
};

class JerkGrid {
 public:
  JerkGrid(const JointPath& path, const PathLimits& limits, const RigidTorques* torques, int intervals)
      : path_(path), limits_(limits), torques_(torques), cells_(intervals), h_(1.0 / intervals) {
    for (Eigen::Index k = 0; k <= cells_; ++k) add_knot(k);
    for (Eigen::Index k = 0; k < cells_; ++k) add_jerks(k);
    add_jerks_at_places();
  }

  FastestLaw solve() {
    FastestLaw result;
    result.failure = failure_, result.failed_at = failed_at_, result.coordinate = holds_;
    if (!failure_.empty()) return result;
    VectorX c;
    if (!start(c)) {
      result.failure = "there is no way on within the limits";
      result.failed_at = path_.start();
      return result;
    }
    minimise(c);
    const TimeLaw found = law(c);
    result.law = found.stretched(std::max(1.0, leg_excess(path_, found, limits_, true).factor));
    return result;
  }

 private:
  double way(double x) const { return x * x * x * (10 + x * (6 * x - 15)); }
  Place place(double x, bool before) const {
    const double length = path_.end() - path_.start();
    Place at{path_.at(path_.start() + length * way(x), before), length * 30 * x * x * (1 - x) * (1 - x),
             length * 60 * x * (1 - x) * (1 - 2 * x)};
    at.node.second = at.node.second * (at.first * at.first) + at.node.first * at.second;
    at.node.first *= at.first;
    return at;
  }

  // y and y' at a part of cell k, whose coefficients are c_k, c_k+1, c_k+2.
  Three square(double part) const { return {(1 - part) * (1 - part) / 2, 0.5 + part * (1 - part), part * part / 2}; }
  Three rate(double part) const { return {-(1 - part) / h_, (1 - 2 * part) / h_, part / h_}; }

  // Limits of speed, acceleration and torque between cells.
  void add_knot(Eigen::Index k) {
    const Eigen::Index cell = std::min(k, cells_ - 1);
    const double part = k == cell ? 0 : 1;
    const Place at = place(static_cast<double>(k) * h_, k == cells_);
    const Three y = square(part), half = sum(0.5, rate(part), 0, y);
    const auto add = [&](const Three& value, double limit, double rest = 0) -> Row& {
      rows_.push_back({cell, value, y, rest, limit});
      return rows_.back();
    };
    const auto add_motion = [&](double first, double second, const MotionLimits& of) {
      if (of.speed < unlimited && first != 0) add(y, of.speed / first * (of.speed / first)).both_sides = false;
      if (of.acceleration < unlimited) add(sum(first, half, second, y), of.acceleration);
    };
    add_motion(at.first, at.second, limits_.tool);
    const PathTorques torques = torques_ ? torques_->along(at.node) : PathTorques{};
    for (std::size_t j = 0; j < limits_.coordinates.size(); ++j) {
      const int q = limits_.coordinates[j];
      add_motion(at.node.first[q], at.node.second[q], limits_.motions[j]);
      if (!torques_) continue;
      const Three value = sum(torques.inertia[q], half, torques.velocity[q], y);
      const double rest = torques.rest[q], limit = limits_.torques[j];
      const MotorLine line = limits_.lines.empty() ? MotorLine{} : limits_.lines[j];
      if (std::abs(rest) >= std::min(limit, line.stall_torque)) fail(k, static_cast<int>(j));
      if (limit < unlimited) add(value, limit, rest);
      if (!(line.stall_torque < unlimited)) continue;
      const double sign = at.node.first[q] < 0 ? -1 : 1;
      Row& row = add(sum(sign, value, 0, y), line.stall_torque, sign * rest);
      row.kind = Row::Kind::motor_line;
      row.both_sides = false;
      row.fastest = at.node.first[q] == 0 ? unlimited : line.no_load_speed / std::abs(at.node.first[q]);
      if (row.fastest < unlimited) add(y, row.fastest * row.fastest).both_sides = false;
    }
  }
  void fail(Eigen::Index k, int joint) {
    if (!failure_.empty()) return;
    failure_ = "cannot hold it at rest";
    failed_at_ = path_.start() + (path_.end() - path_.start()) * way(static_cast<double>(k) * h_);
    holds_ = joint;
  }

  // The mean jerk of cell k, or of its parts where nodes of the path divide it.
  void add_jerks(Eigen::Index k) {
    std::vector<double> parts{0, 1};
    const double length = path_.end() - path_.start();
    for (; next_node_ + 1 < path_.nodes().size(); ++next_node_) {
      const double s = (path_.nodes()[next_node_] - path_.start()) / length;
      if (s >= way(static_cast<double>(k + 1) * h_)) break;
      const double part = inverse_way(s) / h_ - static_cast<double>(k);
      constexpr double sliver = 0.05;
      if (part > parts[parts.size() - 2] + sliver && part < 1 - sliver) parts.insert(parts.end() - 1, part);
    }
    for (std::size_t i = 1; i < parts.size(); ++i) add_jerk(k, parts[i - 1], parts[i]);
  }
  double inverse_way(double s) const {
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (way(middle) < s ? low : high) = middle;
    }
    return high;
  }
  void add_jerk(Eigen::Index k, double from, double to) {
    const Place a = place((static_cast<double>(k) + from) * h_, false),
                b = place((static_cast<double>(k) + to) * h_, true);
    const auto add = [&](double first0, double second0, double first1, double second1, double jerk) {
      if (!(jerk < unlimited)) return;
      Row row{k,
              sum(1, sum(first1 / 2, rate(to), second1, square(to)), -1,
                  sum(first0 / 2, rate(from), second0, square(from))),
              square((from + to) / 2), 0, jerk * h_ * (to - from)};
      row.kind = Row::Kind::inverse_root;
      rows_.push_back(row);
    };
    add(a.first, a.second, b.first, b.second, limits_.tool.jerk);
    for (std::size_t j = 0; j < limits_.coordinates.size(); ++j) {
      const int q = limits_.coordinates[j];
      add(a.node.first[q], a.node.second[q], b.node.first[q], b.node.second[q], limits_.motions[j].jerk);
    }
  }

  // The jerk itself, √y (Q' y''/2 + 3/2 Q'' y' + Q''' y), at both ends of each cell, and in the middle of those near
  // rest, where Q' and Q'' grow from nothing and the mean says little. q''' is the mean of the cell.
  void add_jerks_at_places() {
    constexpr Eigen::Index near_rest = 4;
    for (Eigen::Index k = 0; k < cells_; ++k) {
      add_jerk_at(k, 0);
      if (k < near_rest || k >= cells_ - near_rest) add_jerk_at(k, 0.5);
      add_jerk_at(k, 1);
    }
  }
  // q''' of cell k, the mean; zero where the cell is too short to tell.
  VectorX third_derivative(Eigen::Index k) const {
    const double length = path_.end() - path_.start();
    const double from = length * way(static_cast<double>(k) * h_), to = length * way(static_cast<double>(k + 1) * h_);
    const VectorX change = path_.at(path_.start() + to, true).second - path_.at(path_.start() + from, false).second;
    return to - from > 1e-7 * length ? VectorX(change / (to - from)) : VectorX(VectorX::Zero(change.size()));
  }
  void add_jerk_at(Eigen::Index cell, double part) {
    const double x = (static_cast<double>(cell) + part) * h_, length = path_.end() - path_.start();
    const PathNode node = path_.at(path_.start() + length * way(x), part > 0);
    const double s1 = length * 30 * x * x * (1 - x) * (1 - x), s2 = length * 60 * x * (1 - x) * (1 - 2 * x),
                 s3 = length * 60 * (1 - 6 * x + 6 * x * x);
    const VectorX thirds = third_derivative(cell);
    const Three curvature{1 / (h_ * h_), -2 / (h_ * h_), 1 / (h_ * h_)};
    const auto add = [&](double first, double second, double third, double jerk) {
      if (!(jerk < unlimited)) return;
      const Three value = sum(1, sum(first / 2, curvature, 1.5 * second, rate(part)), third, square(part));
      rows_.push_back({cell, value, square(part), 0, jerk});
      rows_.back().kind = Row::Kind::inverse_root;
    };
    add(s1, s2, s3, limits_.tool.jerk);
    for (std::size_t j = 0; j < limits_.coordinates.size(); ++j) {
      const int c = limits_.coordinates[j];
      const double q1 = node.first[c], q2 = node.second[c], q3 = thirds[c];
      add(q1 * s1, q2 * s1 * s1 + q1 * s2, q3 * s1 * s1 * s1 + 3 * q2 * s1 * s2 + q1 * s3, limits_.motions[j].jerk);
    }
  }

  // Evenly along the law of least jerk, so slow that all limits are kept.
  bool start(VectorX& c) {
    const auto good = [&](double y) {
      c = VectorX::Constant(cells_ + 2, y);
      return std::isfinite(barrier(c));
    };
    double y = 1;
    largest_ = unlimited;
    for (int i = 0; i < 60 && good(4 * y); ++i) y *= 4;
    for (int i = 0; i < 120 && !good(y); ++i) y /= 4;
    if (!good(y / 2)) return false;
    largest_ = 1e8 * y;  // where nothing limits the speed
    return true;
  }

  // Time by the midpoint rule.
  double time(const VectorX& c) const {
    const Three middle = square(0.5);
    double result = 0;
    for (Eigen::Index k = 0; k < cells_; ++k) result += h_ / std::sqrt(times(middle, c, k));
    return result;
  }
  // - Σ log of what is left to the limits; infinite where one is exceeded.
  double barrier(const VectorX& c) const {
    double result = 0;
    for (const double value : c) {
      if (!(value > 0) || !(value < largest_)) return unlimited;
      result -= std::log(value) + (largest_ < unlimited ? std::log(1 - value / largest_) : 0);
    }
    for (const Row& row : rows_) {
      const double above = row.left(c, 1), below = row.both_sides ? row.left(c, -1) : 1.0;
      if (!(above > 0) || !(below > 0)) return unlimited;
      result -= std::log(above * below);
    }
    return result;
  }

  // Newton's direction of weight time + barrier, its matrix without the curvature of limits; returns the decrement.
  double direction(const VectorX& c, double weight, Pentadiagonal& matrix, VectorX& step) const {
    matrix.clear();
    step.setZero();
    const auto add = [&](Eigen::Index first, const Three& gradient, double slope, double curvature) {
      for (std::size_t i = 0; i < 3; ++i) step[first + static_cast<Eigen::Index>(i)] -= slope * gradient[i];
      matrix.add(first, gradient, curvature);
    };
    for (Eigen::Index i = 0; i < c.size(); ++i) {
      const double below = 1 / c[i], above = 1 / (largest_ - c[i]);
      step[i] += below - above;
      matrix.add_diagonal(i, below * below + above * above);
    }
    const Three middle = square(0.5);
    for (Eigen::Index k = 0; k < cells_; ++k) {
      const double y = times(middle, c, k), slope = -weight * h_ / (2 * y * std::sqrt(y));
      add(k, middle, slope, -1.5 * slope / y);
    }
    for (const Row& row : rows_) {
      for (const int side : {1, -1}) {
        if (side < 0 && !row.both_sides) continue;
        const double left = row.left(c, side);
        add(row.first, row.slope(c, side), -1 / left, 1 / (left * left));
      }
    }
    const VectorX gradient = -step;
    matrix.solve(step);
    return -gradient.dot(step);
  }

  void minimise(VectorX& c) const {
    constexpr double gap = 1e-4;  // of the time
    constexpr int most_steps = 60;
    const double count = static_cast<double>(2 * rows_.size() + 2 * static_cast<std::size_t>(c.size()));
    Pentadiagonal matrix(c.size());
    VectorX step(c.size());
    for (double weight = count / time(c);; weight *= 8) {
      double value = weight * time(c) + barrier(c);
      for (int i = 0; i < most_steps; ++i) {
        const double decrement = direction(c, weight, matrix, step);
        if (!(decrement > 1e-4 * count)) break;
        double length = 1, next = unlimited;
        for (int k = 0; k < 40; ++k, length /= 2) {
          const VectorX moved = c + length * step;
          const double limits = barrier(moved);
          next = std::isfinite(limits) ? weight * time(moved) + limits : unlimited;
          if (next < value - 0.01 * length * decrement) break;
        }
        if (!(next < value)) break;
        c += length * step;
        value = next;
      }
      if (count / weight < gap * time(c)) return;
    }
  }

  TimeLaw law(const VectorX& c) const {
    constexpr std::array<double, 3> nodes{0.5 - 0.38729833462074169, 0.5, 0.5 + 0.38729833462074169},
        weights{5.0 / 18, 4.0 / 9, 5.0 / 18};
    TimeLaw result;
    double time = 0;
    const auto state = [&](Eigen::Index k, double part) {
      const double x = (static_cast<double>(k) + part) * h_, length = path_.end() - path_.start();
      const Place at = place(x, part > 0);
      const double y = times(square(part), c, k);
      return SignalValue{length * way(x), at.first * std::sqrt(y),
                         at.second * y + at.first * times(rate(part), c, k) / 2};
    };
    for (Eigen::Index k = 0; k < cells_; ++k) {
      for (std::size_t g = 0; g < nodes.size(); ++g) time += h_ * weights[g] / std::sqrt(times(square(nodes[g]), c, k));
      result.add(time, state(k, 0), state(k, 1));
    }
    return result;
  }

  const JointPath& path_;
  const PathLimits& limits_;
  const RigidTorques* torques_;
  Eigen::Index cells_;
  double h_;
  std::vector<Row> rows_;
  std::size_t next_node_ = 1;
  double largest_ = unlimited;  // of y
  std::string failure_;
  double failed_at_ = 0;
  int holds_ = -1;
};

}  // namespace

FastestLaw jerk_limited(const JointPath& path, const PathLimits& limits, const RigidTorques* torques, int intervals) {
  return JerkGrid(path, limits, torques, intervals).solve();
}

}  // namespace lithe
