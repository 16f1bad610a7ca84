// A sweep in two parts, for who splits its points over processes: first those that are reached along the rows of the
// grid or from home, then by run_sweep() the others, which are reached from each other and are best left together.
#pragma once

#include "lithe/analyse/sweep/sweep.h"

namespace lithe {

// As run_sweep(), but points that their rows do not reach stay undone.
long long run_rows_of_sweep(const Sweep& sweep, SweepStore& store, const SweepOptions& options);

}  // namespace lithe
