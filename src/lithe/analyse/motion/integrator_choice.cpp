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

IntegratorCounters difference(const IntegratorCounters& now, const IntegratorCounters& from) {
  IntegratorCounters since;
  since.steps = now.steps - from.steps;
  since.rejected = now.rejected - from.rejected;
  since.evaluations = now.evaluations - from.evaluations;
  since.linearisations = now.linearisations - from.linearisations;
  since.newton_iterations = now.newton_iterations - from.newton_iterations;
  return since;
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
                           std::unique_ptr<Integrator> explicit_method,
                           std::vector<std::unique_ptr<Integrator>> at_stops) {
  all_.clear();
  explicit_ = explicit_method.get();
  free_.candidates.clear();
  at_stops_.candidates.clear();
  const auto add_to = [&](std::unique_ptr<Integrator> one, bool free) {
    if (!one) return;
    if (free) free_.candidates.push_back(all_.size());
    if (one.get() == explicit_) {
      at_stops_.candidates.insert(at_stops_.candidates.begin(), all_.size());
    } else if (one->name() != "exponential") {
      at_stops_.candidates.push_back(all_.size());
    }
    all_.push_back(std::move(one));
  };
  add_to(std::move(usual), true);
  for (std::unique_ptr<Integrator>& other : others) add_to(std::move(other), true);
  add_to(std::move(explicit_method), true);
  for (std::unique_ptr<Integrator>& one : at_stops) add_to(std::move(one), false);
  if (at_stops_.candidates.empty()) at_stops_.candidates = free_.candidates;
  forget_trials();
}

// What was measured of the motion before goes on when the motion is of its kind again.
void IntegratorChoice::touch_stops(bool touched) {
  if (touched != touches_stops_ && kind().begun) {
    Rate& rate = kind().rates[kind().trial];
    const double time = time_since_mark(kind().trial);
    rate.earlier = counted_since_mark(kind().trial);
    rate.earlier_time = time;
    kind().begun = false;
  }
  touches_stops_ = touched;
  choose();
}

void IntegratorChoice::resume(Rate& rate, std::size_t index) const {
  rate.from_time = now_->state().time;
  rate.from = all_[index]->counters();
}

// From where the run is now.
void IntegratorChoice::mark(std::size_t index) {
  Rate& rate = kind().rates[index];
  rate.earlier_time = 0;
  rate.earlier = {};
  resume(rate, index);
  kind().watched_time = kind().watched_work = 0;
}

IntegratorCounters IntegratorChoice::counted_since_mark(std::size_t index) {
  const Rate& rate = kind().rates[index];
  IntegratorCounters since = difference(all_[index]->counters(), rate.from);
  add(rate.earlier, since);
  return since;
}

double IntegratorChoice::time_since_mark(std::size_t index) {
  const Rate& rate = kind().rates[index];
  return rate.earlier_time + all_[index]->state().time - rate.from_time;
}

double IntegratorChoice::rate_since_mark(std::size_t index) {
  const double work = work_since_mark(index);
  return work > 0 ? time_since_mark(index) / work : 0.0;
}

// Over the work of a trial, against the rate that it was chosen for.
bool IntegratorChoice::has_slowed_down() {
  Kind& k = kind();
  const double work = work_since_mark(k.settled), time = time_since_mark(k.settled);
  if (work - k.watched_work < work_of_trial) return false;
  const double rate = (time - k.watched_time) / (work - k.watched_work);
  k.watched_time = time;
  k.watched_work = work;
  return rate < slow * k.rates[k.settled].per_work;
}

// The place in candidates of the next one in turn that is worth a trial; of the settled one where there is none.
std::size_t IntegratorChoice::next_candidate() {
  const Kind& k = kind();
  const std::size_t count = k.candidates.size();
  std::size_t settled = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t place = (k.last_tried + i) % count, index = k.candidates[place];
    const bool is_explicit = !touches_stops_ && all_[index].get() == explicit_;
    if (index == k.settled) {
      settled = place;
    } else if (!is_explicit || all_[k.settled]->explicit_would_do()) {
      return place;
    }
  }
  return settled;
}

