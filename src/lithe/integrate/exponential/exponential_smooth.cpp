// The exponential method's last step without its fast vibrations, for integrals of powers.
#include "lithe/integrate/exponential/exponential.h"
#include "lithe/integrate/exponential/oscillator_moments.h"

namespace lithe {

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
