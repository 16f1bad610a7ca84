// Fills a Trajectory with recorded instants; with all of them, or with an even choice where there are too many.
#pragma once

#include <cstddef>

#include "lithe/analyse/motion/recorder.h"
#include "lithe/analyse/motion/simulate.h"

namespace lithe {

// Which of a sequence stay when at most so many may: all at first, then every second, every fourth, ...
class EvenChoice {
 public:
  explicit EvenChoice(std::size_t most) : most_(most < 2 ? 2 : most) {}
  // The next one. True: keep it. Where `halve()` is true as well, of those kept before every second goes first.
  bool take();
  bool halve() const { return halve_; }
  bool all() const { return stride_ == 1; }

 private:
  std::size_t most_, kept_ = 0;
  long long seen_ = 0, stride_ = 1;
  bool halve_ = false;
};

class InstantKeeper {
 public:
  InstantKeeper(Trajectory& result, std::size_t most_rows, std::size_t most_states)
      : result_(result), rows_(most_rows), states_(most_states), keeps_states_(most_states > 0) {}

  void add(const RecordedInstant& instant);
  // The last instant is kept, whatever the choice.
  void finish();
  double last_time() const { return last_time_; }
  void set_last_time(double time) { last_time_ = time; }

 private:
  void add_row(double time, const std::vector<double>& values);
  void add_state(const RecordedInstant& instant);
  void watch_ranges(const std::vector<double>& values);

  Trajectory& result_;
  EvenChoice rows_, states_;
  bool keeps_states_, row_waits_ = false, state_waits_ = false;
  double last_time_ = -1e300;
  std::vector<double> last_values_;
  State last_state_;
};

}  // namespace lithe
