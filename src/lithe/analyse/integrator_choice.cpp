#include "lithe/analyse/integrator_choice.h"

#include <algorithm>

#include "lithe/base/text.h"

namespace lithe {

void IntegratorChoice::set(std::unique_ptr<Integrator> usual, std::unique_ptr<Integrator> explicit_method) {
  all_.clear();
  all_.push_back(std::move(usual));
  if (explicit_method) all_.push_back(std::move(explicit_method));
  choose();
}

void IntegratorChoice::choose() {
  now_ = (touches_stops_ || explicit_steps_left_ > 0 ? all_.back() : all_.front()).get();
}

void IntegratorChoice::touch_stops(bool touched) {
  touches_stops_ = touched;
  choose();
}

void IntegratorChoice::consider_trial() {
  constexpr int trial = 200, period = 5000;
  if (all_.size() < 2) return;
  if (explicit_steps_left_ > 0) {
    --explicit_steps_left_;
    const double explicit_step = (now_->state().time - trial_start_) / trial;
    if (explicit_steps_left_ == period - trial && explicit_step * 4 < usual_step_ * 6) {
      explicit_steps_left_ = 0;
      steps_without_trial_ = period;
    }
  } else if (steps_without_trial_ > 0) {
    --steps_without_trial_;
  } else if (now_->explicit_would_do()) {
    explicit_steps_left_ = period;
    trial_start_ = now_->state().time;
    usual_step_ = now_->next_step();
  }
  choose();
}

void IntegratorChoice::forget_trials() {
  explicit_steps_left_ = steps_without_trial_ = 0;
  choose();
}

std::string IntegratorChoice::names() const {
  std::vector<const Integrator*> used;
  for (const auto& integrator : all_)
    if (integrator == all_.front() || integrator->counters().steps > 0) used.push_back(integrator.get());
  if (used.size() > 1 && used.front()->counters().steps == 0) used.erase(used.begin());
  std::stable_sort(used.begin(), used.end(),
                   [](const Integrator* a, const Integrator* b) { return a->counters().steps > b->counters().steps; });
  std::string names;
  for (const Integrator* integrator : used) names += cat(names.empty() ? "" : ", ", integrator->name());
  return names;
}

IntegratorCounters IntegratorChoice::counters() const {
  IntegratorCounters sum;
  for (const auto& integrator : all_) {
    const IntegratorCounters& used = integrator->counters();
    sum.steps += used.steps;
    sum.rejected += used.rejected;
    sum.evaluations += used.evaluations;
    sum.linearisations += used.linearisations;
    sum.newton_iterations += used.newton_iterations;
  }
  return sum;
}

}  // namespace lithe
