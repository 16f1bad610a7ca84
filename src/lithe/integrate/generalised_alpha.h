// Generalised-alpha of Chung and Hulbert with Newton's iteration on the exact tangent: implicit, of order 2, with a
// chosen damping of what the step does not resolve. docs/theory/integrators.md, section 3.
#pragma once

#include <Eigen/LU>

#include "lithe/formulate/contract/recursive_solves.h"
#include "lithe/integrate/alpha_method.h"

namespace lithe {

class GeneralisedAlpha : public AlphaMethod {
 public:
  // `recursive` null: with dense matrices of all coordinates.
  GeneralisedAlpha(System system, IntegratorOptions options, const RecursiveSolves* recursive = nullptr);
  void interpolate(double time, State& result) const override;

 protected:
  StepReport prepare() override;
  Attempt attempt(double h) override;
  void refreshed() override;
  void accepted(double h) override;

 private:
  void factorise(double h);
  void move_candidate(double h);
  Newton iterate(double h, EvaluationStatus& cause);
  EvaluationStatus correct(double h);
  void filter(VectorX& values) override;

  const RecursiveSolves* recursive_;
  LinearBlocks blocks_;
  MatrixX tangent_;
  Eigen::PartialPivLU<MatrixX> factors_;
  double factored_step_ = 0;
  bool tangent_is_new_ = false;

  VectorX solution_, residual_, correction_;
  Accelerations trial_;
};

}  // namespace lithe
