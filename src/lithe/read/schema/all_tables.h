// Every table of the model file.
#pragma once

#include <vector>

#include "lithe/read/schema/schema.h"

namespace lithe {

// In the order of the reference page.
std::vector<const TableSpec*> all_tables();

}  // namespace lithe
