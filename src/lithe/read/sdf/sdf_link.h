// What a <link> of an SDF file holds: its inertia and its shapes.
#pragma once

#include "lithe/read/sdf/sdf_values.h"
#include "lithe/read/urdf/robot_description.h"

namespace lithe {

// `folder` stands before the names of meshes: where the file lies that holds the link.
DescribedLink read_sdf_link(const XmlElement& element, const std::string& name, const std::string& folder,
                            const SdfValues& values, std::vector<std::string>& notes);

}  // namespace lithe
