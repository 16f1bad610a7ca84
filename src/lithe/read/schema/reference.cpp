// The reference page of the model file, from the same tables that drive the reader.
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/read/read_damping.h"
#include "lithe/read/read_model.h"
#include "lithe/read/schema/all_tables.h"

namespace lithe {
namespace {

std::string type_text(const KeySpec& key) {
  switch (key.type) {
    case KeyType::number:
      return "number";
    case KeyType::integer:
      return "whole number";
    case KeyType::text:
      return "text";
    case KeyType::boolean:
      return "true or false";
    case KeyType::switched:
      return "true, false or `auto`";
    case KeyType::choice:
      return "choice";
    case KeyType::vector:
      return "[x, y, z]";
    case KeyType::numbers:
      return "number or array";
    case KeyType::integers:
      return "whole number or array";
    case KeyType::texts:
      return "array of texts";
    case KeyType::matrix:
      return "6 x 6";
    case KeyType::inertia:
      return "[Ixx, Iyy, Izz] or 3 x 3";
    case KeyType::orientation:
      return "orientation";
    case KeyType::signal:
      return "signal";
    case KeyType::points:
      return "[[time, value], ...]";
    case KeyType::limits:
      return "[low, high]";
    case KeyType::column:
      return "text or whole number";
    case KeyType::table:
      return key.choices.empty() ? "table" : "text or table";
    case KeyType::tables:
      return "array of tables";
    case KeyType::named_tables:
      return "named tables";
    case KeyType::vectors:
      return "named [x, y, z]";
  }
  return {};
}

std::string unit_text(std::string_view unit) {
  const std::size_t bar = unit.find('|');
  if (bar == std::string_view::npos) return std::string(unit);
  return cat(unit.substr(0, bar), " or ", unit.substr(bar + 1));
}

std::string range_text(const KeySpec& key) {
  if (!key.choices.empty()) {
    std::string list;
    for (const std::string& choice : split_choices(key.choices)) list += (list.empty() ? "`" : ", `") + choice + "`";
    return list;
  }
  const Range& range = key.range;
  const bool has_low = range.low > any_value.low, has_high = range.high < any_value.high;
  const std::string low = cat(range.low_included ? "≥ " : "> ", number_text(range.low));
  const std::string high = cat(range.high_included ? "≤ " : "< ", number_text(range.high));
  if (has_low && has_high) return low + ", " + high;
  return has_low ? low : has_high ? high : "";
}

std::string default_text(const KeySpec& key) {
  if (key.required) return "**required**";
  return key.default_value.empty() ? "" : cat("`", key.default_value, "`");
}

std::string in_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

// In lines of at most 120 characters.
std::string in_lines(std::string_view text) {
  constexpr std::size_t width = 120;
  std::string lines;
  while (text.size() > width) {
    const std::size_t at = text.rfind(' ', width);
    if (at == std::string_view::npos) break;
    lines += cat(text.substr(0, at), "\n");
    text.remove_prefix(at + 1);
  }
  return lines += text;
}

std::string table_text(const TableSpec& table) {
  std::string page = cat("## ", table.heading, "\n\n", in_lines(table.sentence), "\n\n");
  page += "| key | type | unit | allowed | default | meaning |\n|---|---|---|---|---|---|\n";
  for (const KeySpec& key : table.keys) {
    page += cat("| `", key.name, "` | ", type_text(key), " | ", unit_text(key.unit), " | ", range_text(key), " | ",
                default_text(key), " | ", in_cell(std::string(key.sentence)), " |\n");
  }
  return page + "\n";
}

constexpr std::string_view introduction =
    R"(# The model file

<!-- Made by `lithe reference` from the tables that drive the reader. Do not edit. -->

A mechanism is one [TOML](https://toml.io) file. Numbers are in SI units. Any quantity may be written as a text
with its unit instead: `"8 mm"`, `"135 deg"`, `"70 GPa"`, `"2700 kg/m^3"`, `"10 rpm"`, `"1.5 kN"`, `"3 g cm^2"`.
A unit is a product (space, `*` or `·`) or quotient (`/`, which divides by the next factor alone) of
m, g, s, rad, N, Pa, J, W, Hz with the prefixes p n u m c d k M G T, and of min, h, deg, rev, rpm, bar, t, in, ft, lb,
lbf, psi, %; powers as in `m^2` or `m²`. Its dimension is checked.

All errors in a file are reported at once, with line and column:

```
l_shape.toml:9:17: error: material 'aluminium': Young's modulus must be positive, got -2e11 Pa
```

Unknown keys are errors; the nearest known key is suggested. Names may contain any characters. World axes are
those of the ground. A link's own frame is the one in which its nodes are written.

A complete file:

```toml
lithe = 1
gravity = [0, 0, -9.81]

[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3

[sections.bar]
shape = "rectangle"
width = "10 mm"
height = "30 mm"

[[links]]
name = "arm"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"

[[joints]]
name = "shoulder"
child = "arm"
child_node = "root"
axis = [0, 1, 0]

[[sensors]]
name = "tip position"
quantity = "position"
link = "arm"
node = "tip"

[[analyses]]
kind = "simulate"
end_time = 1
```

)";

}  // namespace

std::vector<const TableSpec*> all_tables() {
  std::vector<const TableSpec*> tables;
  for (const auto table : {file_table,
                           material_table,
                           section_table,
                           section_layer_table,
                           link_table,
                           segment_table,
                           mesh_group_table,
                           group_layer_table,
                           group_frame_table,
                           interface_table,
                           cylinder_table,
                           plane_table,
                           box_table,
                           lumped_mass_table,
                           shape_table,
                           damping_table,
                           reduction_table,
                           joint_table,
                           orientation_table,
                           dh_table,
                           dh_row_table,
                           dh_joint_table,
                           robot_table,
                           robot_link_table,
                           flexible_table,
                           robot_joint_table,
                           motor_table,
                           coupling_table,
                           coupling_term_table,
                           drive_table,
                           move_table,
                           waypoint_table,
                           payload_table,
                           load_table,
                           signal_table,
                           ramp_table,
                           sine_table,
                           chirp_table,
                           mechanism_damping_table,
                           coordinate_table,
                           initial_table,
                           target_table,
                           sensor_table,
                           reference_table,
                           s_curve_table,
                           controller_table,
                           shaper_table,
                           delayed_reference_table,
                           control_table,
                           modes_table,
                           simulate_table,
                           equilibrium_table,
                           inverse_dynamics_table,
                           spectrum_table,
                           condense_table,
                           imposed_table,
                           sweep_table,
                           linearise_table,
                           control_study_table,
                           size_study_table,
                           settle_study_table,
                           contributions_study_table,
                           shape_study_table,
                           identify_study_table}) {
    tables.push_back(&table());
  }
  return tables;
}

std::string model_file_reference() {
  std::string page(introduction);
  for (const TableSpec* table : all_tables()) page += table_text(*table);
  page.pop_back();
  return page;
}

}  // namespace lithe
