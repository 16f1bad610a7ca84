// How long the error of a vibration adds up: as long as the errors of the steps keep their phase to it. Those that a
// force of another frequency leaves in it do not. docs/theory/integrators.md, section 4, "Error".
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>

#include "lithe/base/math.h"
#include "lithe/integrate/exponential/exponential_constants.h"

namespace lithe {

// Per mode, from step to step.
class PhaseDuration {
 public:
  void resize(Eigen::Index n) {
    for (Eigen::VectorXcd* v : {&last_, &next_last_}) v->setZero(n);
    for (VectorX* v : {&size_, &change_, &next_size_, &next_change_, &phase_}) v->setZero(n);
    has_last_ = is_new_ = false;
  }
  void reset() { resize(size_.size()); }  // same size: allocates nothing
  // The modes have turned into others. How long errors last stays as it is, mode by mode.
  void forget_last() { has_last_ = false; }

  // Of mode k at ω = frequency, whose coordinate is off by y and whose speed by ω v after a step h, of order h^power:
  // z = y + i v turns as exp(-iωt). In seconds, h mean|d| / mean|Δd| with d = z exp(iωt) / h^power. The first error
  // counts as one that has changed its phase.
  double seconds(Eigen::Index k, double y, double v, double frequency, double h, int power) {
    constexpr double memory = ExponentialConstants::memory_of_phases;
    const double angle = phase_[k] + frequency * h;
    const std::complex<double> d = std::complex<double>(y, v) * std::polar(std::pow(h, -power), angle);
    is_new_ = true;
    next_last_[k] = d;
    next_size_[k] = has_last_ ? memory * size_[k] + std::abs(d) : size_[k];
    next_change_[k] = has_last_ ? memory * change_[k] + std::abs(d - last_[k]) : change_[k];
    return h * std::max(next_size_[k] / std::max(next_change_[k], 1e-300), ExponentialConstants::least_lasting);
  }
  void accept(const VectorX& squared_frequencies, double h) {
    constexpr double turn = 6.283185307179586;
    if (is_new_) {  // not of steps that were not asked about
      last_.swap(next_last_);
      size_.swap(next_size_);
      change_.swap(next_change_);
    }
    is_new_ = false;
    for (Eigen::Index k = 0; k < phase_.size(); ++k)
      phase_[k] = std::remainder(phase_[k] + std::sqrt(squared_frequencies[k]) * h, turn);
    has_last_ = true;
  }

 private:
  Eigen::VectorXcd last_, next_last_;
  VectorX size_, change_, next_size_, next_change_, phase_;
  bool has_last_ = false, is_new_ = false;
};

}  // namespace lithe
