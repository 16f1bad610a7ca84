// Columns of numbers with names and units: what CSV and HDF5 files hold.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lithe/base/channel.h"

namespace lithe {

// Columns of equal length under one name.
struct Table {
  std::string name;                                        // the HDF5 group
  std::vector<std::pair<std::string, std::string>> notes;  // (key, text): model, configuration, ...
  std::vector<Column> columns;

  // Adds a column and returns it.
  Column& add(std::string column_name, std::string unit, std::vector<double> values = {});
  // Throws std::invalid_argument when columns differ in length or share a name.
  void check() const;
};

}  // namespace lithe
