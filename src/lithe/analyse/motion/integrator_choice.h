// Which integrator makes the next step of a run. `automatic` has two: the exponential method, and an explicit one where
// that does better.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lithe/integrate/integrator.h"

namespace lithe {

class IntegratorChoice {
 public:
  // Without an explicit method there is nothing to choose.
  void set(std::unique_ptr<Integrator> usual, std::unique_ptr<Integrator> explicit_method = nullptr);

  Integrator& now() const { return *now_; }
  // A stop's damper couples all modes, and the little inertia next to the joint follows it within microseconds: what
  // the exponential method solves exactly is then no longer the fastest part of the motion.
  void touch_stops(bool touched);
  // Before a step. Nor does the exponential method where errors ask for steps in which every vibration is resolved: the
  // explicit one is then tried, and kept for a while if its steps of six evaluations are longer in proportion than
  // those of four.
  void consider_trial();
  void forget_trials();

  // Those that made steps, the one with most of them first: "exponential, dormand_prince".
  std::string names() const;
  IntegratorCounters counters() const;
  // Of each integrator; `count_from`: those of the run that is continued.
  std::vector<IntegratorCounters> all_counters() const;
  void count_from(std::vector<IntegratorCounters> earlier) { earlier_ = std::move(earlier); }

 private:
  void choose();

  std::vector<std::unique_ptr<Integrator>> all_;  // the usual one, then the explicit one if there is any
  std::vector<IntegratorCounters> earlier_;
  Integrator* now_ = nullptr;
  bool touches_stops_ = false;
  int explicit_steps_left_ = 0, steps_without_trial_ = 0;
  double trial_start_ = 0, usual_step_ = 0;
};

}  // namespace lithe
