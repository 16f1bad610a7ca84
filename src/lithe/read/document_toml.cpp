// The only file that touches toml++.
#include <toml++/toml.h>

#include <algorithm>

#include "lithe/base/text.h"
#include "lithe/read/document.h"

namespace lithe {
namespace {

constexpr std::size_t largest_file = std::size_t{64} << 20;
// The parser limits nested brackets itself; dotted keys (a.b.c. ...) it would follow until the stack is exhausted.
constexpr int most_dots_in_key = 16;

[[noreturn]] void fail(const std::string& file, int line, int column, const std::string& message) {
  throw InputError(
      std::vector<InputMistake>{{.file = file, .line = line, .column = column, .path = {}, .message = message}});
}

std::size_t skip_string(std::string_view text, std::size_t at, int& line) {
  const char quote = text[at];
  const std::string triple(3, quote);
  const bool multiline = text.substr(at, 3) == triple;
  at += multiline ? 3 : 1;
  while (at < text.size()) {
    if (text[at] == '\n') {
      if (!multiline) return at;  // an unclosed string: the parser reports it
      ++line;
    }
    if (text[at] == '\\' && quote == '"') {
      at += 2;
    } else if (multiline && text.substr(at, 3) == triple) {
      return at + 3;
    } else if (!multiline && text[at] == quote) {
      return at + 1;
    } else {
      ++at;
    }
  }
  return text.size();
}

void limit_dotted_keys(std::string_view text, const std::string& file) {
  int dots = 0, line = 1;
  std::size_t at = 0;
  while (at < text.size()) {
    const char letter = text[at];
    if (letter == '"' || letter == '\'') {
      at = skip_string(text, at, line);
      continue;
    }
    if (letter == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (letter == '\n') ++line;
    if (std::string_view("\n=,[]{}").find(letter) != std::string_view::npos) dots = 0;
    if (letter == '.' && ++dots > most_dots_in_key) {
      fail(file, line, 1, cat("a key has more than ", most_dots_in_key, " dots"));
    }
    ++at;
  }
}

int place_number(toml::source_index index) { return static_cast<int>(index); }

Value converted(const toml::node& node);

void convert_table(const toml::table& table, Value& result) {
  result.kind = ValueKind::table;
  result.members.reserve(table.size());
  for (const auto& [key, child] : table) {
    const toml::source_position place = key.source().begin;
    result.members.push_back(
        {std::string(key.str()), place_number(place.line), place_number(place.column), converted(child)});
  }
  std::stable_sort(result.members.begin(), result.members.end(), [](const Member& a, const Member& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
}

template <class DateOrTime>
void convert_date(const DateOrTime& date, Value& result) {
  result.kind = ValueKind::date;
  result.text = cat(date.get());
}

Value converted(const toml::node& node) {
  Value result;
  result.line = place_number(node.source().begin.line);
  result.column = place_number(node.source().begin.column);
  if (const toml::table* table = node.as_table()) {
    convert_table(*table, result);
  } else if (const toml::array* array = node.as_array()) {
    result.kind = ValueKind::array;
    result.items.reserve(array->size());
    for (const toml::node& item : *array) result.items.push_back(converted(item));
  } else if (const auto* text = node.as_string()) {
    result.kind = ValueKind::text;
    result.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    result.kind = ValueKind::integer;
    result.number = static_cast<double>(integer->get());
  } else if (const auto* real = node.as_floating_point()) {
    result.kind = ValueKind::real;
    result.number = real->get();
  } else if (const auto* truth = node.as_boolean()) {
    result.kind = ValueKind::boolean;
    result.truth = truth->get();
  } else if (const auto* date = node.as_date()) {
    convert_date(*date, result);
  } else if (const auto* time = node.as_time()) {
    convert_date(*time, result);
  } else if (const auto* date_time = node.as_date_time()) {
    convert_date(*date_time, result);
  }
  return result;
}

}  // namespace

Value parse_toml(std::string_view text, const std::string& file_name) {
  if (text.size() > largest_file) {
    fail(file_name, 0, 0, cat("the file has ", text.size() >> 20, " MB; at most ", largest_file >> 20, " MB are read"));
  }
  limit_dotted_keys(text, file_name);
  try {
    return converted(toml::parse(text, file_name));
  } catch (const toml::parse_error& error) {
    const toml::source_position place = error.source().begin;
    fail(file_name, place_number(place.line), place_number(place.column), cat("TOML syntax: ", error.description()));
  }
}

}  // namespace lithe
