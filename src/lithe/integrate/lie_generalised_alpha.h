// Generalised-alpha on the Lie group of frames (Bruls, Cardona, Arnold 2012): accelerations and multipliers are solved
// for together, so that the constraints hold at the end of every step. docs/theory/integrators.md, section 5.
#pragma once

#include "lithe/formulate/contract/constrained_equations.h"
#include "lithe/integrate/alpha_method.h"

namespace lithe {

class LieGeneralisedAlpha : public AlphaMethod {
 public:
  LieGeneralisedAlpha(System system, const ConstrainedEquations& equations, IntegratorOptions options);
  void interpolate(double time, State& result) const override;
  const VectorX& multipliers() const { return multipliers_; }

 protected:
  StepReport prepare() override;
  Attempt attempt(double h) override;
  void refreshed() override;
  void accepted(double h) override;

 private:
  void move_candidate(double h);
  EvaluationStatus residual();
  Newton iterate(double h, bool new_bodies, EvaluationStatus& cause);
  void filter(VectorX& values) override;

  const ConstrainedEquations& constrained_;
  double factored_step_ = 0;  // that the bodies' factors belong to; 0: none

  State start_;                                       // of the step, recentred: its speeds are body velocities
  VectorX body_accelerations_, multipliers_;          // at the start of the step
  VectorX solution_, next_multipliers_;               // at its end
  VectorX step_, velocities_, dynamic_, constraint_;  // of the iteration
  VectorX no_rows_;

  State dense_start_;  // of the last step, for dense output
  VectorX start_accelerations_;
};

}  // namespace lithe
