#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/parts.h"
#include "lithe/read/read_model.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/read/tables/input_file.h"
#include "lithe/read/tables/number_path.h"

namespace lithe {

ParametricModel::ParametricModel(const std::filesystem::path& path, const ReadOptions& options)
    : file_(path.string()), options_(options) {
  std::string problem;
  const std::optional<std::string> text = read_regular_file(path, largest_model_file, problem);
  note_in_run(path);
  if (!text) throw InputError(cat(file_, ": ", problem));
  text_ = *text;
  document_ = std::make_shared<const Value>(parse_toml(text_, file_));
}

ParametricModel::ParametricModel(std::string text, std::string file_name, const ReadOptions& options)
    : file_(std::move(file_name)),
      text_(std::move(text)),
      options_(options),
      document_(std::make_shared<const Value>(parse_toml(text_, file_))) {}

void ParametricModel::check(const std::string& path) const {
  Value copy = *document_;
  number_at(copy, path);
}

double ParametricModel::number(const std::string& path) const {
  Value copy = *document_;
  return number_of(number_at(copy, path));
}

std::string ParametricModel::text_with(const std::vector<std::pair<std::string, double>>& numbers) const {
  return with_numbers(text_, file_, numbers);
}

Model ParametricModel::with(const std::vector<std::pair<std::string, double>>& numbers) const {
  Value document = *document_;
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
