// The points of a sweep in memory.
#pragma once

#include "lithe/analyse/analyses.h"

namespace lithe {

// All points of a grid; threads 0: as many as there are processors.
SweepResult all_points(const Sweep& grid, int threads, const RunHooks& hooks);

}  // namespace lithe
