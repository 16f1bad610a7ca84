#include "lithe/analyse/motion/integrator_choice.h"

#include <algorithm>
#include <cmath>

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

// Two digits, for people.
double rounded(double value) {
  const double unit = value > 0 ? std::pow(10, std::floor(std::log10(value)) - 1) : 1;
  return std::round(value / unit) * unit;
}

// In evaluations. A first comparison early, since the other one may be fifty times better; then after five, ten and,
// from then on, twenty times what comparing costs. One whose start costs much, a decomposition into hundreds of modes,
// is tried when that is a small part of the work done.
constexpr double work_before_first_trial = 1000, work_of_trial = 1500, warm_up = 500;
constexpr double least_between_trials = 5 * work_of_trial, most_between_trials = 20 * work_of_trial;
constexpr double share_of_start = 0.05;
constexpr double clearly = 1.25;       // better by so much is worth a change, which costs a new start
constexpr double hopeless = 0.2;       // of the other's rate after warming up
constexpr long steps_to_warm_up = 20;  // the first of them find the step, each with a decomposition
constexpr double slow = 0.2;           // of the rate when it was chosen: the motion has changed, others may suit it

}  // namespace

void IntegratorChoice::set(std::unique_ptr<Integrator> usual, std::vector<std::unique_ptr<Integrator>> others,
                           std::unique_ptr<Integrator> explicit_method) {
  all_.clear();
  all_.push_back(std::move(usual));
  for (std::unique_ptr<Integrator>& other : others) all_.push_back(std::move(other));
  has_explicit_ = explicit_method != nullptr;
  if (explicit_method) all_.push_back(std::move(explicit_method));
  rates_.assign(all_.size(), {});
  forget_trials();
}

void IntegratorChoice::choose() { now_ = (touches_stops_ && has_explicit_ ? all_.back() : all_[trial_]).get(); }

void IntegratorChoice::touch_stops(bool touched) {
  touches_stops_ = touched;
  choose();
}

// From where the run is now.
void IntegratorChoice::mark(std::size_t index) {
  rates_[index].from_time = now_->state().time;
  rates_[index].from = all_[index]->counters();
  watched_time_ = rates_[index].from_time;
  watched_work_ = 0;
}

IntegratorCounters IntegratorChoice::counted_since_mark(std::size_t index) const {
  const IntegratorCounters& now = all_[index]->counters();
  const IntegratorCounters& from = rates_[index].from;
  IntegratorCounters since;
  since.steps = now.steps - from.steps;
  since.rejected = now.rejected - from.rejected;
  since.evaluations = now.evaluations - from.evaluations;
  since.linearisations = now.linearisations - from.linearisations;
  since.newton_iterations = now.newton_iterations - from.newton_iterations;
  return since;
}

double IntegratorChoice::work_since_mark(std::size_t index) const {
  return all_[index]->work(counted_since_mark(index));
}

double IntegratorChoice::rate_since_mark(std::size_t index) const {
  const double work = work_since_mark(index);
  return work > 0 ? (all_[index]->state().time - rates_[index].from_time) / work : 0.0;
}

// Over the work of a trial, against the rate that it was chosen for.
bool IntegratorChoice::has_slowed_down() {
  const double work = work_since_mark(settled_), time = all_[settled_]->state().time;
  if (work - watched_work_ < work_of_trial) return false;
  const double rate = (time - watched_time_) / (work - watched_work_);
  watched_time_ = time;
  watched_work_ = work;
  return rate < slow * rates_[settled_].per_work;
}

// The next one in turn that is worth a trial; the settled one where there is none.
std::size_t IntegratorChoice::next_candidate() const {
  for (std::size_t k = 1; k <= all_.size(); ++k) {
    const std::size_t index = (last_tried_ + k) % all_.size();
    const bool is_explicit = has_explicit_ && index + 1 == all_.size();
    if (index != settled_ && (!is_explicit || all_[settled_]->explicit_would_do())) return index;
  }
  return settled_;
}

double IntegratorChoice::cost_of_start(std::size_t index) const {
  IntegratorCounters begin;
  begin.linearisations = 2;
  return all_[index]->work(begin);
}

void IntegratorChoice::settle(std::size_t index) {
  mark(index);
  settled_ = trial_ = index;
  work_until_trial_ = work_between_trials_;
  work_between_trials_ = std::min(2 * work_between_trials_, most_between_trials);
  choose();
}

void IntegratorChoice::consider_trial() {
  if (all_.size() < 2 || touches_stops_) return;
  if (!begun_) mark(settled_);
  begun_ = true;
  if (trial_ == settled_) return begin_trial();
  const double worked = work_since_mark(trial_);
  const double rate = rate_since_mark(trial_), other = rates_[settled_].per_work;
  if (!trial_is_warm_) {  // first steps are short
    if (worked < warm_up || (counted_since_mark(trial_).steps < steps_to_warm_up && worked < work_of_trial)) return;
    if (rate < hopeless * other) return settle(settled_);
    trial_is_warm_ = true;
    mark(trial_);
    return;
  }
  if (worked < work_of_trial - warm_up) return;
  rates_[trial_].per_work = rate;
  settle(rate > clearly * other ? trial_ : settled_);
}

// Where it is time, or the settled one has become slow: then its present rate counts.
void IntegratorChoice::begin_trial() {
  const double worked = work_since_mark(settled_), time = watched_time_, work = watched_work_;
  const bool slowed_down = has_slowed_down();
  const std::size_t candidate = next_candidate();
  if (worked < work_until_trial_ + cost_of_start(candidate) / share_of_start && !slowed_down) return;
  rates_[settled_].per_work =
      slowed_down ? (all_[settled_]->state().time - time) / (worked - work) : rate_since_mark(settled_);
  if (candidate == settled_) {  // asked again soon: only the explicit method is left, for which it is not yet time
    work_until_trial_ = worked + warm_up;
    return;
  }
  trial_ = last_tried_ = candidate;
  trial_is_warm_ = false;
  mark(trial_);
  choose();
}

bool IntegratorChoice::give_up_trial() {
  if (trial_ == settled_) return false;
  // One that gets along better until it fails: the motion ends there, which the other would only reach later.
  if (rate_since_mark(trial_) > rates_[settled_].per_work) return false;
  settle(settled_);
  return true;
}

void IntegratorChoice::forget_trials() {
  settled_ = trial_ = last_tried_ = 0;
  rates_.assign(all_.size(), {});
  work_until_trial_ = work_before_first_trial;
  work_between_trials_ = least_between_trials;
  begun_ = false;
  choose();
}

std::string IntegratorChoice::reason() const {
  std::string text;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (i == settled_ || rates_[i].per_work == 0) continue;
    text += cat(text.empty() ? "" : ", ", all_[i]->name(), " ", rounded(1e6 * rates_[i].per_work));
  }
  if (text.empty()) return text;
  return cat(all_[settled_]->name(), " chosen: ", rounded(1e6 * rates_[settled_].per_work),
             " us of motion per evaluation, ", text);
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
