// The fastest way along a path within limits of jerk, beside those of speed, acceleration and torque. With σ from 0 to
// 1 along a law of least jerk, y(σ) = σ̇² is a quadratic spline; then the limits are
//   |Q' y'/2 + Q'' y| <= acceleration,  |difference of that over an interval| <= jerk h / √y,
// and the torque is linear in y and y'. A barrier method minimises ∫ dσ/√y; every iterate keeps all limits.
#pragma once

#include "lithe/plan/time_optimal.h"

namespace lithe {

FastestLaw jerk_limited(const JointPath& path, const PathLimits& limits, const RigidTorques* torques, int intervals);

}  // namespace lithe
