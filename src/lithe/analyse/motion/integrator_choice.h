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
  // The first is the usual one; `explicit_method` (null: none) is tried where the usual one says so, and serves while
  // end stops are touched. With one alone there is nothing to choose.
  void set(std::unique_ptr<Integrator> usual, std::vector<std::unique_ptr<Integrator>> others = {},
           std::unique_ptr<Integrator> explicit_method = nullptr);

  Integrator& now() const { return *now_; }
  // A stop's damper couples all modes, and the little inertia next to the joint follows it within microseconds: what
  // the exponential method solves exactly is then no longer the fastest part of the motion.
  void touch_stops(bool touched);
  // Before a step: begins and ends comparisons. The work is Integrator::work() of the
  // steps since a mark, so that a run repeats itself whatever
  // else the machine does.
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
    double per_work = 0;      // s per evaluation; 0: not measured
  };
  void choose();
  void mark(std::size_t index);
  IntegratorCounters counted_since_mark(std::size_t index) const;
  double work_since_mark(std::size_t index) const;
  double rate_since_mark(std::size_t index) const;
  bool has_slowed_down();
  void begin_trial();
  std::size_t next_candidate() const;
  double cost_of_start(std::size_t index) const;
  void settle(std::size_t index);

  std::vector<std::unique_ptr<Integrator>> all_;  // the usual one, the others, then the explicit one if there is any
  std::vector<Rate> rates_;
  bool has_explicit_ = false;
  std::vector<IntegratorCounters> earlier_;
  Integrator* now_ = nullptr;
  bool touches_stops_ = false;
  std::size_t settled_ = 0, trial_ = 0;  // places in all_; the same: no trial is under way
  std::size_t last_tried_ = 0;
  bool begun_ = false, trial_is_warm_ = false;
  double work_until_trial_ = 0, work_between_trials_ = 0;
  double watched_time_ = 0, watched_work_ = 0;  // where has_slowed_down() looked last
};

}  // namespace lithe
