// What was measured on a machine: columns of numbers under their headings, in SI units.
#pragma once

#include <string>
#include <vector>

namespace lithe {

// One column of a file.
struct MeasuredColumn {
  std::string name;  // "tip.x"
  std::string unit;  // as the heading has it, "mm"; "" where it has none
  std::vector<double> values;
};

// By its first column: `time` with sensors, or `frequency` with a frequency response or natural frequencies.
struct MeasuredData {
  std::string file;  // for messages
  std::vector<MeasuredColumn> columns;
};

}  // namespace lithe
