// `[damping]` of a model file.
#pragma once

#include "lithe/read/parts.h"
#include "lithe/read/schema/schema.h"

namespace lithe {

void read_mechanism_damping(Reading& reading, const TableReader& file);

}  // namespace lithe
