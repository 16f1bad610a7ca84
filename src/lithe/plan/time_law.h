// How far along a path a move is at a time: s(t), from rest at 0 to rest at its length.
#pragma once

#include <vector>

#include "lithe/model/motion_pieces.h"
#include "lithe/model/move.h"

namespace lithe {

// Polynomials of degree five between times; its acceleration may jump.
class TimeLaw {
 public:
  void add(double time, const SignalValue& from, const SignalValue& to);  // the piece that ends at `time`
  double duration() const { return times_.back(); }
  const std::vector<double>& times() const { return times_; }  // from 0
  // `before`: the limit from below, at the end of a piece.
  SignalValue at(double time, bool before) const;
  // Limits and durations at the ends of the range of numbers leave no piece, or none with an end.
  bool is_sound() const;
  // The time at which it has come so far.
  double time_at(double s) const;
  TimeLaw stretched(double factor) const;

 private:
  std::vector<double> times_{0.0};
  std::vector<SignalValue> from_, to_;
};

// Shapes of a given duration: acceleration and braking each take a third of it.
TimeLaw law_in_time(MoveProfile profile, double length, double duration);
// The fastest of its shape. Trapezoids need limits of speed and acceleration, S-curves also of jerk.
TimeLaw fastest_law(MoveProfile profile, double length, const MotionLimits& limits);

}  // namespace lithe
