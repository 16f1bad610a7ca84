// Where a command puts its result files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/terminal/output.h"
#include "lithe/model/model.h"

namespace lithe::app {

// DIR of `-o DIR`, or results/<model name> below the current directory.
std::filesystem::path result_directory(const std::string& chosen, const Model& model);
// The same, tried before anything is computed: the directory takes files, and `names` may be written there. Left as it
// was. Throws what FileSet does.
std::filesystem::path tried_directory(const std::string& chosen, const Model& model,
                                      const std::vector<std::string>& names);
// Whether a file can be written there: for a file that the user has named.
void try_file(const std::filesystem::path& path);
// "arm 2/left" -> "arm_2_left": letters, digits, '-', '_' and '.' stay.
std::string file_name_of(const std::string& name);
// "Results: results/arm/modes.csv, results/arm/modes.h5"
std::string where_results_lie(const std::vector<std::filesystem::path>& paths);
nlohmann::json paths_json(const std::vector<std::filesystem::path>& paths);

}  // namespace lithe::app
