// Elements of an MJCF file with what default classes and the compiler's settings say of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lithe/base/diagnostics.h"
#include "lithe/base/math.h"
#include "lithe/read/xml/xml.h"

namespace lithe {

struct MjcfSettings {
  bool degrees = true, autolimits = true;
  std::string euler = "xyz";
  std::optional<bool> inertia_from_geoms;          // unset: where a body has no <inertial>
  std::pair<double, double> inertia_groups{0, 5};  // of the geoms that then count
};

// Attributes by class and element; a class has those of the one around it.
using MjcfClass = std::map<std::string, std::map<std::string, XmlAttribute>>;

class MjcfDefaults {
 public:
  void read(const XmlElement& element, const std::string& parent);
  // The attribute of the element, or of its class, or of the class that its body names for all within.
  const XmlAttribute* find(const XmlElement& element, const std::string& body_class, std::string_view name) const;

 private:
  std::map<std::string, MjcfClass> classes_;
};

// The shortest turn of the z axis into a direction; about x where it is the opposite one.
Matrix3 turned_z(const Vector3& direction);

// An element, and what its attributes mean.
class MjcfElement {
 public:
  MjcfElement(const XmlElement& element, const std::string& body_class, const MjcfDefaults& defaults,
              const MjcfSettings& settings, const std::string& file, Diagnostics& diagnostics)
      : element_(element),
        class_(body_class),
        defaults_(defaults),
        settings_(settings),
        file_(file),
        diagnostics_(diagnostics) {}

  const XmlElement& xml() const { return element_; }
  std::string text(std::string_view name, const std::string& otherwise = {}) const;
  bool has(std::string_view name) const { return defaults_.find(element_, class_, name) != nullptr; }
  // As many as there are, at least `least` and at most `most`; nothing, and an error, otherwise.
  std::vector<double> numbers(std::string_view name, std::size_t least, std::size_t most) const;
  double number(std::string_view name, double otherwise) const;
  Vector3 vector(std::string_view name, const Vector3& otherwise) const;
  // pos and quat, axisangle, euler, xyaxes or zaxis.
  Pose pose() const;
  double angle(double value) const { return settings_.degrees ? value * (3.14159265358979323846 / 180) : value; }
  void error(const std::string& message) const;

 private:
  Matrix3 orientation() const;
  Matrix3 of_euler(const Vector3& angles) const;

  const XmlElement& element_;
  const std::string& class_;
  const MjcfDefaults& defaults_;
  const MjcfSettings& settings_;
  const std::string& file_;
  Diagnostics& diagnostics_;
};

}  // namespace lithe
