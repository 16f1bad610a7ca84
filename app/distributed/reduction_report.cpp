#include "app/distributed/reduction_report.h"

#include <cmath>
#include <numbers>

#include "app/terminal/table.h"
#include "lithe/base/text.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/hdf5_file.h"

namespace lithe::app {
namespace {

std::vector<double> hertz(const VectorX& squared) {
  std::vector<double> result;
  for (const double value : squared) result.push_back(std::sqrt(std::max(0.0, value)) / (2 * std::numbers::pi));
  return result;
}

std::vector<std::string> interface_names(const Link& link, const DistributedReduction& reduction) {
  std::vector<std::string> names;
  for (const int node : reduction.interface_nodes) names.push_back(link.nodes[static_cast<std::size_t>(node)].name);
  return names;
}

constexpr double megabyte = 1e6;

std::string table_of_processes(const DistributedReduction& reduction, const Style& style) {
  TextTable table({{"process"}, {"elements"}, {"unknowns"}, {"factor MB"}, {"peak memory MB"}});
  for (std::size_t k = 0; k < reduction.ranks.size(); ++k) {
    const RankUse& use = reduction.ranks[k];
    table.add_row({cat(k), cat(use.num_elements), cat(use.num_unknowns), fixed(use.factor_size / megabyte, 1),
                   fixed(use.peak_memory / megabyte, 0)});
  }
  return table.text(style);
}

}  // namespace

std::string reduction_text(const Link& link, const DistributedReduction& reduction, const StageTimes& times,
                           const Style& style) {
  const std::size_t count = reduction.ranks.size();
  std::string text = cat("Link '", link.name, "': ", reduction.num_elements, " elements, ", reduction.num_unknowns,
                         " unknowns on ", count, count == 1 ? " process" : " processes",
                         "\nInterface nodes: ", joined(interface_names(link, reduction)), "\n\n",
                         table_of_processes(reduction, style), "\n");
  const std::vector<double> held = hertz(reduction.squared_frequencies),
                            free = hertz(reduction.free_squared_frequencies);
  TextTable modes({{"mode"}, {"interface held Hz"}, {"free Hz"}});
  for (std::size_t k = 0; k < std::max(held.size(), std::min(free.size(), std::size_t{10})); ++k)
    modes.add_row({cat(k + 1), k < held.size() ? fixed(held[k], 4) : "", k < free.size() ? fixed(free[k], 4) : ""});
  text += modes.text(style) + "\n";
  for (std::size_t k = 0; k < times.size(); ++k)
    text += cat(k == 0 ? "" : ", ", times[k].first, " ", fixed(times[k].second, 1), " s");
  return text + "\n";
}

nlohmann::json reduction_json(const Link& link, const DistributedReduction& reduction, const StageTimes& times) {
  nlohmann::json value{{"ok", true},
                       {"link", link.name},
                       {"elements", reduction.num_elements},
                       {"unknowns", reduction.num_unknowns},
                       {"interface_nodes", interface_names(link, reduction)},
                       {"frequencies", hertz(reduction.squared_frequencies)},
                       {"free_frequencies", hertz(reduction.free_squared_frequencies)},
                       {"mass", reduction.inertia.mass},
                       {"processes", nlohmann::json::array()},
                       {"seconds", nlohmann::json::object()}};
  for (const RankUse& use : reduction.ranks)
    value["processes"].push_back({{"elements", use.num_elements},
                                  {"unknowns", use.num_unknowns},
                                  {"factor_bytes", use.factor_size},
                                  {"peak_bytes", use.peak_memory}});
  for (const auto& [stage, seconds] : times) value["seconds"][stage] = seconds;
  return value;
}

void write_reduction(const Link& link, const DistributedReduction& reduction, const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  FileSet files(folder.empty() ? "." : folder);
  Hdf5File file(files.add(path.filename().string()));
  file.set_attribute("/", "format", "lithe distributed reduction 1");
  file.set_attribute("/", "link", link.name);
  MatrixX positions(static_cast<Eigen::Index>(reduction.interface_nodes.size()), 3);
  for (std::size_t k = 0; k < reduction.interface_nodes.size(); ++k)
    positions.row(static_cast<Eigen::Index>(k)) =
        link.nodes[static_cast<std::size_t>(reduction.interface_nodes[k])].position.transpose();
  file.write("interface/names", interface_names(link, reduction));
  file.write("interface/positions", positions, "m");
  file.write("frequencies", hertz(reduction.squared_frequencies), "Hz");
  file.write("free_frequencies", hertz(reduction.free_squared_frequencies), "Hz");
  file.write("stiffness", reduction.stiffness);
  file.write("mass", reduction.mass);
  const InertiaInvariants& inertia = reduction.inertia;
  file.write("inertia/mass", std::vector<double>{inertia.mass}, "kg");
  file.write("inertia/first_moment", MatrixX(inertia.first_moment), "kg m");
  file.write("inertia/second_moment", MatrixX(inertia.second_moment), "kg m^2");
  file.write("inertia/mode_momentum", MatrixX(inertia.mode_momentum));
  constexpr std::string_view axes = "xyz";
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      const std::string name{axes[a], axes[b]};
      file.write("inertia/position_mode/" + name, MatrixX(inertia.position_mode[a][b]));
      file.write("inertia/mode_mode/" + name, inertia.mode_mode[a][b]);
    }
  file.close();
  files.commit();
}

}  // namespace lithe::app
