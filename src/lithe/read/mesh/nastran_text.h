// Lines of Nastran bulk data and their fields.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lithe/read/mesh/mesh_builder.h"

namespace lithe {

// A file without BEGIN BULK is bulk data from its first line on.
inline bool is_bulk_from_start(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = upper(trimmed(text.substr(at, end - at)));
    if (line.starts_with("BEGIN") && line.find("BULK") != std::string::npos) return false;
    at = end + 1;
  }
  return true;
}

// Tabs go to columns of eight.
inline std::string expanded_tabs(std::string_view raw) {
  std::string line;
  for (const char c : raw) {
    if (c != '\t') {
      line.push_back(c);
      continue;
    }
    do line.push_back(' ');
    while (line.size() % 8 != 0);
  }
  return line;
}

inline bool continues_entry(const std::string& line) {
  return line[0] == ' ' || line[0] == '+' || line[0] == '*' || line[0] == ',';
}

inline void add_fields_of_line(const std::string& line, std::string& first, std::vector<std::string>& fields) {
  const auto add = [&](std::string_view text) { fields.emplace_back(trimmed(text)); };
  if (line.find(',') != std::string::npos) {  // free: eight fields, then the mark of the continuation
    std::string_view rest = line;
    const bool four = rest.substr(0, rest.find(',')).find('*') != std::string_view::npos;  // large fields
    for (int k = 0; k < (four ? 5 : 9); ++k) {
      const std::size_t comma = rest.find(',');
      const std::string_view text = rest.substr(0, comma);
      k == 0 ? void(first = trimmed(text)) : add(text);
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return;
  }
  first = trimmed(std::string_view(line).substr(0, 8));
  const bool wide = first.find('*') != std::string::npos;
  for (std::size_t k = 0; k < (wide ? 4u : 8u); ++k) {
    const std::size_t width = wide ? 16 : 8, at = 8 + k * width;
    add(at < line.size() ? std::string_view(line).substr(at, width) : std::string_view());
  }
}

}  // namespace lithe
