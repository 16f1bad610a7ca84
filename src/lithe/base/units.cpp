#include "lithe/base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

namespace lithe {
namespace {

struct NamedUnit {
  std::string_view name;
  double factor;
  Dimension dimension;  // length, mass, time, angle
  bool takes_prefix;
};

using std::numbers::pi;
constexpr double pound = 0.45359237, inch = 0.0254, standard_gravity = 9.80665;

constexpr std::array<NamedUnit, 31> named_units = {{
    {"m", 1, {1, 0, 0, 0}, true},
    {"g", 1e-3, {0, 1, 0, 0}, true},
    {"s", 1, {0, 0, 1, 0}, true},
    {"rad", 1, {0, 0, 0, 1}, true},
    {"N", 1, {1, 1, -2, 0}, true},
    {"Pa", 1, {-1, 1, -2, 0}, true},
    {"J", 1, {2, 1, -2, 0}, true},
    {"W", 1, {2, 1, -3, 0}, true},
    {"Hz", 1, {0, 0, -1, 0}, true},
    {"t", 1e3, {0, 1, 0, 0}, false},
    {"min", 60, {0, 0, 1, 0}, false},
    {"h", 3600, {0, 0, 1, 0}, false},
    {"deg", pi / 180, {0, 0, 0, 1}, false},
    {"°", pi / 180, {0, 0, 0, 1}, false},
    {"rev", 2 * pi, {0, 0, 0, 1}, false},
    {"rpm", 2 * pi / 60, {0, 0, -1, 1}, false},
    {"bar", 1e5, {-1, 1, -2, 0}, false},
    {"%", 0.01, {0, 0, 0, 0}, false},
    {"in", inch, {1, 0, 0, 0}, false},
    {"ft", 12 * inch, {1, 0, 0, 0}, false},
    {"lb", pound, {0, 1, 0, 0}, false},
    {"lbf", pound* standard_gravity, {1, 1, -2, 0}, false},
    {"psi", pound* standard_gravity / (inch * inch), {-1, 1, -2, 0}, false},
    {"kgf", standard_gravity, {1, 1, -2, 0}, false},
    {"inch", inch, {1, 0, 0, 0}, false},
    {"micron", 1e-6, {1, 0, 0, 0}, false},
    {"hour", 3600, {0, 0, 1, 0}, false},
    {"degree", pi / 180, {0, 0, 0, 1}, false},
    {"degrees", pi / 180, {0, 0, 0, 1}, false},
    {"turn", 2 * pi, {0, 0, 0, 1}, false},
    {"ton", 1e3, {0, 1, 0, 0}, false},
}};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr std::array<Prefix, 12> prefixes = {{{"p", 1e-12},
                                              {"n", 1e-9},
                                              {"u", 1e-6},
                                              {"µ", 1e-6},  // micro sign
                                              {"μ", 1e-6},  // Greek mu
                                              {"m", 1e-3},
                                              {"c", 1e-2},
                                              {"d", 1e-1},
                                              {"k", 1e3},
                                              {"M", 1e6},
                                              {"G", 1e9},
                                              {"T", 1e12}}};

// Whole names go before prefixed ones, so that "min" is a minute and "ft" a foot.
std::optional<Unit> find_unit(std::string_view name) {
  for (const NamedUnit& unit : named_units) {
    if (unit.name == name) return Unit{unit.factor, unit.dimension};
  }
  for (const Prefix& prefix : prefixes) {
    if (!name.starts_with(prefix.name)) continue;
    for (const NamedUnit& unit : named_units) {
      if (unit.takes_prefix && unit.name == name.substr(prefix.name.size())) {
        return Unit{prefix.factor * unit.factor, unit.dimension};
      }
    }
  }
  return std::nullopt;
}

constexpr int max_power = 9;

Unit power(const Unit& unit, int exponent) {
  const Dimension& d = unit.dimension;
  return {std::pow(unit.factor, exponent),
          {d.length * exponent, d.mass * exponent, d.time * exponent, d.angle * exponent}};
}

Unit product(const Unit& a, const Unit& b) {
  const Dimension &p = a.dimension, &q = b.dimension;
  return {a.factor * b.factor, {p.length + q.length, p.mass + q.mass, p.time + q.time, p.angle + q.angle}};
}

// Recursive descent over: product := factor { [*·/] factor } ; factor := ( name | "1" | "(" product ")" ) [power]
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : rest_(text) {}

