// Rows of [CMP] Table II and computing times of its runs, for the cases and figures that show them.
#pragma once

#include <vector>

#include "app/reproduce/papers/l_shape.h"
#include "app/reproduce/reproduce.h"

namespace lithe::app {

std::vector<PublishedRow> cmp_table2_rows(Progress& progress);
// Wall time of 2 s of motion, exponential integrator with steps of 1 ms; NaN where the run fails.
double l_shape_seconds(const LShapeRun& run);

}  // namespace lithe::app
