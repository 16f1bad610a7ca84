#include "lithe/control/design/quadratic_program.h"

#include <Eigen/Householder>
#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

constexpr double feasibility = 1e-9;  // violation that counts, in units of the limit's size
constexpr double dependence = 1e-9;   // sine of the angle below which a normal lies in the span of the active ones

// Rotation of columns i and k of J that carries (a, b) to (h, 0).
struct Givens {
  double c = 1, s = 0, h = 0;
  Givens(double a, double b) {
    h = std::hypot(a, b);
    if (h == 0) return;
    c = a / h;
    s = b / h;
  }
  void columns(MatrixX& m, Eigen::Index i, Eigen::Index k) const {
    double* p = m.col(i).data();
    double* q = m.col(k).data();
    for (Eigen::Index l = 0; l < m.rows(); ++l) {
      const double old = p[l];
      p[l] = c * old + s * q[l];
      q[l] = c * q[l] - s * old;
    }
  }
};

}  // namespace

std::string describe(QpStatus status) {
  switch (status) {
    case QpStatus::solved:
      return "solved";
    case QpStatus::infeasible:
      return "the limits contradict each other";
    case QpStatus::iteration_limit:
      return "the solver ran out of iterations";
    case QpStatus::not_finite:
      return "a number that is not finite";
  }
  return "unknown";
}

QuadraticProgram::QuadraticProgram(const MatrixX& hessian, const MatrixX& constraints)
    : cholesky_(hessian), columns_(constraints.transpose()) {
  const Eigen::Index n = hessian.rows(), m = constraints.rows();
  if (hessian.cols() != n || (m > 0 && constraints.cols() != n))
    throw InputError("quadratic program: the matrices do not fit together");
  if (cholesky_.info() != Eigen::Success || !hessian.isApprox(hessian.transpose(), 1e-8))
    throw InputError("quadratic program: the cost is not symmetric positive definite");
  if (m == 0) columns_.resize(n, 0);
  start_j_ = cholesky_.matrixU().solve(MatrixX::Identity(n, n));
  norm_ = (start_j_.transpose() * columns_).colwise().norm().transpose();
  for (double& value : norm_) value = std::max(value, std::numeric_limits<double>::min());
  j_ = start_j_;
  r_ = MatrixX::Zero(n, n);
  for (VectorX* v : {&x_, &free_, &d_, &z_, &ratio_, &normal_, &scratch_}) v->setZero(n);
  u_.setZero(n + 1);
  values_.setZero(m);
  multipliers_.setZero(m);
  for (auto* list : {&active_, &suggested_, &conflict_}) list->reserve(static_cast<std::size_t>(n) + 2);
  sort_rows();
}

void QuadraticProgram::sort_rows() {
  for (Eigen::Index i = 0; i < num_constraints(); ++i) {
    ShortRow row;
    for (Eigen::Index k = 0; k < num_variables() && row.count < 3; ++k) {
      if (columns_(k, i) == 0) continue;
      if (row.count < 2) {
        row.index[row.count] = k;
        row.value[row.count] = columns_(k, i);
      }
      ++row.count;
    }
    if (row.count == 0 || row.count > 2) {
      row.count = 0;
      long_rows_.push_back(i);
    }
    short_rows_.push_back(row);
  }
  const auto count = static_cast<Eigen::Index>(long_rows_.size());
  long_columns_.resize(num_variables(), count);
  for (Eigen::Index i = 0; i < count; ++i) long_columns_.col(i) = columns_.col(long_rows_[static_cast<std::size_t>(i)]);
  long_values_.setZero(count);
}

void QuadraticProgram::evaluate_constraints() {
  long_values_.noalias() = long_columns_.transpose() * x_;
  for (std::size_t i = 0; i < long_rows_.size(); ++i)
    values_[long_rows_[i]] = long_values_[static_cast<Eigen::Index>(i)];
  for (Eigen::Index i = 0; i < values_.size(); ++i) {
    const ShortRow& row = short_rows_[static_cast<std::size_t>(i)];
    if (row.count > 0) values_[i] = row.value[0] * x_[row.index[0]] + row.value[1] * x_[row.index[1]];
  }
}

// A constraint whose limits have crossed contradicts itself.
bool QuadraticProgram::crossed_limits() {
  for (Eigen::Index i = 0; i < num_constraints(); ++i)
    if ((*lower_)[i] > (*upper_)[i]) {
      conflict_.push_back({static_cast<int>(i), 1, 1});
      conflict_.push_back({static_cast<int>(i), -1, 1});
      return true;
    }
  return false;
}

