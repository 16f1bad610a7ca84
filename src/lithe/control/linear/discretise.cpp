#include "lithe/control/linear/discretise.h"

#include <Eigen/LU>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/linear/matrix_equations.h"

namespace lithe {
namespace {

void check(const StateSpace& system, double sample_time) {
  if (!system.is_continuous()) throw InputError("discretisation: the system is sampled already");
  if (!(sample_time > 0)) throw InputError(cat("discretisation: the sample time must be positive, got ", sample_time));
}

}  // namespace

// exp([A B; 0 0] T) = [Ad Bd; 0 I] (Van Loan 1978).
StateSpace zero_order_hold(const StateSpace& system, double sample_time) {
  check(system, sample_time);
  const Eigen::Index n = system.num_states(), m = system.num_inputs();
  MatrixX block = MatrixX::Zero(n + m, n + m);
  block.topLeftCorner(n, n) = system.a * sample_time;
  block.topRightCorner(n, m) = system.b * sample_time;
  const MatrixX moved = matrix_exponential(block);
  StateSpace result = system;
  result.a = moved.topLeftCorner(n, n);
  result.b = moved.topRightCorner(n, m);
  result.sample_time = sample_time;
  return result;
}

// With P = (I - A T/2)⁻¹: Ad = P (I + A T/2), Bd = T P B, Cd = C P, Dd = D + C P B T/2.
StateSpace tustin(const StateSpace& system, double sample_time) {
  check(system, sample_time);
  const Eigen::Index n = system.num_states();
  const MatrixX identity = MatrixX::Identity(n, n);
  const MatrixX half = 0.5 * sample_time * system.a;
  const Eigen::PartialPivLU<MatrixX> factors(identity - half);
  StateSpace result = system;
  result.a = factors.solve(identity + half);
  const MatrixX pb = factors.solve(system.b);
  result.b = sample_time * pb;
  result.c = (identity - half).transpose().partialPivLu().solve(system.c.transpose()).transpose();
  result.d = system.d + 0.5 * sample_time * system.c * pb;
  result.sample_time = sample_time;
  return result;
}

StateSpace with_input_delay(const StateSpace& system, int steps) {
  if (system.is_continuous()) throw InputError("an input delay in whole samples needs a sampled system");
  if (steps < 0) throw InputError(cat("an input delay cannot be negative, got ", steps, " samples"));
  if (steps == 0) return system;
  const Eigen::Index n = system.num_states(), m = system.num_inputs(), waiting = m * steps;
  StateSpace result = system;
  result.a = MatrixX::Zero(n + waiting, n + waiting);
  result.a.topLeftCorner(n, n) = system.a;
  result.a.block(0, n, n, m) = system.b;
  for (int k = 0; k + 1 < steps; ++k) result.a.block(n + k * m, n + (k + 1) * m, m, m).setIdentity();
  result.b = MatrixX::Zero(n + waiting, m);
  result.b.bottomRows(m).setIdentity();
  result.c = MatrixX::Zero(system.num_outputs(), n + waiting);
  result.c.leftCols(n) = system.c;
  result.c.middleCols(n, m) = system.d;
  result.d.setZero();
  if (!result.states.empty())
    for (int k = 0; k < steps; ++k)
      for (Eigen::Index i = 0; i < m; ++i)
        result.states.push_back({cat("waiting input ", i + 1, " of step ", k + 1), ""});
  return result;
}

}  // namespace lithe
