#include "lithe/read/model_parameters.h"

#include <charconv>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"
#include "lithe/read/parts.h"
#include "lithe/read/tables/input_file.h"

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

// An item of an array by the text of its key `name`.
Value* item_by_name(Value& array, const std::string& name) {
  for (Value& item : array.items) {
    const Value* own = item.find("name");
    if (own && own->kind == ValueKind::text && own->text == name) return &item;
  }
  return nullptr;
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
    if (Value* item = item_by_name(value, step.key)) return item;
    for (const Value& item : value.items)
      if (const Value* own = item.find("name")) known.push_back(own->text);
  }
  for (Member& member : value.members) {
    if (member.key == step.key) return &member.value;
    known.push_back(member.key);
  }
  const std::string near = nearest_name(step.key, known);
  refuse(path, cat("there is no '", step.key, "'", near.empty() ? std::string() : cat("; did you mean '", near, "'?")));
}

Value& number_at(Value& document, const std::string& path) {
  Value* value = &document;
  for (const PathStep& step : steps_of(path)) value = next_of(*value, step, path);
  const bool quantity = value->kind == ValueKind::text && parse_quantity(value->text);
  if (!value->is_number() && !quantity) refuse(path, cat("it must be a number, got ", display(*value)));
  return *value;
}

}  // namespace

ParametricModel::ParametricModel(const std::filesystem::path& path, const ReadOptions& options)
    : file_(path.string()), options_(options) {
  std::string problem;
  const std::optional<std::string> text = read_regular_file(path, largest_model_file, problem);
  if (!text) throw InputError(cat(file_, ": ", problem));
  text_ = *text;
  document_ = parse_toml(text_, file_);
}

ParametricModel::ParametricModel(std::string text, std::string file_name, const ReadOptions& options)
    : file_(std::move(file_name)), text_(std::move(text)), options_(options), document_(parse_toml(text_, file_)) {}

void ParametricModel::check(const std::string& path) const {
  Value copy = document_;
  number_at(copy, path);
}

Model ParametricModel::with(const std::vector<std::pair<std::string, double>>& numbers) const {
  Value document = document_;
  for (const auto& [path, number] : numbers) {
    Value& value = number_at(document, path);
    const bool whole = value.kind == ValueKind::integer && number == std::floor(number);
    value.kind = whole ? ValueKind::integer : ValueKind::real;
    value.number = number;
    value.text.clear();
  }
  return read_model_document(document, file_, options_);
}

}  // namespace lithe
