// A sweep over a grid as maps on a page.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lithe/analyse/sweep/sweep.h"
#include "lithe/view/report.h"

namespace lithe {

// Poses of all links (X_WL) at the points of a sweep, in the order of the grid; empty where the configuration is out of
// reach. Configurations are followed as run_sweep() does.
std::vector<std::vector<Pose>> sweep_configurations(const Sweep& sweep);

// Poses of all links (X_WL) in the initial configuration of the model. Throws InputError where there is none.
std::vector<Pose> home_poses(const Model& model);

// One map over the first two axes, with a quantity per wanted column; further axes at their first value. Configurations
// are added where only configurations change and points are few enough. `values(index)`: one per column of the sweep;
// NaN, or an empty list, where there are none.
ReportMap sweep_map(const Sweep& sweep, const std::vector<std::size_t>& columns,
                    const std::function<std::vector<double>(long long index)>& values);

}  // namespace lithe
