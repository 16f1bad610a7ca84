#include "lithe/read/sdf/sdf_values.h"

#include <cctype>
#include <numbers>

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/read/urdf/words.h"

namespace lithe {

void SdfValues::error(int line, const std::string& message) const {
  constexpr std::size_t most = 200;
  if (diagnostics_.errors().size() < most)
    diagnostics_.error({.file = file_, .line = line, .column = 1, .path = {}, .message = message});
}

std::string SdfValues::text(const XmlElement& owner, std::string_view child) {
  const XmlElement* element = owner.child(child);
  if (!element) return {};
  constexpr std::string_view space = " \t\r\n";
  const std::size_t start = element->text.find_first_not_of(space);
  if (start == std::string::npos) return {};
  return element->text.substr(start, element->text.find_last_not_of(space) - start + 1);
}

std::optional<std::vector<double>> SdfValues::numbers(const XmlElement& element, std::size_t count) const {
  std::vector<double> values;
  Words words(element.text);
  bool good = true;
  for (double value = 0; good && !words.done() && values.size() <= count;) {
    good = words.number(value);
    if (good) values.push_back(value);
  }
  if (good && values.size() == count) return values;
  error(element.line, cat("<", element.name, "> must hold ", count == 1 ? "a number" : cat(count, " numbers"), ", got ",
                          in_quotes(element.text)));
  return std::nullopt;
}

double SdfValues::number(const XmlElement& owner, std::string_view child, double otherwise) const {
  const XmlElement* element = owner.child(child);
  const auto values = element ? numbers(*element, 1) : std::nullopt;
  return values ? (*values)[0] : otherwise;
}

Vector3 SdfValues::vector(const XmlElement& owner, std::string_view child, const Vector3& otherwise) const {
  const XmlElement* element = owner.child(child);
  const auto values = element ? numbers(*element, 3) : std::nullopt;
  return values ? Vector3((*values)[0], (*values)[1], (*values)[2]) : otherwise;
}

bool SdfValues::flag(const XmlElement& owner, std::string_view child, bool otherwise) const {
  const XmlElement* element = owner.child(child);
  if (!element) return otherwise;
  std::string word = text(owner, child);
  for (char& letter : word) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (word == "true" || word == "1") return true;
  if (word != "false" && word != "0")
    error(element->line, cat("<", child, "> must be true or false, got ", in_quotes(word)));
  return false;
}

Pose SdfValues::pose(const XmlElement& owner) const {
  const XmlElement* element = owner.child("pose");
  if (!element || element->text.find_first_not_of(" \t\r\n") == std::string::npos) return {};
  const XmlAttribute *format = element->find("rotation_format"), *degrees = element->find("degrees");
  if (format && format->value == "quat_xyzw") {
    const auto v = numbers(*element, 7);
    if (!v) return {};
    const Quaternion turn((*v)[6], (*v)[3], (*v)[4], (*v)[5]);
    if (turn.norm() > 1e-12) return {turn.normalized().toRotationMatrix(), {(*v)[0], (*v)[1], (*v)[2]}};
    error(element->line, "the quaternion of <pose> must not be zero");
    return {};
  }
  if (format && format->value != "euler_rpy")
    error(format->line, cat("rotation_format must be euler_rpy or quat_xyzw, got ", in_quotes(format->value)));
  const auto v = numbers(*element, 6);
  if (!v) return {};
  const bool in_degrees = degrees && (degrees->value == "true" || degrees->value == "1");
  const double unit = in_degrees ? std::numbers::pi / 180 : 1;
  const auto turn = [&](std::size_t k, const Vector3& axis) { return Eigen::AngleAxisd(unit * (*v)[k], axis); };
  return {(turn(5, Vector3::UnitZ()) * turn(4, Vector3::UnitY()) * turn(3, Vector3::UnitX())).toRotationMatrix(),
          {(*v)[0], (*v)[1], (*v)[2]}};
}

std::string SdfValues::relative_to(const XmlElement& owner) {
  const XmlElement* element = owner.child("pose");
  if (!element) return {};
  for (const char* name : {"relative_to", "frame"})
    if (const XmlAttribute* attribute = element->find(name)) return attribute->value;
  return {};
}

}  // namespace lithe
