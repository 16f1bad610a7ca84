#include "lithe/results/condensed.h"

#include <cmath>

#include "lithe/analyse/condense/sets.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/hdf5_file.h"
#include "lithe/results/files/table.h"

namespace lithe {
namespace {

Table frequency_table(const Model& model, const CondensedModes& modes, const VectorX& full) {
  Table table;
  table.name = "modes";
  table.notes = {{"model", model.name}, {"subject", "condensed mechanism"}};
  std::vector<double> numbers;
  for (Eigen::Index k = 0; k < modes.frequencies.size(); ++k) numbers.push_back(static_cast<double>(k + 1));
  table.add("mode", "", numbers);
  table.add("frequency", "Hz", {modes.frequencies.begin(), modes.frequencies.end()});
  if (full.size() > 0) {
    std::vector<double> beside(full.begin(), full.end());
    beside.resize(numbers.size(), std::nan(""));
    table.add("frequency of the full model", "Hz", std::move(beside));
  }
  return table;
}

MatrixX as_rows(const std::vector<Vector3>& points) {
  MatrixX result(static_cast<Eigen::Index>(points.size()), 3);
  for (std::size_t i = 0; i < points.size(); ++i) result.row(static_cast<Eigen::Index>(i)) = points[i].transpose();
  return result;
}

void write_tool(const ToolMatrices& tool, Hdf5File& file) {
  if (tool.stiffness) file.write("tool/stiffness", MatrixX(*tool.stiffness));
  if (tool.mass) file.write("tool/mass", MatrixX(*tool.mass));
  if (tool.compliance) file.write("tool/compliance", MatrixX(*tool.compliance));
  const ToolStiffness by_direction = stiffness_by_direction(tool);
  file.write("tool/stiffness_others_locked", MatrixX(by_direction.locked));
  file.write("tool/stiffness_others_free", MatrixX(by_direction.free));
  file.write("tool/displacements", MatrixX(tool.displacements));
}

}  // namespace

std::vector<std::filesystem::path> write_condensed(const Model& model, const CondensedModel& condensed,
                                                   const CondensedModes& modes, const std::filesystem::path& directory,
                                                   const std::string& stem, const VectorX& full_frequencies) {
  FileSet files(directory);
  const Table table = frequency_table(model, modes, full_frequencies);
  write_csv(table, files.add(stem + ".csv"));
  Hdf5File file(files.add(stem + ".h5"));
  file.write(table);
  std::vector<std::string> names;
  for (const NodeOfLink& node : condensed.nodes) names.push_back(node_text(model, node));
  file.write("nodes/name", names);
  file.write("nodes/position", as_rows(condensed.positions), "m");
  // Rows: ux, uy, uz, rx, ry, rz of node after node, world axes.
  file.write("shapes", modes.shapes);
  file.write("stiffness", condensed.stiffness);
  file.write("mass", condensed.mass);
  // Columns: gravity, loads, imposed displacements.
  file.write("loads", condensed.loads);
  if (condensed.displacements.size() > 0) file.write("displacements", condensed.displacements);
  if (condensed.tool) write_tool(*condensed.tool, file);
  file.close();
  files.commit();
  return files.paths();
}

}  // namespace lithe
