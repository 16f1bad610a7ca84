// What generalised-alpha has on independent coordinates and on the Lie group alike: coefficients, error and dense
// output. docs/theory/integrators.md, sections 3 and 6.
#pragma once

#include "lithe/integrate/integrator.h"

namespace lithe {

class AlphaMethod : public Integrator {
 public:
  std::string name() const override { return "generalised_alpha"; }

 protected:
  AlphaMethod(System system, IntegratorOptions options);

  enum class Newton { converged, slow, evaluation_failed };

  int error_order() const override { return 2; }
  // A slightly longer step is not worth new factors.
  double choose_step(double h, double factor) override { return factor >= 1.0 && factor < 1.3 ? h : h * factor; }
  // Multiplies by S⁻¹ M on what constraints leave: nearly 1 for what the step resolves, 1/(ωh)² for what it does not.
  virtual void filter(VectorX& values) = 0;

  // The method's own acceleration at the end of a step whose accelerations are given at both ends.
  void find_algorithmic(const VectorX& begin, const VectorX& end);
  double estimate_error(const VectorX& begin, const VectorX& end, double h);
  // After acceptance. What accept() renames afterwards stays as it is in dense output.
  void keep_step(double h);
  // Cubic Hermite polynomials of (x, v) and (v, a) over the last step, in the chart of its beginning.
  void interpolate_from(const State& begin, const VectorX& begin_accelerations, double time, State& result) const;

  double alpha_m_ = 0, alpha_f_ = 0, beta_ = 0, gamma_ = 0;
  double last_step_ = 0;  // 0: no jerk known yet
  // The method's own acceleration, alpha_m - alpha_f of a step away from the true one.
  VectorX algorithmic_, next_algorithmic_;

 private:
  VectorX jerk_, last_jerk_, error_x_, error_v_;
  VectorX end_coordinates_, end_speeds_, end_accelerations_;
};

}  // namespace lithe
