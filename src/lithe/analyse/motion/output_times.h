// The instants at which a simulation records: given ones, or multiples of a step that are never listed.
#pragma once

#include <vector>

namespace lithe {

class OutputTimes {
 public:
  OutputTimes() = default;
  // Multiples of `step` after `start` up to `end`, and `end`.
  OutputTimes(double start, double end, double step);
  // Those of `times` after `start` up to `end`.
  OutputTimes(double start, double end, std::vector<double> times);

  double next() const { return at(next_); }  // infinite when all are done
  void advance() { ++next_; }
  double at_or_after(double time) const;  // infinite when there is none

 private:
  double at(long long index) const;  // from 0

  double step_ = 0, end_ = 0;
  std::vector<double> listed_;
  long long first_ = 0;  // index 0 is this multiple
  long long count_ = 0, next_ = 0;
  bool end_is_extra_ = false;  // the last one is no multiple
};

}  // namespace lithe
