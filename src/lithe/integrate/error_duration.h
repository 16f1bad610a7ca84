// How long the error of a speed moves its coordinate: as long as the errors of the steps keep their sign. Errors of a
// vibration cancel after a fraction of its period, errors of a slow swing add up.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/base/math.h"

namespace lithe {

// Per coordinate, from step to step.
class ErrorDuration {
 public:
  void resize(Eigen::Index n) {
    for (VectorX* v : {&last_, &size_, &change_, &next_last_, &next_size_, &next_change_}) v->setZero(n);
    has_last_ = false;
  }
  void reset() { resize(last_.size()); }  // same size: allocates nothing

  // Of entry i, whose error in a step h is `error`, of order h^power. In seconds: h mean|d| / mean|Δd| over the last
  // few steps, d = error / h^power, so that a changed step is not taken for a changed sign. One step alone tells
  // nothing of signs: its error may last for ever.
  double seconds(Eigen::Index i, double error, double h, int power) {
    constexpr double memory = 0.8;
    const double d = error / std::pow(h, power);
    next_last_[i] = d;
    next_size_[i] = memory * size_[i] + std::abs(d);
    next_change_[i] = has_last_ ? memory * change_[i] + std::abs(d - last_[i]) : 0.0;
    return h * std::max(next_size_[i] / std::max(next_change_[i], 1e-300), 0.1);
  }
  // Of entry i as the accepted steps tell.
  double known(Eigen::Index i, double h) const {
    return has_last_ ? h * std::max(size_[i] / std::max(change_[i], 1e-300), 0.1)
                     : std::numeric_limits<double>::infinity();
  }
  void accept() {
    last_.swap(next_last_);
    size_.swap(next_size_);
    change_.swap(next_change_);
    has_last_ = true;
  }

  // The last errors, to be written in other axes. How long errors last stays as it is, entry by entry.
  VectorX& last() { return last_; }

 private:
  VectorX last_, size_, change_, next_last_, next_size_, next_change_;
  bool has_last_ = false;
};

}  // namespace lithe
