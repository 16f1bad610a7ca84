#include "lithe/integrate/alpha_method.h"

#include <algorithm>

namespace lithe {

AlphaMethod::AlphaMethod(System system, IntegratorOptions options) : Integrator(std::move(system), std::move(options)) {
  const double rho = std::clamp(options_.spectral_radius, 0.0, 1.0);
  alpha_m_ = (2 * rho - 1) / (rho + 1);
  alpha_f_ = rho / (rho + 1);
  gamma_ = 0.5 - alpha_m_ + alpha_f_;
  beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
  for (VectorX* v : {&algorithmic_, &next_algorithmic_, &jerk_, &last_jerk_, &error_x_, &error_v_, &end_coordinates_,
                     &end_speeds_, &end_accelerations_})
    v->setZero(size());
}

void AlphaMethod::find_algorithmic(const VectorX& begin, const VectorX& end) {
  next_algorithmic_ = ((1 - alpha_f_) * end + alpha_f_ * begin - alpha_m_ * algorithmic_) / (1 - alpha_m_);
}

// Local errors h³ (β + δ/2 - 1/6) j of the coordinates and h³ (1/12 - δ²/2) s of the speeds, δ = α_m - α_f, with jerk j
// and snap s from differences of accelerations. A mode that the step does not resolve is wrong by its amplitude A once,
// not in every step; its j and s are of order A ω³ and A ω⁴, and filters bring its share down to A/(ωh)² and A/(ωh)³.
double AlphaMethod::estimate_error(const VectorX& begin, const VectorX& end, double h) {
  const double delta = alpha_m_ - alpha_f_;
  jerk_ = (end - begin) / h;
  error_x_ = (h * h * h * (beta_ + 0.5 * delta - 1.0 / 6)) * jerk_;
  for (int i = 0; i < 2; ++i) filter(error_x_);
  error_v_.setZero();
  if (last_step_ > 0) {
    error_v_ = (h * h * h * (1.0 / 12 - 0.5 * delta * delta) * 2 / (h + last_step_)) * (jerk_ - last_jerk_);
    for (int i = 0; i < 3; ++i) filter(error_v_);
  }
  return scaled_error(error_x_, error_v_, h);
}

void AlphaMethod::keep_step(double h) {
  std::swap(algorithmic_, next_algorithmic_);
  std::swap(last_jerk_, jerk_);
  last_step_ = options_.fixed_step > 0 ? 0 : h;
  end_coordinates_ = state_.coordinates;
  end_speeds_ = state_.speeds;
  end_accelerations_ = accelerations_.values;
}

void AlphaMethod::interpolate_from(const State& begin, const VectorX& begin_accelerations, double time,
                                   State& result) const {
  const double h = state_.time - previous_.time, s = (time - previous_.time) / h;
  const double from = (1 + 2 * s) * (1 - s) * (1 - s), to = s * s * (3 - 2 * s);
  const double from_rate = h * s * (1 - s) * (1 - s), to_rate = -h * s * s * (1 - s);
  result.time = time;
  result.configuration = begin.configuration;
  result.controller_memory = previous_.controller_memory;
  result.coordinates =
      from * begin.coordinates + to * end_coordinates_ + from_rate * begin.speeds + to_rate * end_speeds_;
  result.speeds =
      from * begin.speeds + to * end_speeds_ + from_rate * begin_accelerations + to_rate * end_accelerations_;
}

}  // namespace lithe
