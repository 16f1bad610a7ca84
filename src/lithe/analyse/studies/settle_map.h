// How long the tool swings over the workspace: the model's motions, each ending at another point of a grid.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/settle.h"

namespace lithe {

// Where the motions end, point by point.
struct SettleMapSpec {
  SettleSpec settle = {};              // with a tool
  std::vector<std::string> axes = {};  // where the motions end: "tool.x = 0.2 : 0.6 : 30", "joint.elbow = 0 deg : 90
                                       // deg : 10", or numbers of the model file
  std::vector<std::string> set = {};   // for all points
  ToolOrientation orientation = ToolOrientation::automatic;
  int threads = 0;  // 0: as many as there are processors
};

// Columns: settling_time (NaN: not within `after`), residual, last, frequency, as of SettledPoint, and those of
// motion_says.h. Prescribed motions are those of the model, shifted so that they end at the point. The model must
// outlive the grid.
Sweep make_settle_map(const VariableModel& model, const SettleMapSpec& spec, const RunHooks& hooks = {});
SweepResult settle_map(const VariableModel& model, const SettleMapSpec& spec, const RunHooks& hooks = {});

}  // namespace lithe
