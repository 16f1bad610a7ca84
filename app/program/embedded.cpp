#include "app/program/embedded.h"

#include <filesystem>
#include <stdexcept>

#include "app/terminal/output.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/read/read_model.h"

namespace lithe::app {
namespace {

const EmbeddedFile* find_file(const std::string& path) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path.starts_with("models/")) names.push_back(std::filesystem::path(file.path).stem().string());
  }
  return names;
}

std::string_view example_text(const std::string& name) {
  if (const EmbeddedFile* file = find_file(cat("models/", name, ".toml"))) return file->text;
  throw InputError(cat("there is no example '", name, "'; the examples are: ", joined(example_names())));
}

Model read_example(const std::string& name) { return read_model_text(example_text(name), name + ".toml"); }

std::string_view published_table(const std::string& file_name) {
  if (const EmbeddedFile* file = find_file("tests/published/" + file_name)) return file->text;
  throw std::logic_error("the published table " + file_name + " is not part of this program");
}

}  // namespace lithe::app
