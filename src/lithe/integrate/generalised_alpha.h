// Generalised-alpha of Chung and Hulbert with Newton's iteration on the exact tangent: implicit, of order 2, with a
// chosen damping of what the step does not resolve. docs/theory/integrators.md, section 3.
#pragma once

#include <Eigen/LU>

#include "lithe/formulate/contract/recursive_solves.h"
#include "lithe/integrate/integrator.h"

namespace lithe {

class GeneralisedAlpha : public Integrator {
 public:
  // `recursive` null: with dense matrices of all coordinates.
  GeneralisedAlpha(System system, IntegratorOptions options, const RecursiveSolves* recursive = nullptr);
  std::string name() const override { return "generalised_alpha"; }
  void interpolate(double time, State& result) const override;

 protected:
  StepReport prepare() override;
  Attempt attempt(double h) override;
  int error_order() const override { return 2; }
  void refreshed() override;
  void accepted(double h) override;
  // A slightly longer step is not worth a new factorisation.
  double choose_step(double h, double factor) override { return factor >= 1.0 && factor < 1.3 ? h : h * factor; }

 private:
  enum class Newton { converged, slow, evaluation_failed };

  void factorise(double h);
  void move_candidate(double h);
  Newton iterate(double h, EvaluationStatus& cause);
  EvaluationStatus correct(double h);
  void filter(VectorX& values);
  double estimate_error(double h);

  const RecursiveSolves* recursive_;
  double alpha_m_ = 0, alpha_f_ = 0, beta_ = 0, gamma_ = 0;
  LinearBlocks blocks_;
  MatrixX tangent_;
  Eigen::PartialPivLU<MatrixX> factors_;
  double factored_step_ = 0;
  bool tangent_is_new_ = false;

  // algorithmic_: the method's own acceleration, alpha_m - alpha_f of a step away from the true one
  VectorX algorithmic_, next_algorithmic_, solution_, residual_, correction_, jerk_, last_jerk_, error_x_, error_v_;
  Accelerations trial_;
  VectorX end_coordinates_, end_speeds_, end_accelerations_;  // of the last step, for dense output
  double last_step_ = 0;                                      // 0: no jerk known yet
};

}  // namespace lithe
