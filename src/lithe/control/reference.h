// References in time: smooth profiles, and input shapers that leave a mode at rest.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "lithe/model/control_setup.h"

namespace lithe {

// Seven phases of constant jerk. Infinite limits are allowed for none; a limit that the distance cannot reach is not
// reached.
class SCurve {
 public:
  explicit SCurve(const SCurveMove& move);
  SignalValue at(double time) const;
  double end_time() const { return start_time_ + times_.back(); }
  std::vector<double> break_times() const;

 private:
  double start_time_ = 0, start_value_ = 0, end_value_ = 0;
  std::array<double, 8> times_{};  // ends of the phases after the start; the first is 0
  std::array<double, 7> jerk_{};
  std::array<SignalValue, 8> states_{};
};

// Zero vibration, zero vibration and derivative, extra insensitive: for a mode of a frequency (Hz, undamped) and
// damping ratio.
Shaper make_shaper(ShaperKind kind, double frequency, double damping_ratio, double tolerance = 0.05);
// Vibration that the shaper leaves in a mode, over that of the unshaped impulse.
double residual_vibration(const Shaper& shaper, double frequency, double damping_ratio);

// A reference of the model, shaped.
class ReferenceFunction {
 public:
  explicit ReferenceFunction(const Reference& reference, Shaper shaper = {});
  SignalValue at(double time) const;
  // When it has come to rest; 0 for a constant, infinite where it never does.
  double end_time() const;

 private:
  SignalValue unshaped(double time) const;
  Signal signal_;
  std::optional<SCurve> s_curve_;
  double stretch_ = 1;
  Shaper shaper_;
};

}  // namespace lithe
