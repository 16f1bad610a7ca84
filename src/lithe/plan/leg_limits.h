// By how much a law of time exceeds the limits of joints and tool.
#pragma once

#include "lithe/plan/time_optimal.h"

namespace lithe {

struct LegExcess {
  double factor = 0;  // a law so many times slower just meets the limits; 0 where there are none
  int joint = -1;     // whose limit that is, index into PathLimits::coordinates; -1: the tool's
  int order = 0;      // 0: speed, 1: acceleration, 2: jerk
  double value = 0, limit = 0;
};

LegExcess leg_excess(const JointPath& path, const TimeLaw& law, const PathLimits& limits, bool of_tool);

}  // namespace lithe
