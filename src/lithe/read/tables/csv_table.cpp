#include "lithe/read/tables/csv_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

struct Cell {
  std::string text;
  int column;
  bool quoted = false;
};

constexpr std::size_t longest_quoted = 1000;  // bytes: a quote that is not closed must not swallow the file
// A file of separators alone would take fifty times its size.
constexpr std::size_t most_columns = 100'000, most_cells = 100'000'000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \r\"";
  while (!text.empty() && blanks.find(text.front()) != blanks.npos) text.remove_prefix(1);
  while (!text.empty() && blanks.find(text.back()) != blanks.npos) text.remove_suffix(1);
  return text;
}

// The quoted cell at the front, taken off: separators, notes, line breaks and doubled quotes are part of it (RFC
// 4180).
std::optional<std::string> take_quoted(std::string_view& rest) {
  std::size_t at = rest.find_first_not_of(' ');
  if (at == rest.npos || rest[at] != '"') return std::nullopt;
  std::string text;
  for (++at; at < rest.size() && text.size() < longest_quoted; ++at) {
    if (rest[at] != '"') {
      text += rest[at];
    } else if (at + 1 < rest.size() && rest[at + 1] == '"') {
      text += rest[at++];
    } else {
      rest.remove_prefix(at + 1);
      return text;
    }
  }
  return std::nullopt;
}

// The cells of the line at the front, taken off; of a line that has too many, the first ones.
std::vector<Cell> take_line(std::string_view& rest) {
  std::vector<Cell> cells;
  const char* const begin = rest.data();
  while (true) {
    const int column = static_cast<int>(rest.data() - begin) + 1;
    const std::optional<std::string> quoted = take_quoted(rest);
    const std::size_t end = std::min(rest.find_first_of(",;\t\n#"), rest.size());
    cells.push_back({quoted ? *quoted : std::string(trimmed(rest.substr(0, end))), column, quoted.has_value()});
    rest.remove_prefix(end);
    if (!rest.empty() && rest.front() == '#') rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    const bool last = rest.empty() || rest.front() == '\n';
    if (!rest.empty()) rest.remove_prefix(1);
    if (last || cells.size() > most_columns) return cells;
  }
}

std::optional<double> parse_cell(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A number, or what becomes one when a typing error is mended: "0.0x", "1,5 V" begin like numbers, "O.5" and "l0" have
// letters for digits.
bool is_like_a_number(const Cell& cell) {
  if (parse_cell(cell.text)) return true;
  if (cell.quoted || cell.text.empty()) return false;
  std::string text = cell.text;
  for (char& letter : text)
    letter = letter == 'O' || letter == 'o' ? '0' : letter == 'l' || letter == 'I' ? '1' : letter;
  if (parse_cell(text)) return true;
  const std::size_t first = std::min(cell.text.find_first_not_of("+-."), cell.text.size() - 1);
  return first <= 2 && cell.text[first] >= '0' && cell.text[first] <= '9';
}

bool is_heading(const std::vector<Cell>& cells) { return std::none_of(cells.begin(), cells.end(), is_like_a_number); }

// One bad line is enough: the rest of a malformed file would only repeat it.
bool add_row(const std::vector<Cell>& cells, int line, const std::string& file, CsvTable& table,
             Diagnostics& diagnostics, const CsvOptions& options) {
  const auto report = [&](int column, std::string message) {
    diagnostics.error({.file = file, .line = line, .column = column, .path = {}, .message = std::move(message)});
    return false;
  };
  const bool quotes = options.quotes_content;
  if (cells.size() != table.columns.size()) {
    return report(1, cat("the line has ", cells.size(), " columns, the first one has ", table.columns.size()));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::optional<double> value = parse_cell(cells[i].text);
    const std::string subject = quotes ? in_quotes(cells[i].text) : "the cell";
    const bool maybe_heading = table.lines.empty() && table.header.empty();
    if (!value)
      return report(
          cells[i].column,
          cat(subject, " is not a number",
              maybe_heading ? "; a heading has no numbers, and double quotes around what begins like one" : ""));
    if (!std::isfinite(*value) && !(options.allows_nan && std::isnan(*value)))
      return report(cells[i].column, quotes ? cat("the value must be finite, got ", cells[i].text)
                                            : std::string("the value must be finite"));
    table.columns[i].push_back(*value);
    table.cell_places.push_back(cells[i].column);
  }
  table.lines.push_back(line);
  return true;
}

}  // namespace

CsvTable parse_csv(const std::string& text, const std::string& file_name, Diagnostics& diagnostics,
                   const CsvOptions& options) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  CsvTable table;
  const auto refuse = [&](int line, std::string why) {
    diagnostics.error({.file = file_name, .line = line, .column = 1, .path = {}, .message = std::move(why)});
    return CsvTable();
  };
  std::string_view rest = text;
  if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  for (int number = 1, next = 1; !rest.empty(); number = next) {
    const std::string_view before = rest;
    const std::vector<Cell> cells = take_line(rest);
    next += static_cast<int>(std::count(before.begin(), before.end() - static_cast<std::ptrdiff_t>(rest.size()), '\n'));
    if (cells.size() > most_columns) return refuse(number, cat("more than ", most_columns, " columns"));
    if (cells.size() == 1 && cells[0].text.empty()) continue;
    if (table.columns.empty()) {
      table.columns.resize(cells.size());
      if (options.begins_with_heading || is_heading(cells)) {
        for (const Cell& cell : cells) table.header.emplace_back(cell.text);
        continue;
      }
    }
    if (!add_row(cells, number, file_name, table, diagnostics, options)) return {};
    if (table.cell_places.size() > most_cells) return refuse(number, cat("more than ", most_cells, " values"));
  }
  if (table.lines.empty()) return refuse(1, "the table has no rows");
  return table;
}

}  // namespace lithe
