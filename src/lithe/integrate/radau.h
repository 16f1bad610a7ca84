// Radau IIA of three stages: implicit Runge-Kutta of order 5 that takes vibrations out which its steps do not resolve.
// docs/theory/integrators.md, section 7.
#pragma once

#include <array>
#include <complex>
#include <memory>

#include "lithe/integrate/implicit_tangent.h"
#include "lithe/integrate/integrator.h"
#include "lithe/integrate/watches_outputs.h"

namespace lithe {

class Radau : public Integrator, public WatchesOutputs {
 public:
  Radau(System system, IntegratorOptions options, std::unique_ptr<ImplicitTangent> tangent);
  std::string name() const override { return "radau"; }
  void interpolate(double time, State& result) const override;
  bool interpolate_accelerations(double time, VectorX& result) const override;
  void watch(double duration, std::shared_ptr<const WatchedOutputs> outputs) override;
  Workspace* known_workspace() override { return workspace_.get(); }
  // Residuals are cheaper than evaluations; each iteration solves a real and a complex system, each step factors them.
  double work(const IntegratorCounters& counted) const override {
    return 0.7 * static_cast<double>(counted.evaluations) + 2 * static_cast<double>(counted.newton_iterations) +
           6 * static_cast<double>(counted.linearisations) + (outputs_.watches() ? 3.0 : 0.0) * tried(counted);
  }

 protected:
  StepReport prepare() override;
  Attempt attempt(double h) override;
  int error_order() const override { return 5; }
  void refreshed() override;
  void accepted(double h) override;
  double choose_step(double h, double factor) override;

 private:
  static constexpr int num_stages = 3;
  enum class Newton { converged, slow, evaluation_failed };

  static double tried(const IntegratorCounters& counted) {
    return static_cast<double>(counted.steps + counted.rejected);
  }
  void predict(double h);
  void place_stage(int stage, double h);
  EvaluationStatus find_residuals(double h);
  void correct(double h);
  double size_of_correction(double h);
  Newton iterate(double h, EvaluationStatus& cause);
  double estimate_error(double h);
  void bound_by_amplitudes(double h, double constant);
  double error_of_step(Eigen::Index i, double h) const;
  double output_error(double h);

  std::unique_ptr<ImplicitTangent> tangent_;
  bool has_tangent_ = false, tangent_is_new_ = false;
  double factored_step_ = 0;
  int iterations_ = 0;  // of Newton's method, in the last step
  int equal_steps_ = 0;
  double accepted_error_ = 0, largest_error_ = 0;  // of the last step, and of the equal ones

  std::array<VectorX, num_stages> stages_, residuals_;  // accelerations at the stages, M a - f there
  std::array<VectorX, num_stages> last_stages_;         // of the step before
  VectorX real_part_;
  ComplexVector complex_part_;
  std::array<VectorX, num_stages> corrections_;
  VectorX correction_x_, correction_v_, error_x_, error_v_;
  VectorX x_squares_, v_squares_, next_x_squares_, next_v_squares_;  // means over the last steps, see amplitudes
  VectorX amplitudes_;                                               // of vibrations that this step takes out, or 0
  VectorX taken_out_, next_taken_out_;                               // largest that were, in metres of what is seen
  State stage_;
  double last_step_ = 0;                                      // 0: nothing is known from before
  VectorX end_coordinates_, end_speeds_, end_accelerations_;  // of the last step, for dense output
  VectorX begin_accelerations_;
  bool begin_is_known_ = false;  // by the last stage of the step before

  double harmless_;  // amplitude of a vibration that may be taken out, of the error allowed per second
  OutputError outputs_{nullptr};
  double resolving_step_ = 0;  // resolves all vibrations: outputs ask for none that is shorter
  Accelerations stage_accelerations_;
};

}  // namespace lithe
