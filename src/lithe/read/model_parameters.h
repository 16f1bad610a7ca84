// A model file in which numbers are changed before it is read: what sweeps over parameters do.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lithe/model/model.h"
#include "lithe/model/numbered_model.h"
#include "lithe/read/read_model.h"

namespace lithe {

struct Value;  // read/tables/document.h

// A model file with numbers to change.
class ParametricModel : public NumberedModel {
 public:
  // Throws InputError when the file cannot be read as TOML.
  explicit ParametricModel(const std::filesystem::path& path, const ReadOptions& options = {});
  // Of the text of a file; `file_name` stands in messages, and its folder is where tables are looked for.
  ParametricModel(std::string text, std::string file_name, const ReadOptions& options);

  const std::string& text() const { return text_; }
  // Paths are those of read/tables/number_path.h. Throws InputError where there is no number.
  void check(const std::string& path) const override;
  double number(const std::string& path) const override;
  // The model with these numbers (SI) in place of those of the file. Throws InputError as reading a file does.
  Model with(const std::vector<std::pair<std::string, double>>& numbers) const override;
  // The text of the file with these numbers, each in the unit that it has there; comments stay.
  std::string text_with(const std::vector<std::pair<std::string, double>>& numbers) const;

 private:
  std::string file_, text_;
  ReadOptions options_;
  std::shared_ptr<const Value> document_;
};

}  // namespace lithe
