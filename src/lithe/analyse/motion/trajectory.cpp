#include <algorithm>

#include "lithe/analyse/motion/simulate.h"

namespace lithe {

ColumnRange Trajectory::range(std::size_t column) const {
  if (column < ranges.size()) return ranges[column];
  const std::vector<double>& values = columns[column].values;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {values.front(), values.back(), *least, *most};
}

const Column* Trajectory::column(const std::string& name) const {
  for (const Column& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

}  // namespace lithe
