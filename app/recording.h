// A recorded motion read back from its CSV file.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/simulate.h"

namespace lithe::app {

struct Recording {
  std::string file;
  std::string x_name = "time", x_unit = "s";  // of the first column
  std::vector<double> times;                  // or frequencies: the first column
  std::vector<TrajectoryColumn> columns;

  // Throws InputError, with the names there are, for an unknown one. "tip" finds "tip.x", "tip.y" and "tip.z".
  std::vector<const TrajectoryColumn*> find(const std::string& sensor) const;
};

// `result`: a CSV file of results, or a directory with a motion.csv. Throws InputError when it cannot be read.
Recording read_recording(const std::string& result);

}  // namespace lithe::app
