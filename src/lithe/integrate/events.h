// Roots of scalar functions of the state, located on the dense output of an integrator.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lithe/integrate/integrator.h"

namespace lithe {

// The event that came first in a step.
struct FoundEvent {
  int event = -1;  // index; -1: none
  double time = 0;
};

// Watches a list of functions along the steps of an integrator.
class EventFinder {
 public:
  explicit EventFinder(std::vector<Event> events) : events_(std::move(events)) {}
  const std::vector<Event>& events() const { return events_; }
  bool empty() const { return events_.empty(); }

  // Values at the beginning, or after the state was changed (an event has just been dealt with).
  void start(const State& state);
  // The first event in the integrator's last step, to `tolerance` seconds; the time returned is on the far side of the
  // root, so that the function has changed its sign there. The step is looked at in four places, so two roots closer
  // than a quarter of it may stay unseen where the event has no rate.
  FoundEvent find(const Integrator& integrator, double tolerance = 1e-10);
  // After find(): all events that have happened by the time it returned, the one found and those at the same instant.
  std::vector<int> happened(const State& state) const;

 private:
  void look(std::vector<double>& values, std::vector<double>& rates) const;
  double turning_point(const Integrator& integrator, const Event& event, double from, double to, double tolerance);
  bool crossed(const Event& event, double before, double after) const;
  double locate(const Integrator& integrator, const Event& event, double from, double from_value, double to,
                double tolerance);

  std::vector<Event> events_;
  std::vector<double> values_, rates_, new_values_, new_rates_;  // at the last place looked at, and at the next
  State probe_;
};

}  // namespace lithe
