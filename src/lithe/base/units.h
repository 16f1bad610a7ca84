// Quantities with a unit, as users write them: "8 mm", "135 deg", "2700 kg/m^3", "3 g cm^2". Everything inside Lithe is
// SI.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lithe {

// Powers of metre, kilogram, second and radian. The radian is kept apart although it is a pure number, so that a
// length given in degrees, or an angular speed in hertz, is noticed.
struct Dimension {
  int length = 0, mass = 0, time = 0, angle = 0;
  bool operator==(const Dimension&) const = default;
};

struct Unit {
  double factor = 1;  // SI value of one such unit
  Dimension dimension;
};

// "N m/rad", "kg/m^3", "N/(m s)", "1/s": products by space, * or ·, quotients (a slash divides by the next factor
// alone), integer powers, SI prefixes. Nothing when a part is unknown; `error` then says which.
std::optional<Unit> parse_unit(std::string_view text, std::string* error = nullptr);

struct MeasuredValue {
  double number = 0;  // as written
  Unit unit;
  bool has_unit = false;
  double in_si() const { return number * unit.factor; }
};

// A number, then perhaps a unit.
std::optional<MeasuredValue> parse_quantity(std::string_view text, std::string* error = nullptr);

// Whether a value of dimension `given` may stand where `expected` is asked for. Mechanical quantities of a rotation are
// also accepted without the radian: a stiffness in "N m" for "N m/rad".
bool fits(const Dimension& given, const Dimension& expected);

// Shortest text that reads back to the same number: 8, 0.1, -2e11.
std::string number_text(double value);

}  // namespace lithe
