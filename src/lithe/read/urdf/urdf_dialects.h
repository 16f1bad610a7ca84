// What stands in URDF files beside links and joints: macros of xacro that were not expanded, and transmissions.
#pragma once

#include <optional>
#include <string>

#include "lithe/read/urdf/robot_description.h"
#include "lithe/read/xml/xml.h"

namespace lithe {

struct XacroPlace {
  int line = 0;
  std::string what;  // "<xacro:macro>", "${width}"
};
// The first sign of a xacro file that was not expanded; nothing in plain URDF.
std::optional<XacroPlace> find_xacro(const XmlElement& root);

// Reduction of each joint by <transmission>; those of several joints, and of joints that are not there, are noted.
void read_transmissions(const XmlElement& root, RobotDescription& robot);

}  // namespace lithe
