#include "lithe/integrate/events.h"

#include <cmath>

namespace lithe {

void EventFinder::start(const State& state) {
  probe_ = state;
  look(values_, rates_);
}

// Values and rates of all events at probe_.
void EventFinder::look(std::vector<double>& values, std::vector<double>& rates) const {
  values.resize(events_.size());
  rates.resize(events_.size());
  for (std::size_t i = 0; i < events_.size(); ++i) {
    values[i] = events_[i].value(probe_);
    rates[i] = events_[i].rate ? events_[i].rate(probe_) : 0;
  }
}

bool EventFinder::crossed(const Event& event, double before, double after) const {
  const bool rising = before <= 0 && after > 0, falling = before >= 0 && after < 0;
  return (rising && event.direction >= 0) || (falling && event.direction <= 0);
}

// Bisection: never fails, and events are rare.
double EventFinder::locate(const Integrator& integrator, const Event& event, double from, double from_value, double to,
                           double tolerance) {
  while (to - from > tolerance) {
    const double middle = 0.5 * (from + to);
    if (middle <= from || middle >= to) break;
    integrator.interpolate(middle, probe_);
    const double value = event.value(probe_);
    if (crossed(event, from_value, value)) {
      to = middle;
    } else {
      from = middle;
      from_value = value;
    }
  }
  return to;
}

// Where a function that moves towards zero turns back, by bisection of its rate.
double EventFinder::turning_point(const Integrator& integrator, const Event& event, double from, double to,
                                  double tolerance) {
  integrator.interpolate(from, probe_);
  const double sign = event.rate(probe_);
  while (to - from > tolerance) {
    const double middle = 0.5 * (from + to);
    if (middle <= from || middle >= to) break;
    integrator.interpolate(middle, probe_);
    (event.rate(probe_) * sign > 0 ? from : to) = middle;
  }
  integrator.interpolate(from, probe_);
  return from;
}

FoundEvent EventFinder::find(const Integrator& integrator, double tolerance) {
  constexpr int parts = 4;
  const double begin = integrator.previous().time, end = integrator.state().time;
  double from = begin;
  for (int part = 1; part <= parts; ++part) {
    const double to = part == parts ? end : begin + (end - begin) * part / parts;
    integrator.interpolate(to, probe_);
    look(new_values_, new_rates_);
    FoundEvent first{-1, to};
    for (std::size_t i = 0; i < events_.size(); ++i) {
      double until = to;
      bool found = crossed(events_[i], values_[i], new_values_[i]);
      const bool turns = values_[i] * rates_[i] < 0 && new_values_[i] * new_rates_[i] > 0;
      if (!found && turns && values_[i] * new_values_[i] > 0) {  // towards zero, and away from it
        until = turning_point(integrator, events_[i], from, to, tolerance);
        found = crossed(events_[i], values_[i], events_[i].value(probe_));
      }
      if (!found) continue;
      const double time = locate(integrator, events_[i], from, values_[i], until, tolerance);
      if (first.event < 0 || time < first.time) first = {static_cast<int>(i), time};
    }
    if (first.event >= 0) return first;
    values_.swap(new_values_);
    rates_.swap(new_rates_);
    from = to;
  }
  return {};
}

std::vector<int> EventFinder::happened(const State& state) const {
  std::vector<int> all;
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (crossed(events_[i], values_[i], events_[i].value(state))) all.push_back(static_cast<int>(i));
  return all;
}

}  // namespace lithe
