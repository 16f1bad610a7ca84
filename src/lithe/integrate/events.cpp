#include "lithe/integrate/events.h"

#include <cmath>

namespace lithe {

void EventFinder::start(const State& state) {
  probe_ = state;
  values_.resize(events_.size());
  for (std::size_t i = 0; i < events_.size(); ++i) values_[i] = events_[i].value(state);
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

FoundEvent EventFinder::find(const Integrator& integrator, double tolerance) {
  constexpr int parts = 4;
  const double begin = integrator.previous().time, end = integrator.state().time;
  double from = begin;
  for (int part = 1; part <= parts; ++part) {
    const double to = part == parts ? end : begin + (end - begin) * part / parts;
    integrator.interpolate(to, probe_);
    FoundEvent first{-1, to};
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const double after = events_[i].value(probe_);
      if (crossed(events_[i], values_[i], after)) {
        const double time = locate(integrator, events_[i], from, values_[i], to, tolerance);
        if (first.event < 0 || time < first.time) first = {static_cast<int>(i), time};
        integrator.interpolate(to, probe_);
      }
    }
    if (first.event >= 0) return first;
    for (std::size_t i = 0; i < events_.size(); ++i) values_[i] = events_[i].value(probe_);
    from = to;
  }
  return {};
}

}  // namespace lithe
