#include "app/linear/mode_files.h"

#include <numbers>

#include "app/terminal/result_directory.h"
#include "lithe/base/text.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/hdf5_file.h"
#include "lithe/results/files/table.h"
#include "lithe/view/mode_picture.h"

namespace lithe::app {
namespace {

Table frequency_table(const Model& model, const LinkModes& modes, const std::string& subject) {
  Table table;
  table.name = "modes";
  table.notes = {{"model", model.name}, {"subject", subject}};
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

Table mechanism_table(const Equations& equations, const MechanismModes& modes) {
  Table table;
  table.name = "modes";
  table.notes = {{"model", equations.model().name}, {"subject", "mechanism"}, {"formulation", equations.name()}};
  std::vector<double> numbers;
  for (int k = 0; k < modes.num_modes(); ++k) numbers.push_back(k + 1);
  table.add("mode", "", numbers);
  table.add("frequency", "Hz", {modes.frequencies.begin(), modes.frequencies.end()});
  table.add("damping_ratio", "", {modes.damping_ratios.begin(), modes.damping_ratios.end()});
  return table;
}

}  // namespace

std::vector<std::filesystem::path> write_mechanism_modes(const Equations& equations, const MechanismModes& modes,
                                                         const std::filesystem::path& directory,
                                                         const std::string& stem) {
  FileSet files(directory);
  const Table table = mechanism_table(equations, modes);
  write_csv(table, files.add(stem + ".csv"));
  Hdf5File file(files.add(stem + ".h5"));
  file.set_attribute("/", "program", "lithe " LITHE_VERSION);
  file.write(table);
  file.write("coordinates/name", equations.coordinate_names());
  file.write("shapes/coordinates", modes.shapes);
  for (std::size_t i = 0; i < modes.translations.size(); ++i) {
    // A slash in a name would open a group of its own.
    const std::string group = "links/" + file_name_of(equations.model().links[i].name);
    file.write(group + "/position", as_rows(modes.node_positions[i]), "m");
    file.write(group + "/translation", modes.translations[i], "kg^-1/2");
    file.write(group + "/rotation", modes.rotations[i], "rad m^-1 kg^-1/2");
  }
  file.close();
  files.write(stem + ".svg", mode_picture(modes, wires(equations.model()), "Mode shapes of " + equations.model().name));
  files.commit();
  return files.paths();
}

std::vector<std::filesystem::path> write_link_modes(const Model& model, const LinkModes& modes,
                                                    const std::string& subject, const std::filesystem::path& directory,
                                                    const std::string& stem) {
  FileSet files(directory);
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

std::string rigid_note(const LinkModes& modes) {
  return modes.num_rigid > 0 ? cat("\nModes 1 to ", modes.num_rigid, " are rigid motions.\n") : std::string();
}

std::string mode_notes(const MechanismModes& modes) {
  std::string text;
  if (modes.num_modes() > 0 && modes.frequencies.minCoeff() < 0)
    text += "\nNegative: unstable, |f| is the growth rate over 2 pi.\n";
  if (!modes.at_rest)
    text += "\nThis configuration is not in static equilibrium; modes are computed with the mechanism held at rest.\n";
  return text;
}

}  // namespace lithe::app
