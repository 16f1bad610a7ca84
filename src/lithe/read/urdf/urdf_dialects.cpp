#include "lithe/read/urdf/urdf_dialects.h"

#include <cmath>

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/read/urdf/words.h"

namespace lithe {

std::optional<XacroPlace> find_xacro(const XmlElement& root) {
  if (root.name.starts_with("xacro:")) return XacroPlace{root.line, cat("<", root.name, ">")};
  for (const XmlAttribute& attribute : root.attributes)
    if (attribute.value.find("${") != std::string::npos || attribute.value.find("$(") != std::string::npos)
      return XacroPlace{attribute.line, in_quotes(attribute.value)};
  for (const XmlElement& child : root.children)
    if (const auto found = find_xacro(child)) return found;
  return std::nullopt;
}

namespace {

// Nothing where there is no <mechanicalReduction>, 0 where it is no number.
std::optional<double> reduction_in(const XmlElement& element) {
  const XmlElement* found = element.child("mechanicalReduction");
  if (!found) return std::nullopt;
  Words words(found->text);
  double value = 0;
  return words.number(value) && words.done() ? value : 0.0;
}

}  // namespace

void read_transmissions(const XmlElement& root, RobotDescription& robot) {
  for (const XmlElement* transmission : root.all("transmission")) {
    const XmlAttribute* name = transmission->find("name");
    const auto note = [&](const std::string& what) {
      robot.notes.push_back(
          cat(robot.file, ":", transmission->line, ": transmission ", in_quotes(name ? name->value : ""), ": ", what));
    };
    const auto joints = transmission->all("joint"), actuators = transmission->all("actuator");
    if (joints.size() > 1 || actuators.size() > 1) {
      note("of several joints or motors, passed over; say how they go together with [[couplings]]");
      continue;
    }
    if (joints.empty()) continue;
    const XmlAttribute* joint = joints[0]->find("name");
    const int index = joint ? robot.find_joint(joint->value) : -1;
    std::optional<double> ratio = reduction_in(*joints[0]);
    if (!ratio && !actuators.empty()) ratio = reduction_in(*actuators[0]);
    if (!ratio) ratio = reduction_in(*transmission);
    if (!ratio || *ratio == 1) continue;
    if (index < 0) {
      note(cat("passed over: there is no joint ", in_quotes(joint ? joint->value : "")));
    } else if (!(std::abs(*ratio) > 0)) {
      note("passed over: mechanicalReduction is no ratio of speeds");
    } else {
      robot.joints[static_cast<std::size_t>(index)].ratio = std::abs(*ratio);
    }
  }
}

}  // namespace lithe
