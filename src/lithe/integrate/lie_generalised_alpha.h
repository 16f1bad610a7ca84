// Generalised-alpha on the Lie group of frames (Bruls, Cardona, Arnold 2012): accelerations and multipliers are solved
// for together, so that the constraints hold at the end of every step. docs/theory/integrators.md, section 5.
#pragma once

#include "lithe/formulate/contract/constrained_equations.h"
#include "lithe/integrate/integrator.h"

namespace lithe {

class LieGeneralisedAlpha : public Integrator {
 public:
  LieGeneralisedAlpha(System system, const ConstrainedEquations& equations, IntegratorOptions options);
  std::string name() const override { return "generalised_alpha"; }
  void interpolate(double time, State& result) const override;
  const VectorX& multipliers() const { return multipliers_; }

 protected:
  StepReport prepare() override;
  Attempt attempt(double h) override;
  int error_order() const override { return 2; }
  void refreshed() override;
  void accepted(double h) override;
  // A step that could be a little longer is kept: its factors are.
  double choose_step(double h, double factor) override { return factor >= 1.0 && factor < 1.3 ? h : h * factor; }

 private:
  enum class Newton { converged, slow, evaluation_failed };

  void move_candidate(double h);
  EvaluationStatus residual();
  Newton iterate(double h, bool new_bodies, EvaluationStatus& cause);
  void filter(VectorX& values);
  double estimate_error(double h);

  const ConstrainedEquations& constrained_;
  double alpha_m_ = 0, alpha_f_ = 0, beta_ = 0, gamma_ = 0;
  double factored_step_ = 0;  // that the bodies' factors belong to; 0: none

  State start_;                                             // of the step, recentred: its speeds are body velocities
  VectorX body_accelerations_, algorithmic_, multipliers_;  // at the start of the step
  VectorX solution_, next_algorithmic_, next_multipliers_;  // at its end
  VectorX step_, velocities_, dynamic_, constraint_;        // of the iteration
  VectorX jerk_, last_jerk_, error_x_, error_v_, no_rows_;
  double last_step_ = 0;  // 0: no jerk known yet

  State dense_start_;  // of the last step, for dense output
  VectorX start_accelerations_, end_coordinates_, end_speeds_, end_accelerations_;
};

}  // namespace lithe
