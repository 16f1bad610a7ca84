#include "app/motion/recording.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/read/tables/csv_table.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/results/files/csv.h"

namespace lithe::app {
namespace {

constexpr std::uintmax_t largest_recording = std::uintmax_t{1} << 31;  // bytes

// Headings are `name [unit]`.
std::pair<std::string, std::string> split_heading(const std::string& heading) {
  const std::size_t bracket = heading.rfind('[');
  if (bracket == std::string::npos || bracket == 0 || heading.back() != ']') return {heading, ""};
  const std::size_t end = heading.find_last_not_of(' ', bracket - 1) + 1;
  return {heading.substr(0, end), heading.substr(bracket + 1, heading.size() - bracket - 2)};
}

// What the program calls the SI unit of a dimension.
std::string si_name(const Dimension& dimension) {
  for (const char* name : {"m", "rad", "m/s", "rad/s", "m/s^2", "rad/s^2", "N", "N m", "s", "kg", "Hz", "Pa", "W"})
    if (parse_unit(name)->dimension == dimension) return name;
  std::string name;
  const auto add = [&](const char* unit, int power) {
    if (power != 0) name += cat(name.empty() ? "" : " ", unit, power == 1 ? "" : cat("^", power));
  };
  add("kg", dimension.mass);
  add("m", dimension.length);
  add("s", dimension.time);
  add("rad", dimension.angle);
  return name;
}

// A column in SI units; its unit keeps its name where it is one.
void to_si(const std::string& name, std::string& unit, std::vector<double>& values, const std::string& file, int line,
           Diagnostics& diagnostics) {
  if (unit.empty()) return;
  std::string error;
  const std::optional<Unit> found = parse_unit(unit, &error);
  if (!found) {
    diagnostics.error({file, line, 1, "", cat("column '", name, " [", unit, "]': ", error)});
    return;
  }
  if (found->factor == 1) return;
  for (double& value : values) value *= found->factor;
  unit = si_name(found->dimension);
}

void convert(Recording& recording, Diagnostics& diagnostics) {
  to_si(recording.x_name, recording.x_unit, recording.times, recording.file, recording.heading_line, diagnostics);
  for (Column& column : recording.columns)
    to_si(column.name, column.unit, column.values, recording.file, recording.heading_line, diagnostics);
}

}  // namespace

std::vector<const Column*> Recording::find(const std::string& given) const {
  const std::string sensor = in_one_line(given);  // as headings are written
  std::vector<const Column*> found;
  std::string known;
  for (const Column& column : columns) {
    const bool component = column.name.size() == sensor.size() + 2 && column.name.rfind(sensor + ".", 0) == 0;
    if (column.name == sensor || component) found.push_back(&column);
    known += cat(known.empty() ? "" : ", ", "'", column.name, "'");
  }
  if (found.empty()) throw InputError(cat(file, ": there is no sensor '", sensor, "'; there are: ", known));
  return found;
}

Recording in_si(Recording recording) {
  Diagnostics diagnostics;
  convert(recording, diagnostics);
  diagnostics.throw_if_any();
  return recording;
}

Recording in_si_where_known(Recording recording) {
  Diagnostics unknown;
  convert(recording, unknown);
  return recording;
}

Recording read_recording(const std::string& result) {
  std::error_code ignored;
  Recording recording;
  recording.file =
      std::filesystem::is_directory(result, ignored) ? (std::filesystem::path(result) / "motion.csv").string() : result;
  std::string problem;
  const std::optional<std::string> text = read_regular_file(recording.file, largest_recording, problem);
  note_in_run(recording.file);
  if (!text) throw InputError(cat(recording.file, ": cannot be read: ", problem));
  Diagnostics diagnostics;
  const CsvTable table =
      parse_csv(*text, recording.file, diagnostics, {.begins_with_heading = true, .allows_nan = true});
  diagnostics.throw_if_any();
  if (table.columns.size() < 2 || table.header.size() != table.columns.size())
    throw InputError(cat(recording.file, ": not a table of results: a heading and at least two columns"));
  std::tie(recording.x_name, recording.x_unit) = split_heading(table.header[0]);
  recording.times = table.columns[0];
  if (std::any_of(recording.times.begin(), recording.times.end(), [](double time) { return std::isnan(time); }))
    throw InputError(cat(recording.file, ": not a table of results: 'nan' in the first column"));
  if (!table.lines.empty()) recording.heading_line = table.lines.front() - 1;
  for (std::size_t i = 1; i < table.header.size(); ++i) {
    const auto [name, unit] = split_heading(table.header[i]);
    recording.columns.push_back({name, unit, table.columns[i]});
  }
  return recording;
}

}  // namespace lithe::app
