// MJCF, the description language of MuJoCo: https://mujoco.readthedocs.io/en/stable/XMLreference.html.
#pragma once

#include "lithe/read/urdf/robot_description.h"

namespace lithe {

// Bodies, joints, inertias (also from geoms), sites, equality constraints, limits of actuators, defaults, includes.
// Throws InputError with every error of the file.
RobotDescription read_mjcf(std::string_view text, const std::string& file, const DescriptionChoices& choices);

}  // namespace lithe