void QuadraticProgram::begin() {
  j_ = start_j_;
  count_ = 0;
  iterations_ = 0;
  conflict_.clear();
  x_ = free_;
}

// d = Jᵀ n of the normal n of a side.
void QuadraticProgram::prepare_normal(const QpSide& side) {
  const double sign = side.side;
  const ShortRow& row = short_rows_[static_cast<std::size_t>(side.constraint)];
  if (row.count > 0) {
    d_ = (sign * row.value[0]) * j_.row(row.index[0]).transpose();
    if (row.count > 1) d_ += (sign * row.value[1]) * j_.row(row.index[1]).transpose();
    return;
  }
  normal_ = sign * columns_.col(side.constraint);
  d_.noalias() = j_.transpose() * normal_;
}

// Takes the prepared normal among the active ones; false when it depends on them.
bool QuadraticProgram::append(const QpSide& side) {
  const Eigen::Index n = num_variables();
  if (count_ >= n || d_.tail(n - count_).norm() <= dependence * norm_[side.constraint]) return false;
  // a reflection of the free columns of J that carries d2 to a multiple of the first of them
  const Eigen::Index rest = n - count_;
  auto essential = scratch_.head(rest - 1);
  double factor = 0, size = 0;
  d_.tail(rest).makeHouseholder(essential, factor, size);
  auto free_columns = j_.rightCols(rest);
  free_columns.applyHouseholderOnTheRight(essential, factor, z_.data());
  d_[count_] = size;
  r_.col(count_).head(count_ + 1) = d_.head(count_ + 1);
  if (static_cast<std::size_t>(count_) == active_.size()) {
    active_.push_back(side);
  } else {
    active_[static_cast<std::size_t>(count_)] = side;
  }
  ++count_;
  return true;
}

void QuadraticProgram::drop(Eigen::Index position) {
  for (Eigen::Index k = position; k + 1 < count_; ++k) {
    r_.col(k).head(k + 2) = r_.col(k + 1).head(k + 2);
    u_[k] = u_[k + 1];
    active_[static_cast<std::size_t>(k)] = active_[static_cast<std::size_t>(k) + 1];
  }
  u_[count_ - 1] = u_[count_];
  --count_;
  active_.resize(static_cast<std::size_t>(count_));
  for (Eigen::Index k = position; k < count_; ++k) {
    const Givens g(r_(k, k), r_(k + 1, k));
    g.columns(j_, k, k + 1);
    r_(k, k) = g.h;
    r_(k + 1, k) = 0;
    for (Eigen::Index l = k + 1; l < count_; ++l) {
      const double old = r_(k, l);
      r_(k, l) = g.c * old + g.s * r_(k + 1, l);
      r_(k + 1, l) = g.c * r_(k + 1, l) - g.s * old;
    }
  }
}

// x = x_free + J1 w, u = R⁻¹ w with Rᵀ w = b - Nᵀ x_free: the minimum on the active limits.
void QuadraticProgram::solve_active() {
  for (Eigen::Index k = 0; k < count_; ++k) {
    const QpSide& side = active_[static_cast<std::size_t>(k)];
    double sum = limit(side) - side.side * columns_.col(side.constraint).dot(free_);
    for (Eigen::Index i = 0; i < k; ++i) sum -= r_(i, k) * ratio_[i];
    ratio_[k] = sum / r_(k, k);
  }
  x_ = free_;
  x_.noalias() += j_.leftCols(count_) * ratio_.head(count_);
  for (Eigen::Index k = count_ - 1; k >= 0; --k) {
    double sum = ratio_[k];
    for (Eigen::Index i = k + 1; i < count_; ++i) sum -= r_(k, i) * u_[i];
    u_[k] = sum / r_(k, k);
  }
}

void QuadraticProgram::drop_negative() {
  for (;;) {
    solve_active();
    Eigen::Index worst = -1;
    double least = 0;
    for (Eigen::Index k = 0; k < count_; ++k)
      if (!is_equation(active_[static_cast<std::size_t>(k)].constraint) && u_[k] < least) {
        least = u_[k];
        worst = k;
      }
    if (worst < 0) return;
    u_[count_] = 0;
    drop(worst);
  }
}

// Any set of limits with positive multipliers is a valid start of the dual method; negative ones are dropped from the
// suggested set until that is so.
void QuadraticProgram::begin_from_active() {
  suggested_.assign(active_.begin(), active_.end());
  active_.clear();
  begin();
  for (const QpSide& side : suggested_) {
    if (side.constraint >= num_constraints() || !std::isfinite(limit(side))) continue;
    prepare_normal(side);
    append(side);
  }
  drop_negative();
}

