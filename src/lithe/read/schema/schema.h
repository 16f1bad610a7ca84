// The model file as tables of keys. The same tables drive parsing, unit conversion, range checks, the search for
// mistyped keys and the reference page docs/model_file.md.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace lithe {

enum class KeyType {
  number,
  integer,
  text,
  boolean,
  switched,      // true, false or "auto"
  choice,        // one of KeySpec::choices
  vector,        // three numbers
  numbers,       // an array of numbers, or one number
  integers,      // an array of whole numbers, or one
  texts,         // an array of texts
  matrix,        // six rows of six numbers
  inertia,       // three principal moments or a symmetric 3 x 3 matrix
  orientation,   // {axis, angle}, {rpy} or a rotation vector
  signal,        // a number or a signal table
  points,        // pairs of time and value
  limits,        // [low, high], or one such pair per freedom
  column,        // of a CSV table: its name or its number from 1
  table,         // a table with keys of its own, or one of KeySpec::choices
  tables,        // an array of tables
  named_tables,  // a table of named tables
  vectors,       // a table of named vectors
};

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_included = true;
  bool high_included = true;
};
inline constexpr Range any_value{};
inline constexpr Range positive{0, std::numeric_limits<double>::infinity(), false, true};
inline constexpr Range not_negative{0, std::numeric_limits<double>::infinity(), true, true};

struct KeySpec {
  std::string_view name;
  KeyType type = KeyType::number;
  std::string_view unit{};  // SI unit; "rad|m" for a quantity of a freedom: of a rotation | of a translation
  Range range = any_value;
  std::string_view choices{};        // "a|b|c"
  std::string_view default_value{};  // as the user would write it
  bool required = false;
  std::string_view sentence{};
  std::string_view label{};  // in messages, when the key itself does not read well
};

struct TableSpec {
  std::string_view heading;   // as it stands in a file: "[[links]]"
  std::string_view sentence;  // what it is, for the reference page
  std::vector<KeySpec> keys;

  const KeySpec* find(std::string_view key) const;
};

const TableSpec& file_table();
const TableSpec& material_table();
const TableSpec& section_table();
const TableSpec& link_table();
const TableSpec& segment_table();
const TableSpec& mesh_group_table();
const TableSpec& group_layer_table();
const TableSpec& group_frame_table();
const TableSpec& section_layer_table();
const TableSpec& interface_table();
const TableSpec& cylinder_table();
const TableSpec& plane_table();
const TableSpec& box_table();
const TableSpec& lumped_mass_table();
const TableSpec& damping_table();
const TableSpec& mechanism_damping_table();
const TableSpec& reduction_table();
const TableSpec& joint_table();
const TableSpec& coupling_table();
const TableSpec& coupling_term_table();
const TableSpec& dh_table();
const TableSpec& dh_row_table();
const TableSpec& dh_joint_table();
const TableSpec& drive_table();
const TableSpec& load_table();
const TableSpec& coordinate_table();
const TableSpec& signal_table();
const TableSpec& ramp_table();  // also of {move = ...}
const TableSpec& sine_table();
const TableSpec& chirp_table();
const TableSpec& orientation_table();
const TableSpec& initial_table();
const TableSpec& target_table();
const TableSpec& sensor_table();
const TableSpec& reference_table();
const TableSpec& s_curve_table();
const TableSpec& controller_table();
const TableSpec& shaper_table();
const TableSpec& delayed_reference_table();
const TableSpec& control_table();
const TableSpec& modes_table();
const TableSpec& simulate_table();
const TableSpec& equilibrium_table();
const TableSpec& inverse_dynamics_table();
const TableSpec& spectrum_table();
const TableSpec& condense_table();
const TableSpec& sweep_table();
const TableSpec& linearise_table();
const TableSpec& control_study_table();
const TableSpec& size_study_table();
const TableSpec& settle_study_table();
const TableSpec& contributions_study_table();
const TableSpec& shape_study_table();
const TableSpec& identify_study_table();
const TableSpec& imposed_table();
const TableSpec& robot_table();
const TableSpec& robot_link_table();
const TableSpec& robot_joint_table();
const TableSpec& flexible_table();
const TableSpec& shape_table();
const TableSpec& motor_table();
const TableSpec& move_table();
const TableSpec& waypoint_table();
const TableSpec& payload_table();

std::vector<std::string> split_choices(std::string_view choices);

}  // namespace lithe
