// Files that are part of the program: example models (models/*.toml) and published tables (tests/published/*.csv).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lithe/model/model.h"

namespace lithe::app {

struct EmbeddedFile {
  std::string_view path;  // in the repository
  std::string_view text;
};
const std::vector<EmbeddedFile>& embedded_files();

// Names of the example models: "l_shape" for models/l_shape.toml.
std::vector<std::string> example_names();
// Text of an example; throws InputError, with the names there are, for an unknown one.
std::string_view example_text(const std::string& name);
Model read_example(const std::string& name);

// A published table by its file name, "cmp_table2_natural_frequencies.csv". Missing ones are an error of the build.
std::string_view published_table(const std::string& file_name);

}  // namespace lithe::app
