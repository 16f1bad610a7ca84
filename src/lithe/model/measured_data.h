// What was measured on a machine: columns of numbers under their headings, in SI units.
#pragma once

#include <string>
#include <vector>

#include "lithe/base/channel.h"

namespace lithe {

// By its first column: `time` with sensors, or `frequency` with a frequency response or natural frequencies.
struct MeasuredData {
  std::string file;  // for messages
  std::vector<Column> columns;
};

}  // namespace lithe
