// Runs against a reference on a page.
#pragma once

#include "lithe/analyse/compare/compare.h"
#include "lithe/view/report.h"

namespace lithe {

// The first run moves in the 3-D view; curves of all, differences from the first, and tables of how well they agree.
Report comparison_report(const Comparison& comparison);

}  // namespace lithe