double IntegratorChoice::cost_of_start(std::size_t index) const {
  IntegratorCounters begin;
  begin.linearisations = 2;
  return all_[index]->work(begin);
}

void IntegratorChoice::settle(std::size_t index) {
  Kind& k = kind();
  mark(index);
  k.settled = k.trial = index;
  k.work_until_trial = k.work_between_trials;
  k.work_between_trials = std::min(2 * k.work_between_trials, most_between_trials);
  choose();
}

void IntegratorChoice::consider_trial() {
  Kind& k = kind();
  if (k.candidates.size() < 2) return;
  if (!k.begun) resume(k.rates[k.trial], k.trial);
  k.begun = true;
  if (k.trial == k.settled) return begin_trial();
  const double worked = work_since_mark(k.trial);
  const double rate = rate_since_mark(k.trial), other = k.rates[k.settled].per_work;
  if (!k.trial_is_warm) {  // first steps are short
    if (worked < warm_up || (counted_since_mark(k.trial).steps < steps_to_warm_up && worked < work_of_trial)) return;
    if (rate < hopeless * other) return settle(k.settled);
    k.trial_is_warm = true;
    mark(k.trial);
    return;
  }
  if (worked < work_of_trial - warm_up) return;
  k.rates[k.trial].per_work = rate;
  settle(rate > clearly * other ? k.trial : k.settled);
}

// Where it is time, or the settled one has become slow: then its present rate counts.
void IntegratorChoice::begin_trial() {
  Kind& k = kind();
  const double worked = work_since_mark(k.settled), time = k.watched_time, work = k.watched_work;
  const bool slowed_down = has_slowed_down();
  const std::size_t place = next_candidate(), candidate = k.candidates[place];
  if (worked < k.work_until_trial + cost_of_start(candidate) / share_of_start && !slowed_down) return;
  k.rates[k.settled].per_work =
      slowed_down ? (time_since_mark(k.settled) - time) / (worked - work) : rate_since_mark(k.settled);
  if (candidate == k.settled) {  // asked again soon: only the explicit method is left, for which it is not yet time
    k.work_until_trial = worked + warm_up;
    return;
  }
  k.trial = candidate;
  k.last_tried = place;
  k.trial_is_warm = false;
  mark(candidate);
  choose();
}

bool IntegratorChoice::give_up_trial() {
  Kind& k = kind();
  if (k.trial == k.settled) return false;
  // One that gets along better until it fails: the motion ends there, which the other would only reach later.
  if (rate_since_mark(k.trial) > k.rates[k.settled].per_work) return false;
  settle(k.settled);
  return true;
}

void IntegratorChoice::forget_trials() {
  for (Kind* k : {&free_, &at_stops_}) {
    k->settled = k->trial = k->candidates.front();
    k->last_tried = 0;
    k->rates.assign(all_.size(), {});
    k->work_until_trial = work_before_first_trial;
    k->work_between_trials = least_between_trials;
    k->watched_time = k->watched_work = 0;
    k->begun = k->trial_is_warm = false;
  }
  choose();
}

std::string IntegratorChoice::reason_for(const Kind& kind) const {
  std::string text;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (i == kind.settled || kind.rates[i].per_work == 0) continue;
    text += cat(text.empty() ? "" : ", ", all_[i]->name(), " ", rounded(1e6 * kind.rates[i].per_work));
  }
  if (text.empty()) return text;
  return cat(all_[kind.settled]->name(), " chosen: ", rounded(1e6 * kind.rates[kind.settled].per_work),
             " us of motion per evaluation, ", text);
}

std::string IntegratorChoice::reason() const {
  const std::string free = reason_for(free_), at_stops = reason_for(at_stops_);
  if (at_stops.empty()) return free;
  return cat(free, free.empty() ? "" : "; ", "on end stops ", at_stops);
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
