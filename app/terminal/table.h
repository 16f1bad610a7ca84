// Aligned text tables for people.
#pragma once

#include <string>
#include <vector>

#include "app/terminal/output.h"

namespace lithe::app {

enum class Align { left, right };

// A column of text cells; numbers are formatted by the caller (see number() and fixed()) and stand to the right.
struct TextColumn {
  std::string title;
  Align align = Align::right;
};

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}
  void add_row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Two spaces between columns, no trailing blanks; the title row is bold on a terminal.
  std::string text(const Style& style) const;

 private:
  std::vector<TextColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Characters that a terminal shows for UTF-8 text without wide or combining characters.
std::size_t display_width(const std::string& text);

}  // namespace lithe::app
