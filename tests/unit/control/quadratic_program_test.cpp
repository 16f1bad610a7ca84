#include "lithe/control/design/quadratic_program.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <optional>

#include "lithe/base/diagnostics.h"
#include "lithe/control/linear/riccati.h"
#include "lithe/control/predictive.h"
#include "support/random_matrices.h"

namespace lithe {
namespace {

using testing::RandomMatrices;
constexpr double infinite = std::numeric_limits<double>::infinity();

struct Problem {
  MatrixX h, a;
  VectorX g, lower, upper;
};

Problem random_problem(RandomMatrices& random) {
  const int n = random.whole(1, 4), m = random.whole(0, 6);
  Problem p{random.positive(n), random.matrix(m, n), 3 * random.vector(n), VectorX(m), VectorX(m)};
  for (int i = 0; i < m; ++i) {
    const double middle = random.number(-1.5, 1.5), width = random.number(0, 1);
    p.lower[i] = random.whole(0, 3) == 0 ? -infinite : middle - width;
    p.upper[i] = random.whole(0, 3) == 0 ? infinite : middle + width;
    if (random.whole(0, 9) == 0) p.lower[i] = p.upper[i] = middle;
    if (random.whole(0, 2) == 0) {  // on one or two variables alone
      const VectorX full = p.a.row(i);
      p.a.row(i).setZero();
      for (int k = 0; k < 2; ++k) {
        const int at = random.whole(0, n - 1);
        p.a(i, at) = full[at];
      }
    }
    if (i > 0 && random.whole(0, 9) == 0) p.a.row(i) = (random.whole(0, 1) == 0 ? 1.0 : -2.0) * p.a.row(0);  // parallel
  }
  return p;
}

// Every choice of limits at which the solution may lie: each constraint at none, at its lower, at its upper one. The
// one whose minimum satisfies all limits with multipliers of the right sign is the solution; none: infeasible.
std::optional<VectorX> brute_force(const Problem& p) {
  const Eigen::Index n = p.h.rows(), m = p.a.rows();
  long choices = 1;
  for (Eigen::Index i = 0; i < m; ++i) choices *= 3;
  for (long choice = 0; choice < choices; ++choice) {
    std::vector<std::pair<Eigen::Index, int>> active;
    bool possible = true;
    long rest = choice;
    for (Eigen::Index i = 0; i < m; ++i, rest /= 3) {
      const int side = static_cast<int>(rest % 3);
      if (side == 0) continue;
      possible = possible && std::isfinite(side == 1 ? p.lower[i] : p.upper[i]);
      active.emplace_back(i, side == 1 ? 1 : -1);
    }
    const auto q = static_cast<Eigen::Index>(active.size());
    if (!possible || q > n) continue;
    MatrixX kkt = MatrixX::Zero(n + q, n + q);
    VectorX right(n + q);
    kkt.topLeftCorner(n, n) = p.h;
    right.head(n) = -p.g;
    for (Eigen::Index k = 0; k < q; ++k) {
      const auto [i, side] = active[static_cast<std::size_t>(k)];
      kkt.row(n + k).head(n) = p.a.row(i);
      kkt.col(n + k).head(n) = -p.a.row(i).transpose();
      right[n + k] = side > 0 ? p.lower[i] : p.upper[i];
    }
    const Eigen::FullPivLU<MatrixX> lu(kkt);
    if (!lu.isInvertible()) continue;
    const VectorX solution = lu.solve(right);
    bool good = true;
    for (Eigen::Index k = 0; k < q; ++k) {
      const auto [i, side] = active[static_cast<std::size_t>(k)];
      if (p.lower[i] != p.upper[i]) good = good && side * solution[n + k] > -1e-9;
    }
    const VectorX values = p.a * solution.head(n);
    for (Eigen::Index i = 0; i < m; ++i) good = good && values[i] > p.lower[i] - 1e-8 && values[i] < p.upper[i] + 1e-8;
    if (good) return solution.head(n);
  }
  return std::nullopt;
}

// Weights of limits that add up to nothing on the left and to something positive on the right.
void expect_contradiction(const Problem& p, const std::vector<QpSide>& conflict) {
  VectorX sum = VectorX::Zero(p.h.rows());
  double limits = 0, size = 0;
  for (const QpSide& side : conflict) {
    EXPECT_GT(side.weight, 0);
    const double limit = side.side > 0 ? p.lower[side.constraint] : -p.upper[side.constraint];
    ASSERT_TRUE(std::isfinite(limit));
    sum += side.weight * side.side * p.a.row(side.constraint).transpose();
    limits += side.weight * limit;
    size += side.weight * p.a.row(side.constraint).norm();
  }
  EXPECT_LT(sum.norm(), 1e-7 * size);
  EXPECT_GT(limits, 0);
}

TEST(QuadraticProgram, AgreesWithEveryChoiceOfActiveLimitsOnAThousandProblems) {
  RandomMatrices random(11);
  int infeasible = 0, constrained = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Problem p = random_problem(random);
    const std::optional<VectorX> wanted = brute_force(p);
    QuadraticProgram program(p.h, p.a);
    const QpStatus status = program.solve(p.g, p.lower, p.upper);
    if (!wanted) {
      ++infeasible;
      ASSERT_EQ(status, QpStatus::infeasible) << trial;
      expect_contradiction(p, program.conflict());
      continue;
    }
    ASSERT_EQ(status, QpStatus::solved) << trial;
    EXPECT_LT((program.solution() - *wanted).norm(), 1e-6 * (1 + wanted->norm())) << trial;
    if (!program.active().empty()) ++constrained;
    const VectorX gradient = p.h * program.solution() + p.g - p.a.transpose() * program.multipliers();
    EXPECT_LT(gradient.norm(), 1e-8 * (1 + p.g.norm() + program.multipliers().norm())) << trial;
  }
  EXPECT_GT(infeasible, 50);
  EXPECT_GT(constrained, 300);
}

TEST(QuadraticProgram, StartedFromAnyActiveSetFindsTheSameSolution) {
  RandomMatrices random(12);
  const int n = 12, m = 40;
  const MatrixX h = random.positive(n), a = random.matrix(m, n);
  QuadraticProgram warm(h, a);
  int saved = 0;
  VectorX g = random.vector(n);
  for (int trial = 0; trial < 60; ++trial) {
    g += 0.2 * random.vector(n);
    const VectorX lower = VectorX::Constant(m, -0.2), upper = VectorX::Constant(m, 0.15);
    ASSERT_EQ(warm.solve(g, lower, upper), QpStatus::solved);
    QuadraticProgram cold(h, a);
    ASSERT_EQ(cold.solve(g, lower, upper), QpStatus::solved);
    EXPECT_LT((warm.solution() - cold.solution()).norm(), 1e-9);
    saved += cold.iterations() - warm.iterations();
  }
  EXPECT_GT(saved, 0);
  // absurd suggestions: both sides of one constraint, infinite limits, indices beyond
  warm.suggest({{0, 1, 0}, {0, -1, 0}, {1, 1, 0}, {900, 1, 0}});
  VectorX lower = VectorX::Constant(m, -0.2), upper = VectorX::Constant(m, 0.15);
  lower[1] = -infinite;
  ASSERT_EQ(warm.solve(g, lower, upper), QpStatus::solved);
  QuadraticProgram cold(h, a);
  ASSERT_EQ(cold.solve(g, lower, upper), QpStatus::solved);
  EXPECT_LT((warm.solution() - cold.solution()).norm(), 1e-9);
}

TEST(QuadraticProgram, RefusesNumbersThatAreNone) {
  QuadraticProgram program(MatrixX::Identity(2, 2), MatrixX::Identity(1, 2));
  VectorX g = VectorX::Zero(2), lower = VectorX::Constant(1, -1.0), upper = VectorX::Constant(1, 1.0);
  g[0] = std::nan("");
  EXPECT_EQ(program.solve(g, lower, upper), QpStatus::not_finite);
  g[0] = 5;
  EXPECT_EQ(program.solve(g, upper, lower), QpStatus::infeasible);
  EXPECT_TRUE(program.solution().allFinite());
  EXPECT_EQ(program.solve(g, lower, upper), QpStatus::solved);  // and goes on
  EXPECT_NEAR(program.solution()[0], -1, 1e-15);
  EXPECT_THROW(QuadraticProgram(-MatrixX::Identity(2, 2), MatrixX::Zero(0, 2)), InputError);
}

StateSpace double_integrator() {
  StateSpace s;
  s.a = MatrixX::Identity(2, 2);
  s.a(0, 1) = 0.1;
  s.b.resize(2, 1);
  s.b << 0.005, 0.1;
  s.c = MatrixX::Identity(2, 2);
  s.d = MatrixX::Zero(2, 1);
  s.sample_time = 0.1;
  return s;
}

PredictiveOptions simple_options() {
  PredictiveOptions options;
  options.horizon = 20;
  options.state_weight = MatrixX::Identity(2, 2);
  options.input_weight = MatrixX::Constant(1, 1, 0.1);
  return options;
}

TEST(PredictiveController, WithoutLimitsIsTheLinearRegulator) {
  const StateSpace s = double_integrator();
  PredictiveController mpc(s, simple_options());
  VectorX x(2), u(1);
  x << 1, -0.3;
  ASSERT_EQ(mpc.solve(x, VectorX::Zero(1), u).status, QpStatus::solved);
  EXPECT_NEAR(u[0], -(mpc.unconstrained_gain() * x)(0), 1e-9);
}

TEST(PredictiveController, KeepsInputRateAndOutputLimits) {
  const StateSpace s = double_integrator();
  PredictiveOptions options = simple_options();
  options.lower_input = VectorX::Constant(1, -1.0);
  options.upper_input = VectorX::Constant(1, 1.0);
  options.lower_rate = VectorX::Constant(1, -0.4);
  options.upper_rate = VectorX::Constant(1, 0.4);
  options.upper_output = VectorX::Constant(2, infinite);
  options.lower_output = VectorX(2);
  options.lower_output << -infinite, -0.5;  // speed
  PredictiveController mpc(s, options);
  VectorX x(2), u(1), last = VectorX::Zero(1);
  x << 2, 0;
  double slowest = 0, hardest = 0;
  for (int k = 0; k < 150; ++k) {
    ASSERT_EQ(mpc.solve(x, last, u).status, QpStatus::solved) << k;
    EXPECT_LE(std::abs(u[0]), 1 + 1e-9);
    EXPECT_LE(std::abs(u[0] - last[0]), 0.4 + 1e-9);
    x = (s.a * x + s.b * u).eval();
    EXPECT_GE(x[1], -0.5 - 1e-8);
    slowest = std::min(slowest, x[1]);
    hardest = std::max(hardest, std::abs(u[0]));
    last = u;
  }
  EXPECT_LT(slowest, -0.499);  // the limits were felt
  EXPECT_NEAR(hardest, 1, 1e-9);
  EXPECT_LT(x.norm(), 1e-3);
}

TEST(PredictiveController, ImpossibleLimitsAreReportedAndNeverNaN) {
  const StateSpace s = double_integrator();
  PredictiveOptions options = simple_options();
  options.lower_input = VectorX::Constant(1, -0.1);
  options.upper_input = VectorX::Constant(1, 0.1);
  options.lower_output = VectorX::Constant(2, -infinite);
  options.upper_output = VectorX(2);
  options.upper_output << 0.5, infinite;
  VectorX x(2), u(1);
  x << 0.4, 5;  // too fast to stop before the limit
  PredictiveController hard(s, options);
  EXPECT_EQ(hard.solve(x, VectorX::Zero(1), u).status, QpStatus::infeasible);
  EXPECT_TRUE(u.allFinite());
  EXPECT_LE(std::abs(u[0]), 0.1);
  options.softness = 1e4;
  PredictiveController soft(s, options);
  ASSERT_EQ(soft.solve(x, VectorX::Zero(1), u).status, QpStatus::solved);
  EXPECT_NEAR(u[0], -0.1, 1e-9);  // brakes with all it has
}

TEST(PredictiveController, AnOffsetOfTheInputIsCompensated) {
  const StateSpace s = double_integrator();
  PredictiveOptions options = simple_options();
  options.lower_input = VectorX::Constant(1, -1.0);
  options.upper_input = VectorX::Constant(1, 1.0);
  PredictiveController mpc(s, options);
  mpc.input_offset() = VectorX::Constant(1, 0.7);
  mpc.input_targets().setConstant(-0.7);
  VectorX u(1);
  ASSERT_EQ(mpc.solve(VectorX::Zero(2), VectorX::Constant(1, -0.7), u).status, QpStatus::solved);
  EXPECT_NEAR(u[0], -0.7, 1e-10);
  VectorX far(2);
  far << 100, 0;
  ASSERT_EQ(mpc.solve(far, u, u).status, QpStatus::solved);
  EXPECT_NEAR(u[0], -1, 1e-10);  // limits are those of the actuator, not of what the plant feels
}

}  // namespace
}  // namespace lithe
