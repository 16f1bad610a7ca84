// The model file as JSON Schema, for editors that complete and check while one types.
#pragma once

#include <string>

namespace lithe {

// Draft 7, made from the tables that drive the reader.
std::string model_file_schema();

}  // namespace lithe
