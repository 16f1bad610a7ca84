#include "lithe/results/files/table.h"

#include <set>
#include <stdexcept>

#include "lithe/base/text.h"

namespace lithe {

Column& Table::add(std::string column_name, std::string unit, std::vector<double> values) {
  columns.push_back({std::move(column_name), std::move(unit), std::move(values)});
  return columns.back();
}

void Table::check() const {
  std::set<std::string> names;
  for (const Column& column : columns) {
    if (!names.insert(column.name).second) {
      throw std::invalid_argument(cat("table '", name, "' has two columns '", column.name, "'"));
    }
    if (column.values.size() != columns.front().values.size()) {
      throw std::invalid_argument(cat("table '", name, "': column '", column.name, "' has ", column.values.size(),
                                      " values, the first column ", columns.front().values.size()));
    }
  }
}

}  // namespace lithe
