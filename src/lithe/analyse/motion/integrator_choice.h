// Which integrator makes the next step of a run. `automatic` has several and measures them: each in turn makes steps
// for a while, and the one that gets further for the same work stays until the next comparison.
// docs/theory/integrators.md, section 8.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lithe/integrate/integrator.h"

namespace lithe {

class IntegratorChoice {
 public:
  // The first is the usual one; `explicit_method` (null: none) is tried where the usual one says so, and begins where
  // end stops are touched, against all but the exponential method and, there alone, `at_stops`. With one alone there is
  // nothing to choose.
  void set(std::unique_ptr<Integrator> usual, std::vector<std::unique_ptr<Integrator>> others = {},
           std::unique_ptr<Integrator> explicit_method = nullptr,
           std::vector<std::unique_ptr<Integrator>> at_stops = {});

  Integrator& now() const { return *now_; }
  // A stop's damper couples all modes, and the little inertia next to the joint follows it within microseconds: what
  // the exponential method solves exactly is then no longer the fastest part of the motion. What suits the motion on
  // stops is measured there, apart from the motion between them.
  void touch_stops(bool touched);
  // Before a step: begins and ends comparisons. The work is Integrator::work() of the steps since a mark, so that a run
  // repeats itself whatever else the machine does.
  void consider_trial();
  // A step of the integrator on trial has failed: true if another one goes on.
  bool give_up_trial();
  void forget_trials();

  // Those that made steps, the one with most of them first: "exponential, dormand_prince".
  std::string names() const;
  // What the last comparison found, one line; empty: there was none.
  std::string reason() const;
  IntegratorCounters counters() const;
  // Of each integrator; `count_from`: those of the run that is continued.
  std::vector<IntegratorCounters> all_counters() const;
  void count_from(std::vector<IntegratorCounters> earlier) { earlier_ = std::move(earlier); }

 private:
  // Motion per work of an integrator, from a mark on.
  struct Rate {
    double from_time = 0;     // s
    IntegratorCounters from;  // its counters there
    double earlier_time = 0;  // before the motion was of the other kind for a while
    IntegratorCounters earlier;
    double per_work = 0;  // s per evaluation; 0: not measured
  };
  // What is known of one kind of motion: on end stops, or on none.
  struct Kind {
    std::vector<std::size_t> candidates;  // places in all_, the one to begin with first
    std::vector<Rate> rates;              // of all_
    std::size_t settled = 0, trial = 0;   // places in all_; the same: no trial is under way
    std::size_t last_tried = 0;           // place in candidates
    bool begun = false, trial_is_warm = false;
    double work_until_trial = 0, work_between_trials = 0;
    double watched_time = 0, watched_work = 0;  // where has_slowed_down() looked last, from the mark on
  };
  Kind& kind() { return touches_stops_ ? at_stops_ : free_; }
  void choose() { now_ = all_[kind().trial].get(); }
  void resume(Rate& rate, std::size_t index) const;
  void mark(std::size_t index);
  IntegratorCounters counted_since_mark(std::size_t index);
  double time_since_mark(std::size_t index);
  double work_since_mark(std::size_t index) { return all_[index]->work(counted_since_mark(index)); }
  double rate_since_mark(std::size_t index);
  bool has_slowed_down();
  void begin_trial();
  std::size_t next_candidate();
  double cost_of_start(std::size_t index) const;
  void settle(std::size_t index);
  std::string reason_for(const Kind& kind) const;

  std::vector<std::unique_ptr<Integrator>> all_;  // the usual one, the others, the explicit one, those for stops alone
  const Integrator* explicit_ = nullptr;
  std::vector<IntegratorCounters> earlier_;
  Integrator* now_ = nullptr;
  bool touches_stops_ = false;
  Kind free_, at_stops_;
};

}  // namespace lithe
