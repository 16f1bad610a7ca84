#include "lithe/analyse/motion/recorded_rows.h"

#include <algorithm>

namespace lithe {
namespace {

class TrajectoryRows : public RowReader {
 public:
  explicit TrajectoryRows(const Trajectory& motion) : motion_(motion) {}
  bool next(RecordedValues& row) override {
    if (next_ >= motion_.times.size()) return false;
    row.time = motion_.times[next_];
    row.values.resize(motion_.columns.size());
    for (std::size_t i = 0; i < row.values.size(); ++i) row.values[i] = motion_.columns[i].values[next_];
    ++next_;
    return true;
  }

 private:
  const Trajectory& motion_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<RowReader> RecordedRows::read() const {
  return recorder ? recorder->rows() : std::make_unique<TrajectoryRows>(motion);
}

long long RecordedRows::count() const {
  return recorder ? motion.num_recorded : static_cast<long long>(motion.times.size());
}

int RecordedRows::column(const std::string& name) const {
  for (std::size_t i = 0; i < motion.columns.size(); ++i)
    if (motion.columns[i].name == name) return static_cast<int>(i);
  return -1;
}

MergedRows::MergedRows(const std::vector<RecordedRows>& runs) {
  for (const RecordedRows& run : runs) {
    runs_.push_back({run.read(), {}, false, false});
    runs_.back().there = runs_.back().reader->next(runs_.back().row);
  }
}

bool MergedRows::next() {
  bool any = false;
  for (Run& run : runs_) {
    if (run.used) run.there = run.reader->next(run.row);
    if (!run.there) continue;
    time_ = any ? std::min(time_, run.row.time) : run.row.time;
    any = true;
  }
  for (Run& run : runs_) run.used = run.there && run.row.time == time_;
  return any;
}

const std::vector<double>* MergedRows::values(std::size_t run) const {
  return runs_[run].used ? &runs_[run].row.values : nullptr;
}

}  // namespace lithe
