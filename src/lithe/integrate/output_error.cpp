#include "lithe/integrate/output_error.h"

#include <algorithm>
#include <cmath>

#include "lithe/integrate/stage_polynomials.h"

namespace lithe {

OutputError::OutputError(std::shared_ptr<const WatchedOutputs> outputs) : outputs_(std::move(outputs)) {
  if (!outputs_) return;
  const std::size_t n = outputs_->groups.size();
  begin_.assign(n, 0);
  for (auto* group : {&stages_, &last_stages_})
    for (Readings& readings : *group) readings.assign(n, 0);
  for (Readings* r : {&third_squares_, &fourth_squares_, &next_third_squares_, &next_fourth_squares_}) r->assign(n, 0);
  restart();
}

void OutputError::restart() {
  if (!outputs_) return;
  scales_ = outputs_->noise;
  forget();
}

void OutputError::forget() {
  begin_is_known_ = has_last_ = false;
  for (Readings* r : {&fourth_squares_, &third_squares_}) std::fill(r->begin(), r->end(), 0.0);
}

void OutputError::grow_scales(const Readings& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& scale = scales_[static_cast<std::size_t>(outputs_->groups[i])];
    if (std::abs(values[i]) > scale) scale = std::abs(values[i]);  // not NaN: not provided
  }
}

void OutputError::read_begin(const State& state, const Inputs& inputs, const Accelerations& accelerations,
                             Workspace& workspace) {
  outputs_->read(state, inputs, accelerations, workspace, begin_);
  grow_scales(begin_);
  begin_is_known_ = true;
}

void OutputError::read_stage(int stage, const State& state, const Inputs& inputs, const Accelerations& accelerations,
                             Workspace& workspace) {
  outputs_->read(state, inputs, accelerations, workspace, stages_[static_cast<std::size_t>(stage)]);
}

double OutputError::estimate(const Eigen::Vector3d& nodes, double h, double last_step) {
  return has_last_ ? later_error(nodes, h, last_step) : first_error(nodes);
}

// How far the beginning is from the parabola through the stages: what the first step does not resolve is in the one and
// not in the others.
double OutputError::first_error(const Eigen::Vector3d& nodes) const {
  const auto weights = lagrange_weights<3>({nodes[0], nodes[1], nodes[2]}, 0);
  double largest = 0;
  for (std::size_t i = 0; i < begin_.size(); ++i) {
    const double there = weights[0] * stages_[0][i] + weights[1] * stages_[1][i] + weights[2] * stages_[2][i];
    const double allowed = outputs_->tolerance * scales_[static_cast<std::size_t>(outputs_->groups[i])];
    largest = std::max(largest, std::abs(begin_[i] - there) / allowed);
  }
  return largest;
}

// A vibration of amplitude a is damped by a φ⁶/7200 in each step, φ = ωh, which adds up, and by no more than a in the
// end. Its third and fourth differences at the stages are g a φ³ and 1.92 g a φ⁴, with what a step leaves of fast
// vibrations, g = 1/(1 + (φ/3.6)⁴): the constants are those of the stages of y'' = -ω² y, to 13 % up to φ = 6. Both
// differences are taken as means over the last steps, since each of them passes zero.
double OutputError::later_error(const Eigen::Vector3d& nodes, double h, double last_step) {
  constexpr double per_phase = 1.92, lost = 3.6, loss = 1.0 / 7200, memory = 0.8;
  const double before = last_step / h;
  const auto third = derivative_weights<4>({0, nodes[0], nodes[1], 1});
  const auto fourth = derivative_weights<5>({(nodes[1] - 1) * before, 0, nodes[0], nodes[1], 1});
  double largest = 0;
  for (std::size_t i = 0; i < begin_.size(); ++i) {
    const double values[] = {last_stages_[1][i], last_stages_[2][i], stages_[0][i], stages_[1][i], stages_[2][i]};
    double d3 = 0, d4 = 0;
    for (std::size_t k = 0; k < 4; ++k) d3 += third[k] * values[k + 1];
    for (std::size_t k = 0; k < 5; ++k) d4 += fourth[k] * values[k];
    next_third_squares_[i] = memory * third_squares_[i] + d3 * d3;
    next_fourth_squares_[i] = memory * fourth_squares_[i] + d4 * d4;
    if (!(next_third_squares_[i] > 0) || !(next_fourth_squares_[i] > 0)) continue;
    const double phase = std::sqrt(next_fourth_squares_[i] / next_third_squares_[i]) / per_phase;
    const double root_mean_square = std::sqrt((1 - memory) * next_third_squares_[i]);
    const double amplitude = std::max(std::sqrt(2.0) * root_mean_square, std::abs(d3)) / std::pow(phase, 3) *
                             (1 + std::pow(phase / lost, 4));
    const double error = amplitude * std::min(1.0, loss * std::pow(phase, 6) / h);
    largest = std::max(largest, error / (outputs_->tolerance * scales_[static_cast<std::size_t>(outputs_->groups[i])]));
  }
  return largest;
}

void OutputError::accept() {
  for (const Readings& readings : stages_) grow_scales(readings);
  std::swap(last_stages_, stages_);
  if (has_last_) {
    fourth_squares_.swap(next_fourth_squares_);
    third_squares_.swap(next_third_squares_);
  }
  has_last_ = true;
}

}  // namespace lithe
