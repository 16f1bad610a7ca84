#include "lithe/analyse/motion/keep_instants.h"

#include <algorithm>

namespace lithe {
namespace {

template <class Items>
void drop_every_second(Items& items) {
  for (std::size_t i = 1; 2 * i < items.size(); ++i) items[i] = std::move(items[2 * i]);
  items.resize((items.size() + 1) / 2);
}

}  // namespace

bool EvenChoice::take() {
  halve_ = false;
  const long long index = seen_++;
  if (index % stride_ != 0) return false;
  if (kept_ == most_) {
    halve_ = true;
    stride_ *= 2;
    kept_ = (kept_ + 1) / 2;
    if (index % stride_ != 0) return false;
  }
  ++kept_;
  return true;
}

void InstantKeeper::watch_ranges(const std::vector<double>& values) {
  if (result_.ranges.empty())
    for (const double value : values) result_.ranges.push_back({value, value, value, value});
  for (std::size_t i = 0; i < values.size(); ++i) {
    ColumnRange& range = result_.ranges[i];
    range.last = values[i];
    if (values[i] < range.least) range.least = values[i];
    if (values[i] > range.most) range.most = values[i];
  }
}

void InstantKeeper::add_row(double time, const std::vector<double>& values) {
  result_.times.push_back(time);
  for (std::size_t i = 0; i < values.size(); ++i) result_.columns[i].values.push_back(values[i]);
}

void InstantKeeper::add_state(const RecordedInstant& instant) {
  const State& state = instant.state;
  if (!state.configuration.split.empty() && states_.all())
    result_.renamed[result_.states.size()] = {instant.coordinates, instant.speeds};
  result_.states.push_back(state);
}

void InstantKeeper::add(const RecordedInstant& instant) {
  const double time = instant.state.time;
  last_time_ = time;
  ++result_.num_recorded;
  watch_ranges(instant.values);
  const bool takes_row = rows_.take();
  if (rows_.halve()) {
    drop_every_second(result_.times);
    for (Column& column : result_.columns) drop_every_second(column.values);
  }
  if (takes_row) add_row(time, instant.values);
  row_waits_ = !takes_row;
  if (row_waits_) last_values_ = instant.values;
  if (!keeps_states_) return;
  const bool takes_state = states_.take();
  if (states_.halve()) {
    drop_every_second(result_.states);
    result_.renamed.clear();  // they belong to the states one by one
  }
  if (takes_state) add_state(instant);
  state_waits_ = !takes_state;
  if (state_waits_) last_state_ = instant.state;
}

void InstantKeeper::finish() {
  if (row_waits_) add_row(last_time_, last_values_);
  if (state_waits_) result_.states.push_back(last_state_);
  row_waits_ = state_waits_ = false;
}

}  // namespace lithe
