#include "lithe/analyse/motion/output_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lithe {

OutputTimes::OutputTimes(double start, double end, double step) : step_(step), end_(end) {
  const auto multiple = [step](long long k) { return static_cast<double>(k) * step; };
  first_ = static_cast<long long>(std::floor(start / step));
  while (std::min(multiple(first_), end) <= start) ++first_;
  const double limit = end * (1 + 1e-12);
  auto last = static_cast<long long>(std::floor(limit / step));
  while (multiple(last + 1) <= limit) ++last;
  while (multiple(last) > limit) --last;
  end_is_extra_ = std::min(multiple(last), end) < end * (1 - 1e-9);
  count_ = std::max(0LL, last - first_ + 1) + (end_is_extra_ ? 1 : 0);
}

OutputTimes::OutputTimes(double start, double end, std::vector<double> times) : end_(end), listed_(std::move(times)) {
  std::sort(listed_.begin(), listed_.end());
  std::erase_if(listed_, [=](double time) { return time <= start || time > end; });
  count_ = static_cast<long long>(listed_.size());
}

double OutputTimes::at(long long index) const {
  if (index >= count_) return std::numeric_limits<double>::infinity();
  if (step_ <= 0) return listed_[static_cast<std::size_t>(index)];
  if (end_is_extra_ && index + 1 == count_) return end_;
  return std::min(static_cast<double>(first_ + index) * step_, end_);
}

double OutputTimes::at_or_after(double time) const {
  long long index = 0;
  if (step_ <= 0) {
    index = std::lower_bound(listed_.begin(), listed_.end(), time) - listed_.begin();
  } else {
    const double guess = std::floor(time / step_) - static_cast<double>(first_) - 1;
    index = static_cast<long long>(std::clamp(guess, 0.0, static_cast<double>(count_)));
    while (index < count_ && at(index) < time) ++index;
  }
  return at(index);
}

}  // namespace lithe
