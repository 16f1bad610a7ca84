#include "lithe/read/mjcf/mjcf_element.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/read/urdf/words.h"

namespace lithe {
namespace {

constexpr std::array<std::string_view, 5> orientations{"quat", "axisangle", "euler", "xyaxes", "zaxis"};

bool is_orientation(std::string_view name) {
  return std::find(orientations.begin(), orientations.end(), name) != orientations.end();
}
bool has_orientation(const XmlElement& element) {
  return std::any_of(orientations.begin(), orientations.end(),
                     [&](std::string_view name) { return element.find(name) != nullptr; });
}

}  // namespace

void MjcfDefaults::read(const XmlElement& element, const std::string& parent) {
  const XmlAttribute* name = element.find("class");
  const std::string own = name ? name->value : parent.empty() ? "main" : parent;
  MjcfClass merged = parent.empty() ? MjcfClass{} : classes_[parent];
  for (const XmlElement& child : element.children)
    if (child.name != "default") {
      auto& attributes = merged[child.name];
      if (has_orientation(child))  // in any form, it replaces that of the class around it
        for (const std::string_view form : orientations) attributes.erase(std::string(form));
      for (const XmlAttribute& attribute : child.attributes) attributes[attribute.name] = attribute;
    }
  classes_[own] = std::move(merged);
  for (const XmlElement& child : element.children)
    if (child.name == "default") read(child, own);
}

const XmlAttribute* MjcfDefaults::find(const XmlElement& element, const std::string& body_class,
                                       std::string_view name) const {
  if (const XmlAttribute* own = element.find(name)) return own;
  if (is_orientation(name) && has_orientation(element)) return nullptr;
  const XmlAttribute* named = element.find("class");
  const auto found = classes_.find(named ? named->value : body_class.empty() ? "main" : body_class);
  if (found == classes_.end()) return nullptr;
  const auto of_element = found->second.find(element.name);
  if (of_element == found->second.end()) return nullptr;
  const auto attribute = of_element->second.find(std::string(name));
  return attribute == of_element->second.end() ? nullptr : &attribute->second;
}

std::string MjcfElement::text(std::string_view name, const std::string& otherwise) const {
  const XmlAttribute* found = defaults_.find(element_, class_, name);
  return found ? found->value : otherwise;
}

void MjcfElement::error(const std::string& message) const {
  constexpr std::size_t most = 200;
  if (diagnostics_.errors().size() < most)
    diagnostics_.error({.file = file_, .line = element_.line, .column = 1, .path = {}, .message = message});
}

std::vector<double> MjcfElement::numbers(std::string_view name, std::size_t least, std::size_t most) const {
  const XmlAttribute* found = defaults_.find(element_, class_, name);
  if (!found) return {};
  std::vector<double> values;
  Words words(found->value);
  bool good = true;
  for (double value; good && !words.done() && values.size() <= most;) {
    good = words.number(value);
    if (good) values.push_back(value);
  }
  if (good && values.size() >= least && values.size() <= most) return values;
  error(cat("<", element_.name, ">: ", name, " must be ", least == most ? cat(least) : cat(least, " to ", most),
            most == 1 ? " number" : " numbers", ", got ", in_quotes(found->value)));
  return {};
}

double MjcfElement::number(std::string_view name, double otherwise) const {
  const std::vector<double> values = numbers(name, 1, 1);
  return values.empty() ? otherwise : values[0];
}

Vector3 MjcfElement::vector(std::string_view name, const Vector3& otherwise) const {
  const std::vector<double> values = numbers(name, 3, 3);
  return values.empty() ? otherwise : Vector3(values[0], values[1], values[2]);
}

// Each letter turns about an axis of the moved frame, a capital one about an axis of the fixed frame.
Matrix3 MjcfElement::of_euler(const Vector3& angles) const {
  Matrix3 result = Matrix3::Identity();
  for (int k = 0; k < 3; ++k) {
    const char letter = settings_.euler[static_cast<std::size_t>(k)];
    const int axis = std::tolower(static_cast<unsigned char>(letter)) - 'x';
    const Matrix3 turn = Eigen::AngleAxisd(angle(angles[k]), Vector3::Unit(axis)).toRotationMatrix();
    result = std::islower(static_cast<unsigned char>(letter)) ? Matrix3(result * turn) : Matrix3(turn * result);
  }
  return result;
}

Matrix3 MjcfElement::orientation() const {
  if (const std::vector<double> q = numbers("quat", 4, 4); !q.empty()) {
    const Quaternion turn(q[0], q[1], q[2], q[3]);
    if (turn.norm() > 1e-12) return turn.normalized().toRotationMatrix();
    error(cat("<", element_.name, ">: quat must not be zero"));
  } else if (const std::vector<double> a = numbers("axisangle", 4, 4); !a.empty()) {
    const Vector3 axis(a[0], a[1], a[2]);
    if (axis.norm() > 1e-12) return Eigen::AngleAxisd(angle(a[3]), axis.normalized()).toRotationMatrix();
    error(cat("<", element_.name, ">: the axis of axisangle must not be zero"));
  } else if (const std::vector<double> e = numbers("euler", 3, 3); !e.empty()) {
    return of_euler({e[0], e[1], e[2]});
  } else if (const std::vector<double> xy = numbers("xyaxes", 6, 6); !xy.empty()) {
    const Vector3 x = Vector3(xy[0], xy[1], xy[2]).normalized();
    const Vector3 y = Vector3(xy[3], xy[4], xy[5]) - x * x.dot(Vector3(xy[3], xy[4], xy[5]));
    Matrix3 R;
    R << x, y.normalized(), x.cross(y.normalized());
    if (R.allFinite() && y.norm() > 1e-12) return R;
    error(cat("<", element_.name, ">: xyaxes must be two directions"));
  } else if (const std::vector<double> z = numbers("zaxis", 3, 3); !z.empty()) {
    const Vector3 axis(z[0], z[1], z[2]);
    if (axis.norm() > 1e-12) return turned_z(axis);
    error(cat("<", element_.name, ">: zaxis must not be zero"));
  }
  return Matrix3::Identity();
}

Matrix3 turned_z(const Vector3& direction) {
  const Vector3 across = Vector3::UnitZ().cross(direction);
  const double sine = across.norm();
  const Vector3 axis = sine > 1e-10 * direction.norm() ? Vector3(across / sine) : Vector3::UnitX();
  return Eigen::AngleAxisd(std::atan2(sine, direction.z()), axis).toRotationMatrix();
}

Pose MjcfElement::pose() const { return {orientation(), vector("pos", Vector3::Zero())}; }

}  // namespace lithe
