// PID control of several joints, each by its own sensor, sampled.
#pragma once

#include <vector>

#include "lithe/control/controller.h"

namespace lithe {

// u = bias + f0 (r - r0) + f1 ṙ + f2 r̈ + kp e + ∫ ki e + kd ė (filtered), limited; the integral is led back by what the
// limit cuts off.
struct PidAxis {
  std::size_t measurement = 0;  // that the axis reads; its reference is the one of its own place
  double proportional = 0, integral = 0, derivative = 0;
  double filter_time = 0;                           // s, of the derivative
  double bias = 0, start_reference = 0;             // at the equilibrium where the move starts
  std::vector<double> stiffness, damping, inertia;  // feedforward from every reference: f0, f1, f2
  double limit = 0;                                 // of |u|; 0: none
};

class PidController : public Controller {
 public:
  PidController(std::vector<PidAxis> axes, double sample_time);
  void start(double time, std::span<const double> measurements, std::span<const SignalValue> references) override;
  void update(double time, std::span<const double> measurements, std::span<const SignalValue> references,
              std::span<double> outputs) override;
  VectorX memory() const override;
  void restore(const VectorX& memory) override;

 private:
  struct Memory {
    double integral = 0, derivative = 0, last_error = 0;
  };
  std::vector<PidAxis> axes_;
  std::vector<Memory> memory_;
  std::vector<double> start_references_;
  double sample_time_;
};

}  // namespace lithe
