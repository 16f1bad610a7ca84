#include "lithe/results/motion.h"

#include "lithe/base/text.h"
#include "lithe/results/csv.h"
#include "lithe/results/file_set.h"
#include "lithe/results/hdf5_file.h"

namespace lithe {

Table motion_table(const Trajectory& motion) {
  Table table;
  table.name = "motion";
  table.remarks = {{"model", motion.model},
                   {"formulation", motion.formulation},
                   {"integrator", motion.integrator},
                   {"end", motion.message},
                   {"steps", cat(motion.counters.steps)},
                   {"energy at the start", cat(motion.energy.start, " J")},
                   {"energy at the end", cat(motion.energy.end, " J")},
                   {"work of inputs", cat(motion.energy.input_work, " J")},
                   {"dissipated", cat(motion.energy.dissipated, " J")}};
  table.add("time", "s", motion.times);
  for (const TrajectoryColumn& column : motion.columns) table.add(column.name, column.unit, column.values);
  return table;
}

Table spectrum_table(const Spectrum& spectrum, const std::string& sensor, const std::string& unit) {
  Table table;
  table.name = "spectrum";
  table.remarks = {{"sensor", sensor}, {"line spacing", cat(spectrum.line_spacing, " Hz")}};
  table.add("frequency", "Hz", spectrum.frequencies);
  table.add("amplitude", unit, spectrum.values);
  return table;
}

std::vector<std::filesystem::path> write_motion(const Trajectory& motion, const std::filesystem::path& directory,
                                                const std::string& stem) {
  FileSet files(directory);
  const Table table = motion_table(motion);
  write_csv(table, files.add(cat(stem, ".csv")));
  Hdf5File file(files.add(cat(stem, ".h5")));
  file.write(table);
  if (!motion.states.empty()) {
    const auto rows = static_cast<Eigen::Index>(motion.states.size()), n = motion.states[0].coordinates.size();
    MatrixX coordinates(rows, n), speeds(rows, n);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const State& state = motion.states[static_cast<std::size_t>(i)];
      const auto renamed = motion.renamed.find(static_cast<std::size_t>(i));
      const bool own = renamed == motion.renamed.end();
      coordinates.row(i) = (own ? state.coordinates : renamed->second.first).transpose();
      speeds.row(i) = (own ? state.speeds : renamed->second.second).transpose();
    }
    file.write("states/coordinates", coordinates);
    file.write("states/speeds", speeds);
    file.write("states/names", motion.coordinate_names);
  }
  file.close();
  files.commit();
  return files.paths();
}

std::vector<std::filesystem::path> write_spectrum(const Spectrum& spectrum, const std::string& sensor,
                                                  const std::string& unit, const std::filesystem::path& directory,
                                                  const std::string& stem) {
  FileSet files(directory);
  const Table table = spectrum_table(spectrum, sensor, unit);
  write_csv(table, files.add(cat(stem, ".csv")));
  Hdf5File file(files.add(cat(stem, ".h5")));
  file.write(table);
  file.close();
  files.commit();
  return files.paths();
}

}  // namespace lithe
