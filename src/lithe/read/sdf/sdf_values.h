// What the elements of an SDF file say: numbers are the text of child elements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/base/diagnostics.h"
#include "lithe/base/math.h"
#include "lithe/read/xml/xml.h"

namespace lithe {

class SdfValues {
 public:
  SdfValues(const std::string& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  void error(int line, const std::string& message) const;

  // The text of a child without white space around it; empty where there is none.
  static std::string text(const XmlElement& owner, std::string_view child);
  // As many numbers as the text must have; nothing, and an error, otherwise.
  std::optional<std::vector<double>> numbers(const XmlElement& element, std::size_t count) const;
  double number(const XmlElement& owner, std::string_view child, double otherwise) const;
  Vector3 vector(const XmlElement& owner, std::string_view child, const Vector3& otherwise) const;
  bool flag(const XmlElement& owner, std::string_view child, bool otherwise) const;

  // <pose>x y z roll pitch yaw</pose> of an element, also in degrees or with a quaternion; identity without one.
  Pose pose(const XmlElement& owner) const;
  // relative_to of that element; `frame` before version 1.7.
  static std::string relative_to(const XmlElement& owner);

 private:
  const std::string& file_;
  Diagnostics& diagnostics_;
};

}  // namespace lithe
