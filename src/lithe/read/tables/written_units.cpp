#include "lithe/read/tables/written_units.h"

#include <algorithm>
#include <array>
#include <optional>

#include "lithe/base/units.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"

namespace lithe {
namespace {

constexpr std::array<const char*, 6> shown_units = {"m", "m/s", "rad", "rad/s", "N", "N m"};

using Counts = std::map<std::string, std::map<std::string, int>>;  // by SI unit: texts of units

std::optional<std::string> si_unit_of(const Dimension& dimension) {
  for (const char* unit : shown_units)
    if (parse_unit(unit)->dimension == dimension) return unit;
  return std::nullopt;
}

// What follows the number: "8.5e-3 mm" -> "mm".
std::string unit_text(const std::string& text) {
  std::size_t at = text.find_first_not_of("+-0123456789.eE_ ");
  while (at != std::string::npos && at > 0 && (text[at - 1] == 'e' || text[at - 1] == 'E')) --at;
  return at == std::string::npos ? "" : text.substr(at, text.find_last_not_of(' ') + 1 - at);
}

bool is_length(const std::string& key) {
  static constexpr std::array names = {"length", "width", "height", "diameter", "radius", "thickness", "position"};
  for (const char* name : names)
    if (key.find(name) != std::string::npos) return true;
  return false;
}

void count(const Value& value, const std::string& key, bool of_nodes, Counts& counts) {
  if (value.kind == ValueKind::text) {
    const std::optional<MeasuredValue> found = parse_quantity(value.text);
    if (!found || !found->has_unit) return;
    if (const auto unit = si_unit_of(found->unit.dimension)) ++counts[*unit][unit_text(value.text)];
  } else if (value.is_number() && value.number != 0 && (of_nodes || is_length(key))) {
    ++counts["m"]["m"];
  }
  for (const Value& item : value.items) count(item, key, of_nodes, counts);
  for (const Member& member : value.members) count(member.value, member.key, of_nodes || member.key == "nodes", counts);
}

std::optional<DisplayUnit> display_unit(const std::string& text) {
  const std::optional<Unit> unit = parse_unit(text);
  if (!unit) return std::nullopt;
  return DisplayUnit{text, 1 / unit->factor};
}

void choose(const Counts& counts, WrittenUnits& units) {
  for (const auto& [si, texts] : counts) {
    const auto most =
        std::max_element(texts.begin(), texts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::optional<DisplayUnit> unit = display_unit(most->first);
    if (unit && unit->factor != 1) units.by_si_unit[si] = *unit;
  }
  const auto follow = [&](const char* of, const char* rate, const std::string& suffix) {
    const auto found = units.by_si_unit.find(of);
    if (found == units.by_si_unit.end() || counts.count(rate) > 0) return;
    units.by_si_unit[rate] = {found->second.unit + suffix, found->second.factor};
  };
  follow("m", "m/s", "/s");
  follow("rad", "rad/s", "/s");
  follow("rad", "rad/s^2", "/s^2");
}

}  // namespace

WrittenUnits written_units(const Value& document) {
  Counts counts;
  count(document, "", false, counts);
  WrittenUnits units;
  choose(counts, units);
  const Value* sensors = document.find("sensors");
  if (sensors == nullptr) return units;
  for (const Value& sensor : sensors->items) {
    const Value *name = sensor.find("name"), *text = sensor.find("unit");
    if (name == nullptr || text == nullptr) continue;
    if (const std::optional<DisplayUnit> unit = display_unit(text->text)) units.of_sensor[name->text] = *unit;
  }
  return units;
}

WrittenUnits written_units(const std::filesystem::path& file) {
  std::string problem;
  std::optional<std::string> text = text_in_run(file);
  if (!text) text = read_regular_file(file, largest_model_file, problem);
  if (!text) return {};
  try {
    return written_units(parse_toml(*text, file.string()));
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace lithe
