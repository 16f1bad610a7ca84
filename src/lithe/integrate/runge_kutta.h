// Explicit Runge-Kutta 5(4) of Dormand and Prince with its free dense output of order 4: the reference method, and the
// right one where no mode is fast.
#pragma once

#include <array>

#include "lithe/integrate/integrator.h"

namespace lithe {

class RungeKutta : public Integrator {
 public:
  RungeKutta(System system, IntegratorOptions options);
  std::string name() const override { return "dormand_prince"; }
  void interpolate(double time, State& result) const override;

 protected:
  StepReport prepare() override;
  Attempt attempt(double h) override;
  int error_order() const override { return 4; }
  void accepted(double h) override;

 private:
  static constexpr int num_stages = 7;

  State stage_;
  Accelerations stage_accelerations_;
  std::array<VectorX, num_stages> jacobians_x_, jacobians_v_;  // speeds and accelerations at the stages
  VectorX error_x_, error_v_;
  std::array<VectorX, 4> dense_x_, dense_v_;
};

}  // namespace lithe
