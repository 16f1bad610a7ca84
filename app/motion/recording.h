// A recorded motion read back from its CSV file.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/motion/simulate.h"

namespace lithe::app {

struct Recording {
  std::string file;
  int heading_line = 0;
  std::string x_name = "time", x_unit = "s";  // of the first column
  std::vector<double> times;                  // or frequencies: the first column
  std::vector<Column> columns;

  // Throws InputError, with the names there are, for an unknown one. "tip" finds "tip.x", "tip.y" and "tip.z".
  std::vector<const Column*> find(const std::string& sensor) const;
};

// All columns, the first one included, in SI units. Throws InputError, all errors at once, for headings whose unit is
// unknown. Columns without a unit stay as they are.
Recording in_si(Recording recording);
// The same, but columns of unknown units ("V") stay as they are.
Recording in_si_where_known(Recording recording);

// `result`: a CSV file of results, or a directory with a motion.csv. Throws InputError when it cannot be read.
Recording read_recording(const std::string& result);

}  // namespace lithe::app
