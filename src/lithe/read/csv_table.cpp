#include "lithe/read/csv_table.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

struct Cell {
  std::string_view text;
  int column;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \r\"";
  while (!text.empty() && blanks.find(text.front()) != blanks.npos) text.remove_prefix(1);
  while (!text.empty() && blanks.find(text.back()) != blanks.npos) text.remove_suffix(1);
  return text;
}

std::vector<Cell> split(std::string_view line) {
  std::vector<Cell> cells;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = std::min(line.find_first_of(",;\t", start), line.size());
    cells.push_back({trimmed(line.substr(start, end - start)), static_cast<int>(start) + 1});
    if (end == line.size()) return cells;
    start = end + 1;
  }
}

std::optional<double> parse_cell(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool all_numbers(const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    if (!parse_cell(cell.text)) return false;
  }
  return true;
}

// One bad line is enough: the rest of a malformed file would only repeat it.
bool add_row(const std::vector<Cell>& cells, int line, const std::string& file, CsvTable& table,
             Diagnostics& diagnostics) {
  const auto report = [&](int column, std::string message) {
    diagnostics.error({.file = file, .line = line, .column = column, .path = {}, .message = std::move(message)});
    return false;
  };
  if (cells.size() != table.columns.size()) {
    return report(1, cat("the line has ", cells.size(), " columns, the first one has ", table.columns.size()));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::optional<double> value = parse_cell(cells[i].text);
    if (!value) return report(cells[i].column, cat(in_quotes(cells[i].text), " is not a number"));
    if (!std::isfinite(*value)) return report(cells[i].column, cat("the value must be finite, got ", cells[i].text));
    table.columns[i].push_back(*value);
  }
  table.lines.push_back(line);
  return true;
}

}  // namespace

CsvTable parse_csv(const std::string& text, const std::string& file_name, Diagnostics& diagnostics) {
  CsvTable table;
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line = line.substr(0, line.find('#'));
    if (trimmed(line).empty()) continue;
    const std::vector<Cell> cells = split(line);
    if (table.columns.empty()) {
      table.columns.resize(cells.size());
      if (!all_numbers(cells)) {
        for (const Cell& cell : cells) table.header.emplace_back(cell.text);
        continue;
      }
    }
    if (!add_row(cells, number, file_name, table, diagnostics)) return {};
  }
  if (table.lines.empty()) {
    diagnostics.error({.file = file_name, .line = 0, .column = 0, .path = {}, .message = "the table has no rows"});
  }
  return table;
}

}  // namespace lithe