// The limit that is violated most, measured in the metric of H; false when all hold.
bool QuadraticProgram::most_violated(QpSide& worst) {
  evaluate_constraints();
  double largest = 0;
  for (Eigen::Index i = 0; i < num_constraints(); ++i) {
    const double below = (*lower_)[i] - values_[i], above = values_[i] - (*upper_)[i];
    const double violation = std::max(below, above);
    if (!(violation > 0)) continue;
    const double size = std::max(std::abs(below >= above ? (*lower_)[i] : (*upper_)[i]), std::abs(values_[i]));
    if (violation <= feasibility * (1e-3 + size)) continue;
    const double relative = violation / norm_[i];
    // equations first: they are never dropped
    const double rank = is_equation(static_cast<int>(i)) ? relative + 1e100 : relative;
    if (rank <= largest) continue;
    largest = rank;
    worst = {static_cast<int>(i), below >= above ? 1 : -1, 0};
  }
  return largest > 0;
}

// n⁺ = N r with no positive r to drop: then side + Σ (-r) (active) is a contradiction.
void QuadraticProgram::report_conflict(const QpSide& side) {
  conflict_.push_back({side.constraint, side.side, 1});
  for (Eigen::Index k = 0; k < count_; ++k) {
    QpSide part = active_[static_cast<std::size_t>(k)];
    part.weight = -ratio_[k];
    if (part.weight < 0) {
      if (!is_equation(part.constraint)) continue;  // rounding; of an equation the other side counts
      part.side = -part.side;
      part.weight = -part.weight;
    }
    if (part.weight > 0) conflict_.push_back(part);
  }
}

// Moves to the minimum on the active limits and one more, dropping those that stand in the way.
QpStatus QuadraticProgram::satisfy(QpSide side) {
  const Eigen::Index n = num_variables();
  u_[count_] = 0;
  for (;;) {
    if (++iterations_ > 50 * (static_cast<int>(n) + static_cast<int>(num_constraints())))
      return QpStatus::iteration_limit;
    prepare_normal(side);
    const double slack = side.side * columns_.col(side.constraint).dot(x_) - limit(side);
    z_.noalias() = j_.rightCols(n - count_) * d_.tail(n - count_);
    for (Eigen::Index k = count_ - 1; k >= 0; --k) {
      double sum = d_[k];
      for (Eigen::Index i = k + 1; i < count_; ++i) sum -= r_(k, i) * ratio_[i];
      ratio_[k] = sum / r_(k, k);
    }
    // longest dual step, after which a multiplier would turn negative
    double dual = std::numeric_limits<double>::infinity();
    Eigen::Index leaving = -1;
    for (Eigen::Index k = 0; k < count_; ++k) {
      if (is_equation(active_[static_cast<std::size_t>(k)].constraint) || !(ratio_[k] > 1e-14)) continue;
      if (const double t = u_[k] / ratio_[k]; t < dual) {
        dual = t;
        leaving = k;
      }
    }
    const bool moves = d_.tail(n - count_).norm() > dependence * norm_[side.constraint];
    const double primal = moves ? -slack / d_.tail(n - count_).squaredNorm() : std::numeric_limits<double>::infinity();
    const double t = std::min(dual, primal);
    if (!std::isfinite(t)) {
      report_conflict(side);
      return QpStatus::infeasible;
    }
    if (moves) x_ += t * z_;
    u_.head(count_) -= t * ratio_.head(count_);
    u_[count_] += t;
    if (moves && primal <= dual) {
      append(side);
      return QpStatus::solved;
    }
    drop(leaving);
  }
}

void QuadraticProgram::collect() {
  multipliers_.setZero();
  for (Eigen::Index k = 0; k < count_; ++k) {
    QpSide& side = active_[static_cast<std::size_t>(k)];
    side.weight = u_[k];
    multipliers_[side.constraint] += side.side * u_[k];
  }
}

QpStatus QuadraticProgram::solve(const VectorX& gradient, const VectorX& lower, const VectorX& upper) {
  lower_ = &lower;
  upper_ = &upper;
  conflict_.clear();
  iterations_ = 0;
  if (!gradient.allFinite() || lower.hasNaN() || upper.hasNaN()) return QpStatus::not_finite;
  if (crossed_limits()) return QpStatus::infeasible;
  free_ = -gradient;
  cholesky_.solveInPlace(free_);
  begin_from_active();
  QpSide worst;
  while (most_violated(worst)) {
    const QpStatus status = satisfy(worst);
    if (status != QpStatus::solved) {
      if (status == QpStatus::infeasible) active_.clear();
      return status;
    }
  }
  solve_active();  // without the rounding of many steps
  collect();
  return QpStatus::solved;
}

}  // namespace lithe
