// What numbers mean: sensors, inputs, outputs and states of linear models, columns of tables and files.
#pragma once

#include <string>
#include <vector>

namespace lithe {

// Name and unit of a number: "tip.x" [m].
struct Channel {
  std::string name;
  std::string unit;  // "" for a number without one
};

// One number over time, or over the rows of a table.
struct Column {
  std::string name;
  std::string unit;  // as of Channel
  std::vector<double> values;

  std::string heading() const { return unit.empty() ? name : name + " [" + unit + "]"; }
};

}  // namespace lithe
