// <replicate>: copies of its content, each in a <frame> moved on by the same pose, with numbered names. Actuators and
// equalities of what was copied are copied with it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/read/xml/xml.h"

namespace lithe {

struct ReplicateReader {
  std::function<Pose(const XmlElement&)> step;  // from one copy to the next
  std::function<void(const XmlElement&, const std::string&)> error;
};

// Of the root element, in place.
void expand_replicates(XmlElement& root, const ReplicateReader& reader);

}  // namespace lithe