  std::optional<Unit> parse() {
    std::optional<Unit> result = parse_product(0);
    skip_space();
    if (result && !rest_.empty()) return fail("unexpected '" + std::string(rest_) + "' in the unit");
    return result;
  }
  const std::string& error() const { return error_; }

 private:
  std::optional<Unit> fail(std::string text) {
    if (error_.empty()) error_ = std::move(text);
    return std::nullopt;
  }

  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }

  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::optional<Unit> parse_product(int depth) {
    if (depth > 8) return fail("too many brackets in the unit");
    std::optional<Unit> result = parse_factor(depth);
    while (result) {
      skip_space();
      if (rest_.empty() || rest_.front() == ')') break;
      const bool divides = take("/");
      if (!divides && !take("*")) take("·");
      const std::optional<Unit> next = parse_factor(depth);
      if (!next) return std::nullopt;
      result = product(*result, power(*next, divides ? -1 : 1));
    }
    return result;
  }

  std::optional<Unit> parse_factor(int depth) {
    skip_space();
    std::optional<Unit> unit;
    if (take("(")) {
      unit = parse_product(depth + 1);
      skip_space();
      if (unit && !take(")")) return fail("a bracket is not closed in the unit");
    } else if (take("1")) {
      unit = Unit{};
    } else {
      unit = parse_name();
    }
    if (!unit) return std::nullopt;
    return parse_power(*unit);
  }

  std::optional<Unit> parse_name() {
    std::size_t length = 0;
    while (length < rest_.size() && std::string_view(" \t*/^()0123456789+-").find(rest_[length]) == rest_.npos &&
           !rest_.substr(length).starts_with("·") && !rest_.substr(length).starts_with("²") &&
           !rest_.substr(length).starts_with("³")) {
      ++length;
    }
    const std::string_view name = rest_.substr(0, length);
    if (name.empty()) return fail("a unit is missing before '" + std::string(rest_) + "'");
    const std::optional<Unit> unit = find_unit(name);
    if (!unit) return fail("unknown unit '" + std::string(name) + "'");
    rest_.remove_prefix(length);
    return unit;
  }

  std::optional<Unit> parse_power(const Unit& unit) {
    if (take("²")) return power(unit, 2);
    if (take("³")) return power(unit, 3);
    if (!take("^")) return unit;
    take("+");
    int exponent = 0;
    const auto [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), exponent);
    if (status != std::errc() || std::abs(exponent) > max_power)
      return fail("a power in the unit is not a small integer");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return power(unit, exponent);
  }

  std::string_view rest_;
  std::string error_;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<Unit> parse_unit(std::string_view text, std::string* error) {
  UnitParser parser(text);
  std::optional<Unit> unit = parser.parse();
  if (!unit && error) *error = parser.error();
  return unit;
}

std::optional<MeasuredValue> parse_quantity(std::string_view text, std::string* error) {
  text = trimmed(text);
  std::string_view rest = text;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  MeasuredValue result;
  const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), result.number);
  if (status != std::errc()) {
    if (error)
      *error = status == std::errc::result_out_of_range ? "the number is too large or too small to be stored"
                                                        : "a number is missing at the start";
    return std::nullopt;
  }
  const std::string_view unit_text = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
  if (unit_text.empty()) return result;
  const std::optional<Unit> unit = parse_unit(unit_text, error);
  if (!unit) return std::nullopt;
  result.unit = *unit;
  result.has_unit = true;
  return result;
}

bool fits(const Dimension& given, const Dimension& expected) {
  if (given == expected) return true;
  Dimension without_angle = expected;
  without_angle.angle = 0;
  return expected.mass != 0 && given == without_angle;
}

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), status == std::errc() ? end : buffer.data());
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  // 2e+11 and 1e-05 as people write them: 2e11, 1e-5
  std::size_t digit = exponent + 1;
  if (text[digit] == '+') text.erase(digit, 1);
  if (text[digit] == '-') ++digit;
  while (text[digit] == '0' && digit + 1 < text.size()) text.erase(digit, 1);
  return text;
}

}  // namespace lithe
