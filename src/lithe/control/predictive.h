// Model predictive control of a sampled linear system x⁺ = A x + B u, z = C x, in condensed form: the inputs over the
// horizon are the unknowns of a quadratic program. docs/theory/control.md.
#pragma once

#include <memory>
#include <vector>

#include "lithe/control/design/quadratic_program.h"
#include "lithe/control/linear/state_space.h"

namespace lithe {

struct PredictiveOptions {
  int horizon = 30;                    // samples
  MatrixX state_weight, input_weight;  // Q and R of Σ (x - x_s)ᵀQ(x - x_s) + (u - u_s)ᵀR(u - u_s)
  VectorX rate_weight;                 // of (u⁺ - u)², one per input; empty: none
  VectorX lower_input, upper_input;    // empty: none; entries may be infinite
  VectorX lower_rate, upper_rate;      // of the change per sample
  VectorX lower_output, upper_output;  // of C x at samples 1 to horizon
  double softness = 0;                 // > 0: output limits may be left at this cost per square of the excess
};

struct PredictiveReport {
  QpStatus status = QpStatus::solved;
  int iterations = 0;
  int active = 0;  // limits at which the plan lies
};

class PredictiveController {
 public:
  // The terminal weight is that of the discrete Riccati equation. Throws InputError when there is none, or for sizes
  // that do not fit.
  PredictiveController(const StateSpace& system, const PredictiveOptions& options);

  // Where state and input shall be at each sample of the horizon; columns. Set before solve() when they change.
  MatrixX& state_targets() { return state_targets_; }  // samples 1 to horizon
  MatrixX& input_targets() { return input_targets_; }  // samples 0 to horizon - 1
  // A constant disturbance at the inputs: the plant feels v = u + offset, the model above is that of v. Inputs, limits
  // and input targets are those of u; waiting inputs among the states are those of v.
  VectorX& input_offset() { return offset_; }
  // The input to apply now, from the state and the input before it. Never allocates. Where the limits contradict each
  // other the outputs' limits are given up for this sample: the input is then the shifted last plan within input
  // limits.
  PredictiveReport solve(const VectorX& state, const VectorX& last_input, VectorX& input);
  // Inputs planned over the horizon, one column per sample.
  const MatrixX& plan() const { return plan_; }
  void forget();
  // Where the next solve starts: the plan and active set of an interrupted run.
  void resume(const MatrixX& plan, const std::vector<QpSide>& active);

  const MatrixX& unconstrained_gain() const { return gain_; }  // of the Riccati equation
  const QuadraticProgram& program() const { return *program_; }

 private:
  void predict(const StateSpace& system);
  void build_cost(const PredictiveOptions& options, const MatrixX& terminal);
  void build_limits(const StateSpace& system, const PredictiveOptions& options);
  void keep_last_plan(const VectorX& last_input);

  enum class RowKind { input, rate, output, slack };
  struct Row {
    RowKind kind = RowKind::input;
    int step = 0;
    int index = 0;
    bool upper = false;  // of a soft output, which has one row per side
    double low = 0, high = 0;
  };

  Eigen::Index num_states_ = 0, num_inputs_ = 0;
  int horizon_ = 0;
  MatrixX state_from_state_, state_from_input_;  // stacked x_1 .. x_N = Φ x_0 + Γ U
  MatrixX output_from_state_;                    // rows of output limits
  MatrixX weighted_input_;                       // Γᵀ Q̄
  MatrixX gradient_from_state_;                  // Γᵀ Q̄ Φ
  MatrixX input_weight_, hessian_;
  VectorX rate_weight_;
  MatrixX gain_;
  std::vector<Row> rows_;
  std::unique_ptr<QuadraticProgram> program_;
  VectorX gradient_, lower_, upper_, output_shift_, lower_input_, upper_input_;
  VectorX offset_;
  MatrixX state_targets_, input_targets_, plan_;  // plan: of u
  Eigen::Index num_slacks_ = 0;
};

}  // namespace lithe
