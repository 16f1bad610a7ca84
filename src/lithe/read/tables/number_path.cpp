#include "lithe/read/tables/number_path.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"

namespace lithe {
namespace {

struct PathStep {
  std::string key;  // or, when empty, the place in an array
  int index = -1;
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(cat("parameter '", path, "': ", why));
}

std::vector<PathStep> steps_of(const std::string& path) {
  std::vector<PathStep> steps;
  std::size_t at = 0;
  while (at < path.size()) {
    if (path[at] == '[') {
      const std::size_t end = path.find(']', at);
      int index = -1;
      if (end == path.npos) refuse(path, "a bracket is not closed");
      const auto [stop, status] = std::from_chars(path.data() + at + 1, path.data() + end, index);
      if (status != std::errc() || stop != path.data() + end || index < 0)
        refuse(path, "a place in an array must be a number from 0");
      steps.push_back({"", index});
      at = end + 1;
    } else if (path[at] == '"' || path[at] == '\'') {
      const std::size_t end = path.find(path[at], at + 1);
      if (end == path.npos) refuse(path, "a quote is not closed");
      steps.push_back({path.substr(at + 1, end - at - 1), -1});
      at = end + 1;
    } else {
      const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
      if (end == at) refuse(path, "a name is missing");
      steps.push_back({path.substr(at, end - at), -1});
      at = end;
    }
    if (at < path.size() && path[at] == '.') {
      if (++at == path.size()) refuse(path, "a name is missing at its end");
    }
  }
  return steps;
}

// What an item of an array is called: by its key `name`; without one by the joint that a drive or motor moves, or by
// the node where a mass is.
std::string name_of(const Value& item) {
  for (const char* key : {"name", "joint", "node"})
    if (const Value* own = item.find(key); own && own->kind == ValueKind::text) return own->text;
  return {};
}

Value* next_of(Value& value, const PathStep& step, const std::string& path) {
  if (step.index >= 0) {
    if (value.kind != ValueKind::array) refuse(path, cat("[", step.index, "] stands where there is no array"));
    if (step.index >= static_cast<int>(value.items.size()))
      refuse(path, cat("[", step.index, "] is beyond the ", value.items.size(), " items there are"));
    return &value.items[static_cast<std::size_t>(step.index)];
  }
  std::vector<std::string> known;
  if (value.kind == ValueKind::array) {
    for (Value& item : value.items) {
      known.push_back(name_of(item));
      if (known.back() == step.key) return &item;
    }
  }
  for (Member& member : value.members) {
    if (member.key == step.key) return &member.value;
    known.push_back(member.key);
  }
  const std::string near = nearest_name(step.key, known);
  refuse(path, cat("there is no '", step.key, "'", near.empty() ? std::string() : cat("; did you mean '", near, "'?")));
}

// Where a place of the document stands in its text; columns count letters.
std::size_t offset_of(const std::string& text, int line, int column) {
  std::size_t at = 0;
  for (int k = 1; k < line; ++k) at = std::min(text.find('\n', at), text.size() - 1) + 1;
  const auto continues = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
  for (int k = 1; k < column && at < text.size(); ++k)
    for (++at; at < text.size() && continues(at);) ++at;
  return at;
}

struct Token {
  std::size_t begin = 0, end = 0;
  std::string text;  // that stands there instead
};

// A text that holds a quantity keeps its unit.
std::string quantity_text(const std::string& text, double number) {
  double written = 0;
  const std::size_t start = text.find_first_not_of(" +");
  const auto [end, status] =
      std::from_chars(text.data() + std::min(start, text.size()), text.data() + text.size(), written);
  std::string unit = status == std::errc() ? std::string(end, text.data() + text.size()) : std::string();
  unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
  return cat(number_text(number / parse_quantity(text)->unit.factor), unit.empty() ? "" : " ", unit);
}

Token token_of(const std::string& text, const Value& value, double number) {
  Token token;
  token.begin = offset_of(text, value.line, value.column);
  if (value.kind == ValueKind::text) {
    const char quote = text[std::min(token.begin, text.size() - 1)];
    token.end = std::min(text.find(quote, token.begin + 1), text.size() - 1) + 1;
    token.text = quote + quantity_text(value.text, number) + quote;
  } else {
    token.end = std::min(text.find_first_of(" \t\r\n,]}#", token.begin), text.size());
    token.text = number_text(number);
  }
  return token;
}

// Ten digits: more than any measurement tells.
double rounded(double number) {
  if (number == 0) return 0;
  const double unit = std::pow(10, 9 - std::floor(std::log10(std::abs(number))));
  const double result = std::round(number * unit) / unit;
  return std::isfinite(result) ? result : number;
}

}  // namespace

Value& number_at(Value& document, const std::string& path) {
  Value* value = &document;
  for (const PathStep& step : steps_of(path)) value = next_of(*value, step, path);
  const bool quantity = value->kind == ValueKind::text && parse_quantity(value->text);
  if (!value->is_number() && !quantity) refuse(path, cat("it must be a number, got ", display(*value)));
  return *value;
}

double number_of(const Value& value) {
  return value.kind == ValueKind::text ? parse_quantity(value.text)->in_si() : value.number;
}

std::string with_numbers(const std::string& text, const std::string& file_name,
                         const std::vector<std::pair<std::string, double>>& numbers) {
  Value document = parse_toml(text, file_name);
  std::vector<Token> tokens;
  for (const auto& [path, number] : numbers)
    tokens.push_back(token_of(text, number_at(document, path), rounded(number)));
  std::sort(tokens.begin(), tokens.end(), [](const Token& a, const Token& b) { return a.begin > b.begin; });
  std::string result = text;
  for (const Token& token : tokens) result.replace(token.begin, token.end - token.begin, token.text);
  Value written = parse_toml(result, file_name);
  for (const auto& [path, number] : numbers)
    if (!(std::abs(number_of(number_at(written, path)) - number) <= 1e-9 * std::abs(number)))
      refuse(path, cat(number_text(number), " cannot be written in its place; write it by hand"));
  return result;
}

}  // namespace lithe
