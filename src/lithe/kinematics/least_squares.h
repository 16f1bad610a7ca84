// Damped least squares (Levenberg-Marquardt) for problems of kinematics. Private to this folder.
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "lithe/kinematics/closure.h"

namespace lithe {

// A problem has num_rows(), num_unknowns(), residual(VectorX&), jacobian(MatrixX&) at the current point and
// move(const VectorX&), which adds a step to the unknowns. All are scaled to be comparable with radians.
template <class Problem>
class LeastSquares {
 public:
  LeastSquares(Problem& problem, const ClosureOptions& options)
      : problem_(problem),
        options_(options),
        residual_(problem.num_rows()),
        trial_(problem.num_rows()),
        jacobian_(problem.num_rows(), problem.num_unknowns()) {}

  ClosureStatus solve(int& num_iterations) {
    problem_.residual(residual_);
    for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
      if (error() <= options_.tolerance) {
        polish();
        return ClosureStatus::closed;
      }
      ++num_iterations;
      linearise();
      if (problem_.num_unknowns() == 0 || gradient_.norm() <= 1e-9 * std::sqrt(largest_) * residual_.norm())
        return ClosureStatus::unreachable;
      if (!step()) return ClosureStatus::unreachable;
    }
    return ClosureStatus::stalled;
  }

  double error() const { return residual_.size() ? residual_.cwiseAbs().maxCoeff() : 0.0; }

 private:
  Problem& problem_;
  const ClosureOptions& options_;
  VectorX residual_, trial_, gradient_;
  MatrixX jacobian_, normal_;
  double damping_ = 1, largest_ = 0;

  void linearise() {
    problem_.jacobian(jacobian_);
    gradient_ = jacobian_.transpose() * residual_;
    normal_ = jacobian_.transpose() * jacobian_;
    largest_ = normal_.size() ? normal_.diagonal().maxCoeff() : 0.0;
  }

  // One accepted step; damping proportional to the squared residual keeps convergence quadratic even where the
  // Jacobian is rank deficient (redundant freedoms or overconstrained loops).
  bool step() {
    for (int attempt = 0; attempt < 30; ++attempt) {
      const double mu = std::max(1e-14 * largest_, damping_ * std::min(residual_.squaredNorm(), largest_));
      MatrixX damped = normal_;
      damped.diagonal().array() += mu;
      VectorX move = damped.ldlt().solve(-gradient_);
      const double longest = move.cwiseAbs().maxCoeff();
      if (!(longest > 1e-15)) return false;
      if (longest > options_.max_step) move *= options_.max_step / longest;
      if (try_move(move)) {
        damping_ = std::max(damping_ / 4, 1e-6);
        return true;
      }
      damping_ *= 4;
    }
    return false;
  }

  bool try_move(const VectorX& move) {
    problem_.move(move);
    problem_.residual(trial_);
    if (trial_.squaredNorm() < residual_.squaredNorm()) {
      residual_.swap(trial_);
      return true;
    }
    problem_.move(-move);
    return false;
  }

  // Quadratic convergence makes one more step nearly free and takes the residual to rounding.
  void polish() {
    if (problem_.num_unknowns() == 0) return;
    linearise();
    normal_.diagonal().array() += 1e-12 * largest_;
    try_move(normal_.ldlt().solve(-gradient_));
  }
};

}  // namespace lithe
