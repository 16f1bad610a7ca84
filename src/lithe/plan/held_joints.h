// Joints with motors that no move commands.
#pragma once

#include <string>
#include <vector>

#include "lithe/model/drive_train.h"

namespace lithe {

// Joints with a drive train that nothing drives stay at their initial values; those that follow another joint whose
// motion is prescribed move with it. Returns sentences that say so.
std::vector<std::string> hold_joints(Model& model, const std::vector<DriveTrain>& trains);

}  // namespace lithe
