#include "lithe/analyse/motion/integrator_choice.h"

#include <algorithm>

#include "lithe/base/text.h"

namespace lithe {
namespace {

void add(const IntegratorCounters& part, IntegratorCounters& sum) {
  sum.steps += part.steps;
  sum.rejected += part.rejected;
  sum.evaluations += part.evaluations;
  sum.linearisations += part.linearisations;
  sum.newton_iterations += part.newton_iterations;
}

}  // namespace

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

std::vector<IntegratorCounters> IntegratorChoice::all_counters() const {
  std::vector<IntegratorCounters> all;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    all.push_back(all_[i]->counters());
    if (i < earlier_.size()) add(earlier_[i], all.back());
  }
  return all;
}

std::string IntegratorChoice::names() const {
  const std::vector<IntegratorCounters> counted = all_counters();
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (i == 0 || counted[i].steps > 0) used.push_back(i);
  if (used.size() > 1 && counted.front().steps == 0) used.erase(used.begin());
  std::stable_sort(used.begin(), used.end(),
                   [&](std::size_t a, std::size_t b) { return counted[a].steps > counted[b].steps; });
  std::string names;
  for (const std::size_t i : used) names += cat(names.empty() ? "" : ", ", all_[i]->name());
  return names;
}

IntegratorCounters IntegratorChoice::counters() const {
  IntegratorCounters sum;
  for (const IntegratorCounters& counted : all_counters()) add(counted, sum);
  return sum;
}

}  // namespace lithe
