#include "app/terminal/table.h"

#include <algorithm>

#include "app/pages/shown.h"

namespace lithe::app {
namespace {

std::string line_of(const std::vector<std::string>& cells, const std::vector<TextColumn>& columns,
                    const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string blanks(widths[i] - display_width(cells[i]), ' ');
    if (i > 0) line += "  ";
    line += columns[i].align == Align::right ? blanks + cells[i] : cells[i] + blanks;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void TextTable::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = shown_in_line(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(const Style& style) const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const TextColumn& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(display_width(column.title));
  }
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string result = style.bold(line_of(titles, columns_, widths)) + '\n';
  for (const std::vector<std::string>& row : rows_) result += line_of(row, columns_, widths) + '\n';
  return result;
}

}  // namespace lithe::app
