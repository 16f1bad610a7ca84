// The rows of a run, wherever they are: with the recorder that took them all, or in its trajectory.
#pragma once

#include <memory>
#include <vector>

#include "lithe/analyse/motion/recorder.h"
#include "lithe/analyse/motion/simulate.h"

namespace lithe {

// Rows of a run by time.
struct RecordedRows {
  const Trajectory& motion;
  const ReplayRecorder* recorder = nullptr;  // null: the trajectory has all rows

  std::unique_ptr<RowReader> read() const;
  long long count() const;
  int column(const std::string& name) const;  // -1: there is none
};

// Several runs side by side: every instant that at least one of them has, in order of time.
class MergedRows {
 public:
  explicit MergedRows(const std::vector<RecordedRows>& runs);
  bool next();
  double time() const { return time_; }
  const std::vector<double>* values(std::size_t run) const;  // at this instant; null: the run has none there

 private:
  struct Run {
    std::unique_ptr<RowReader> reader;
    RecordedValues row;
    bool there = false, used = false;
  };
  std::vector<Run> runs_;
  double time_ = 0;
};

}  // namespace lithe
