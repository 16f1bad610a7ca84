// SDF, the description language of Gazebo: http://sdformat.org/spec.
#pragma once

#include "lithe/read/urdf/robot_description.h"

namespace lithe {

// Models, also nested, included and static ones; links, joints, frames; of a world its models. Versions 1.4 to 1.12.
// Throws InputError with every error of the file.
RobotDescription read_sdf(std::string_view text, const std::string& file, const DescriptionChoices& choices);

}  // namespace lithe
