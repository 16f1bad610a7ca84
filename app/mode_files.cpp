#include "app/mode_files.h"

#include <numbers>

#include "app/result_directory.h"
#include "lithe/results/csv.h"
#include "lithe/results/file_set.h"
#include "lithe/results/hdf5_file.h"
#include "lithe/results/table.h"

namespace lithe::app {
namespace {

Table frequency_table(const Model& model, const LinkModes& modes, const std::string& subject) {
  Table table;
  table.name = "modes";
  table.remarks = {{"model", model.name}, {"subject", subject}};
  std::vector<double> numbers, frequencies, angular;
  for (int k = 0; k < modes.num_modes(); ++k) {
    numbers.push_back(modes.number_of(k));
    frequencies.push_back(modes.frequencies(k));
    angular.push_back(2 * std::numbers::pi * modes.frequencies(k));
  }
  table.add("mode", "", numbers);
  table.add("frequency", "Hz", frequencies);
  table.add("angular_frequency", "rad/s", angular);
  return table;
}

MatrixX as_rows(const std::vector<Vector3>& points) {
  MatrixX result(static_cast<Eigen::Index>(points.size()), 3);
  for (std::size_t i = 0; i < points.size(); ++i) result.row(static_cast<Eigen::Index>(i)) = points[i].transpose();
  return result;
}

}  // namespace

std::vector<std::filesystem::path> write_link_modes(const Model& model, const LinkModes& modes,
                                                    const std::string& subject,
                                                    const std::filesystem::path& directory) {
  FileSet files(directory);
  const std::string stem = "modes_" + file_name_of(modes.link);
  const Table table = frequency_table(model, modes, subject);
  write_csv(table, files.add(stem + ".csv"));
  Hdf5File file(files.add(stem + ".h5"));
  file.set_attribute("/", "program", "lithe " LITHE_VERSION);
  file.write(table);
  file.write("nodes/position", as_rows(modes.node_positions), "m");
  file.write("nodes/name", modes.node_names);
  // Rows: x, y, z of node after node; columns: modes. Mass-normalised.
  file.write("shapes/translation", modes.translations, "kg^-1/2");
  file.write("shapes/rotation", modes.rotations, "rad m^-1 kg^-1/2");
  file.close();
  files.commit();
  return files.paths();
}

}  // namespace lithe::app
