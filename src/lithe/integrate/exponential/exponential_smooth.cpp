// The exponential method's last step for integrals of powers: at its instants, and without its fast vibrations.
#include "lithe/integrate/exponential/exponential.h"
#include "lithe/integrate/exponential/oscillator_moments.h"

namespace lithe {

// Simpson's rule. Forces of a filtered step belong to smaller vibrations, and quick steps have no middle.
bool Exponential::known_instants(KnownInstants& result) const {
  if (!middle_is_known_ || filtered_) return false;
  const auto put = [&](std::size_t i, const State& state, const Accelerations& accelerations) {
    result.states[i] = state;
    result.accelerations[i].values = accelerations.values;
  };
  put(0, previous_, previous_accelerations_);
  put(1, middle_, middle_accelerations_);
  put(2, state_, accelerations_);
  result.states[1].time = 0.5 * (previous_.time + state_.time);
  result.states[1].configuration = previous_.configuration;
  result.weights = {1.0 / 6, 4.0 / 6, 1.0 / 6};
  result.begins_with_step = true;
  return true;
}

// Mode by mode, in the exact solution that dense output has too: docs/theory/integrators.md, section 4, "Work".
double Exponential::smooth(double from, double to, std::array<State, 3>& result) const {
  const double h = state_.time - previous_.time, begin = from - previous_.time, length = to - from;
  double lost = 0;
  for (Eigen::Index k = 0; k < dense_y_.size(); ++k) {
    DrivenOscillator mode{.stiffness = dense_stiffness_[k],
                          .damping = dense_damping_[k],
                          .y = dense_start_.y[k],
                          .w = dense_start_.w[k],
                          .force = {dense_forces_[0][k], dense_forces_[1][k] / h, 0.5 * dense_forces_[2][k] / (h * h)}};
    if (begin > 0) mode = continued(mode, begin);
    const SmoothedOscillator smoothed = smoothed_motion(mode, length);
    for (std::size_t i = 0; i < 3; ++i) {
      smooth_y_[i][k] = smoothed.y[i];
      smooth_w_[i][k] = smoothed.w[i];
    }
    lost += smoothed.lost;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    result[i].time = from + gauss_nodes[i] * length;
    result[i].configuration = previous_.configuration;
    result[i].controller_memory = previous_.controller_memory;
    result[i].coordinates = dense_reference_;
    result[i].coordinates.noalias() += dense_basis_ * smooth_y_[i];
    result[i].speeds.noalias() = dense_basis_ * smooth_w_[i];
  }
  return lost;
}

}  // namespace lithe
