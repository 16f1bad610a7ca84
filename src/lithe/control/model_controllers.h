// Controllers that carry a linear model of the mechanism: LQG, predictive, dynamic and static output feedback.
#pragma once

#include <memory>
#include <vector>

#include "lithe/control/controller.h"
#include "lithe/control/design/mixed_norm.h"
#include "lithe/control/design/regulator.h"
#include "lithe/control/predictive.h"
#include "lithe/control/reference.h"

namespace lithe {

// The equilibrium about which the model holds.
struct OperatingPoint {
  VectorX measurements, inputs;
  VectorX limits;            // of |u|, absolute; empty: none
  std::vector<int> tracked;  // measurement that belongs to each reference
};

// Observer with x̂ = x̂⁻ + L (y - C x̂⁻ - D u), x̂⁻ = A x̂ + B u.
class Observer {
 public:
  explicit Observer(const RegulatorDesign& design);
  void reset();  // at the operating point
  // At rest in a state of the plant that a constant input holds.
  void reset(const VectorX& state, const VectorX& input);
  void correct(const VectorX& measured);
  void predict(const VectorX& input);
  const VectorX& estimate() const { return estimate_; }
  auto state() const { return estimate_.head(num_states_); }
  auto disturbance() const { return estimate_.tail(estimate_.size() - num_states_); }
  VectorX memory() const;
  void restore(const VectorX& memory);

 private:
  MatrixX a_, b_, c_, d_, gain_;
  Eigen::Index num_states_, num_plant_states_;
  int delay_steps_;
  VectorX prediction_, estimate_, acting_, innovation_;
};

// What the controllers with a model share: deviations from the operating point, targets of the references, limits.
class ModelController : public Controller {
 public:
  ModelController(RegulatorDesign design, OperatingPoint point);

 protected:
  void read(std::span<const double> measurements);
  // State and input that follow a reference (absolute values).
  void targets(std::span<const SignalValue> references, VectorX& state, VectorX& input);
  // Adds the equilibrium, applies the limits; input_ becomes what is really applied.
  void write(std::span<double> outputs);
  // State and input that hold the tracked measurements where they are, to first order.
  void rest_at(std::span<const double> measurements, VectorX& state, VectorX& input);
  void take(std::span<const double> outputs);  // into input_

  RegulatorDesign design_;
  OperatingPoint point_;
  VectorX measured_, input_, target_state_, target_input_, value_, rate_, acceleration_;

 private:
  void map_targets(VectorX& state, VectorX& input) const;
};

class LqgController : public ModelController {
 public:
  LqgController(RegulatorDesign design, OperatingPoint point);
  void start(double time, std::span<const double> measurements, std::span<const SignalValue> references) override;
  void update(double time, std::span<const double> measurements, std::span<const SignalValue> references,
              std::span<double> outputs) override;
  void applied(std::span<const double> outputs) override;
  VectorX memory() const override { return observer_.memory(); }
  void restore(const VectorX& memory) override { observer_.restore(memory); }

 private:
  Observer observer_;
  VectorX error_;
  MatrixX disturbance_gain_;
};

class MpcController : public ModelController {
 public:
  // `options` without weights, which are those of the design; limits are deviations from the operating point. The
  // references are looked ahead over the horizon.
  MpcController(RegulatorDesign design, OperatingPoint point, PredictiveOptions options,
                std::vector<ReferenceFunction> preview);
  void start(double time, std::span<const double> measurements, std::span<const SignalValue> references) override;
  void update(double time, std::span<const double> measurements, std::span<const SignalValue> references,
              std::span<double> outputs) override;
  void follow(double time, std::span<const double> measurements, std::span<const SignalValue> references,
              std::span<double> scratch) override;  // the observer alone: nothing is planned
  void applied(std::span<const double> outputs) override;
  VectorX memory() const override;
  void restore(const VectorX& memory) override;
  std::string note() const override;

 private:
  void look_ahead(double time);
  Observer observer_;
  PredictiveController program_;
  std::vector<ReferenceFunction> preview_;
  std::vector<SignalValue> ahead_;
  VectorX state_, last_input_;
  long samples_ = 0, infeasible_ = 0;
};

// Dynamic output feedback in observer form about the motion of the references: ξ⁺ = A ξ + B_y (y - y_s) + B_u (u -
// u_s). u is what really acts, so that limits do not wind it up; where the motion of the references is none of the
// model, the difference, which is known, is added to ξ.
class MixedNormController : public ModelController {
 public:
  MixedNormController(MixedNormDesign design, MatrixX plant_c, OperatingPoint point);
  void start(double time, std::span<const double> measurements, std::span<const SignalValue> references) override;
  void update(double time, std::span<const double> measurements, std::span<const SignalValue> references,
              std::span<double> outputs) override;
  void applied(std::span<const double> outputs) override;
  VectorX memory() const override;
  void restore(const VectorX& memory) override;

 private:
  void go_on();  // with the input that acts
  StateSpace system_;
  MatrixX c_, entry_, from_measurements_, from_inputs_, state_gain_, measurement_gain_;
  MatrixX past_;  // inputs, the one that acts until this sample first
  VectorX state_, kept_, error_;
  VectorX predicted_;  // where the model takes the last target
};

// u = u_s + K (y_s - y)
class OutputFeedbackController : public ModelController {
 public:
  OutputFeedbackController(RegulatorDesign design, MatrixX plant_c, MatrixX gain, OperatingPoint point);
  void update(double time, std::span<const double> measurements, std::span<const SignalValue> references,
              std::span<double> outputs) override;

 private:
  MatrixX c_, gain_;
  VectorX target_output_;
};

}  // namespace lithe
