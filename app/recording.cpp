#include "app/recording.h"

#include <filesystem>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/csv_table.h"
#include "lithe/read/input_file.h"

namespace lithe::app {
namespace {

constexpr std::uintmax_t largest_recording = std::uintmax_t{1} << 31;  // bytes

// Headings are `name [unit]`.
std::pair<std::string, std::string> split_heading(const std::string& heading) {
  const std::size_t bracket = heading.rfind(" [");
  if (bracket == std::string::npos || heading.back() != ']') return {heading, ""};
  return {heading.substr(0, bracket), heading.substr(bracket + 2, heading.size() - bracket - 3)};
}

}  // namespace

std::vector<const TrajectoryColumn*> Recording::find(const std::string& sensor) const {
  std::vector<const TrajectoryColumn*> found;
  std::string known;
  for (const TrajectoryColumn& column : columns) {
    const bool component = column.name.size() == sensor.size() + 2 && column.name.rfind(sensor + ".", 0) == 0;
    if (column.name == sensor || component) found.push_back(&column);
    known += cat(known.empty() ? "" : ", ", "'", column.name, "'");
  }
  if (found.empty()) throw InputError(cat(file, ": there is no sensor '", sensor, "'; there are: ", known));
  return found;
}

Recording read_recording(const std::string& result) {
  std::error_code ignored;
  Recording recording;
  recording.file =
      std::filesystem::is_directory(result, ignored) ? (std::filesystem::path(result) / "motion.csv").string() : result;
  std::string problem;
  const std::optional<std::string> text = read_regular_file(recording.file, largest_recording, problem);
  if (!text) throw InputError(cat(recording.file, ": cannot be read: ", problem));
  Diagnostics diagnostics;
  const CsvTable table = parse_csv(*text, recording.file, diagnostics, {.begins_with_heading = true});
  diagnostics.throw_if_any();
  if (table.columns.size() < 2 || table.header.size() != table.columns.size())
    throw InputError(cat(recording.file, ": not a table of results: a heading and at least two columns"));
  std::tie(recording.x_name, recording.x_unit) = split_heading(table.header[0]);
  recording.times = table.columns[0];
  for (std::size_t i = 1; i < table.header.size(); ++i) {
    const auto [name, unit] = split_heading(table.header[i]);
    recording.columns.push_back({name, unit, table.columns[i]});
  }
  return recording;
}

}  // namespace lithe::app
