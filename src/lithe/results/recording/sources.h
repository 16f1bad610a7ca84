// What results were made of: the program, the model file, and every table and matrix that it names.
#pragma once

#include <string>

#include "lithe/results/recording/signature.h"

namespace lithe {

// Files are those that the run at hand has read (read/tables/files_of_run.h).
void add_sources(const std::string& version, const std::string& model_file, Signature& signature);

}  // namespace lithe
