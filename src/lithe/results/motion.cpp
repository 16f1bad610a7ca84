#include "lithe/results/motion.h"

#include <algorithm>

#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/hdf5_file.h"
#include "lithe/results/files/table.h"
#include "lithe/results/recording/recording_file.h"

namespace lithe {

namespace {

Table motion_notes(const Trajectory& motion) {
  Table table;
  table.name = "motion";
  table.notes = {{"model", motion.model},
                 {"formulation", motion.formulation},
                 {"integrator", motion.integrator},
                 {"end", motion.message},
                 {"steps", cat(motion.counters.steps)},
                 {"energy at the start", cat(motion.energy.start, " J")},
                 {"energy at the end", cat(motion.energy.end, " J")},
                 {"work of inputs", cat(motion.energy.input_work, " J")},
                 {"dissipated", cat(motion.energy.dissipated, " J")}};
  return table;
}

void write_rows(const Table& table, RecordingReader& rows, Hdf5File& file, long long count) {
  const std::size_t num_values = table.columns.size(), n = rows.heading().coordinate_names.size();
  std::vector<Hdf5File::StreamedColumn> columns;
  for (const Column& column : table.columns) columns.push_back({cat("motion/", column.name), column.unit});
  columns.push_back({"states/coordinates", "", true, n});
  columns.push_back({"states/speeds", "", true, n});
  RecordedRow row;
  rows.rewind();
  file.write_streamed(columns, count, [&](long long first, long long some, std::vector<std::vector<double>>& values) {
    for (long long k = 0; k < some; ++k) {
      if (!rows.next(row) || static_cast<std::size_t>(row.coordinates.size()) != n)
        throw WriteError(cat("cannot read row ", first + k, " of the recording back"));
      const auto at = static_cast<std::size_t>(k);
      values[0][at] = row.state.time;
      for (std::size_t i = 1; i < num_values; ++i) values[i][at] = row.values[i - 1];
      const auto place = static_cast<std::ptrdiff_t>(at * n);
      std::copy(row.coordinates.begin(), row.coordinates.end(), values[num_values].begin() + place);
      std::copy(row.speeds.begin(), row.speeds.end(), values[num_values + 1].begin() + place);
    }
  });
}

}  // namespace

Table motion_table(const Trajectory& motion) {
  Table table = motion_notes(motion);
  table.add("time", "s", motion.times);
  for (const Column& column : motion.columns) table.add(column.name, column.unit, column.values);
  return table;
}

Table spectrum_table(const Spectrum& spectrum, const std::string& sensor, const std::string& unit) {
  Table table;
  table.name = "spectrum";
  table.notes = {{"sensor", sensor}, {"line spacing", cat(spectrum.line_spacing, " Hz")}};
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

std::vector<std::filesystem::path> write_motion(const Trajectory& motion, RecordingReader& rows,
                                                const std::filesystem::path& directory, const std::string& stem) {
  FileSet files(directory);
  Table table = motion_notes(motion);
  table.add("time", "s");
  for (const Channel& column : rows.heading().columns) table.add(column.name, column.unit);
  CsvWriter text(table, files.add(cat(stem, ".csv")));
  RecordedRow row;
  std::vector<double> numbers;
  long long count = 0;
  rows.rewind();
  for (; rows.next(row); ++count) {
    numbers.assign(1, row.state.time);
    numbers.insert(numbers.end(), row.values.begin(), row.values.end());
    text.add(numbers.data());
  }
  text.close();
  Hdf5File file(files.add(cat(stem, ".h5")));
  file.make_group(table.name);
  for (const auto& [key, note] : table.notes) file.set_attribute(table.name, key, note);
  write_rows(table, rows, file, count);
  file.write("states/names", rows.heading().coordinate_names);
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
