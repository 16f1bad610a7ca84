// Matrices and texts in MATLAB's level 5 format, which MATLAB, Octave, scipy and Julia open.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lithe/base/math.h"

namespace lithe {

// Variables in their order; a list of texts becomes a cell array.
using MatVariable = std::pair<std::string, std::variant<MatrixX, std::string, std::vector<std::string>>>;

// Throws InputError when the file cannot be written.
void write_mat(const std::filesystem::path& path, const std::vector<MatVariable>& variables);
// A matrix of such a file; throws InputError where there is none of that name.
MatrixX read_mat_matrix(const std::filesystem::path& path, const std::string& name);

}  // namespace lithe
