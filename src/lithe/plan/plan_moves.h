// Moves become prescribed motions of joints, before anything else is asked of a model.
#pragma once

#include <vector>

#include "lithe/base/diagnostics.h"
#include "lithe/model/move.h"

namespace lithe {

// Joints of one degree of freedom, without springs, that lead from the ground to a link; nothing where several ways do.
std::vector<int> joints_to_tool(const Model& model, int link);

// What a plan has to know beside the model.
struct PlanSetup {
  std::vector<int> gearboxes;             // joints of elastic gearboxes, which stay relaxed
  std::vector<MoveReference> references;  // of controllers, that follow moves
  std::vector<PayloadMoves> payloads{};   // whose times are ends of moves
};

// Adds a drive with a prescribed motion for every joint that moves drive, beginning at the joint's initial value. What
// cannot be done is reported at the move or the waypoint; a mechanism that does not close is left to who finds that.
// Joints that controllers drive get no drive, but the references that follow them.
std::vector<PlannedMove> plan_moves(Model& model, const std::vector<Move>& moves, const PlanSetup& setup,
                                    Diagnostics& diagnostics);

}  // namespace lithe
