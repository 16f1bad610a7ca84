// A model as a robot description for rigid-body engines: URDF, or MJCF of MuJoCo. What these cannot say is left out,
// and a note says so.
#pragma once

#include <string>
#include <vector>

#include "lithe/model/drive_train.h"
#include "lithe/model/model.h"
#include "lithe/read/urdf/drawn_shapes.h"

namespace lithe {

enum class RobotFormat { urdf, mjcf };

struct RobotText {
  std::string text;
  std::vector<std::string> notes;  // sentences on what the description does not say
};

// Links with mass, centre and inertia as they are undeformed, joints with limits, damping and friction, nodes that no
// joint uses, shapes with the names of meshes as they are. Throws InputError where the model is no mechanism.
RobotText robot_text(const Model& model, const std::vector<DriveTrain>& drive_trains, RobotFormat format,
                     const std::vector<DrawnShape>& shapes = {});

}  // namespace lithe
