// From a model file to a Model, or to one whose numbers can be changed; measurements from files. docs/model_file.md
// describes the format.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lithe/model/measured_data.h"
#include "lithe/model/model.h"
#include "lithe/model/variable_model.h"

namespace lithe {

// What a model file may do.
struct ReadOptions {
  // Whether tables and matrices may lie outside the folder of the model file (by their real paths): a model from
  // elsewhere could name any file that its user may read. Their content appears in no message.
  bool outside_files = false;
};

// Throws InputError with every error in the file at once.
Model read_model(const std::filesystem::path& path, const ReadOptions& options = {});

// The same from text; `file_name` stands in messages, and its folder is where CSV tables are looked for.
Model read_model_text(std::string_view text, const std::string& file_name, const ReadOptions& options = {});

struct Value;  // read/tables/document.h

// A model file in which numbers are changed before it is read: what sweeps over parameters do.
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

// A measurement as CSV: one line of headings `name [unit]`, then numbers; notes begin with #. Files of results are
// such. Values are turned into SI. Throws InputError with line and column.
MeasuredData read_measured(const std::filesystem::path& path);
MeasuredData measured_of_text(const std::string& text, const std::string& file_name);

// The reference page of the format, made from the tables that drive the reader.
std::string model_file_reference();

}  // namespace lithe
