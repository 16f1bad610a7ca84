#include <optional>

#include "lithe/base/diagnostics.h"
#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/read/read_model.h"
#include "lithe/read/tables/csv_table.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"

namespace lithe {
namespace {

std::string trimmed(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// "tip.x [mm]": the unit in the last brackets.
Column column_of(const std::string& heading) {
  Column column;
  const std::size_t open = heading.rfind('['), close = heading.rfind(']');
  const bool has_unit = open != heading.npos && close == heading.size() - 1 && open < close;
  column.name = trimmed(heading.substr(0, has_unit ? open : heading.size()));
  if (has_unit) column.unit = trimmed(heading.substr(open + 1, close - open - 1));
  return column;
}

}  // namespace

MeasuredData measured_of_text(const std::string& text, const std::string& file_name) {
  Diagnostics diagnostics;
  CsvTable table = parse_csv(text, file_name, diagnostics);
  diagnostics.throw_if_any();
  const auto refuse = [&](const std::string& why) {
    throw InputError({Diagnostic{.file = file_name, .line = 0, .column = 0, .path = {}, .message = why}});
  };
  if (table.header.empty())
    refuse(
        "a measurement begins with a line of headings, such as: time [s], tip.x [mm]; here the first line has numbers");
  MeasuredData data;
  data.file = file_name;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    Column column = column_of(table.header[c]);
    column.values = std::move(table.columns[c]);
    std::string error;
    const std::optional<Unit> unit = column.unit.empty() ? Unit{} : parse_unit(column.unit, &error);
    if (!unit) refuse(cat("column ", c + 1, ", ", in_quotes(table.header[c]), ": ", error));
    for (double& value : column.values) value *= unit->factor;
    data.columns.push_back(std::move(column));
  }
  return data;
}

MeasuredData read_measured(const std::filesystem::path& path) {
  std::string problem;
  const std::optional<std::string> text = read_regular_file(path, largest_table_file, problem);
  note_in_run(path);
  if (!text)
    throw InputError({Diagnostic{.file = path.string(), .line = 0, .column = 0, .path = {}, .message = problem}});
  return measured_of_text(*text, path.string());
}

}  // namespace lithe
