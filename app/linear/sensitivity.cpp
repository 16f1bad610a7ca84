// `lithe sensitivity`: the matrix S(q) of [EVO] (3) of any model, to files for other programs.
#include <iostream>
#include <memory>

#include "app/models/inspected_model.h"
#include "app/program/command.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/table.h"
#include "lithe/analyse/analyses.h"
#include "lithe/base/text.h"
#include "lithe/export/mat_file.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/hdf5_file.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
};

std::vector<std::string> parts_of(const std::vector<Channel>& signals, bool units) {
  std::vector<std::string> result;
  for (const Channel& signal : signals) result.push_back(units ? signal.unit : signal.name);
  return result;
}

std::vector<double> as_list(const VectorX& values) { return {values.data(), values.data() + values.size()}; }

nlohmann::json rows_json(const MatrixX& matrix) {
  nlohmann::json list = nlohmann::json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) list.push_back(as_list(matrix.row(i).transpose()));
  return list;
}

nlohmann::json sensitivity_json(const Model& model, const Sensitivity& s) {
  return {{"model", model.name},
          {"rows", parts_of(s.rows, false)},
          {"row_units", parts_of(s.rows, true)},
          {"columns", parts_of(s.columns, false)},
          {"column_units", parts_of(s.columns, true)},
          {"free_columns", s.num_free},
          {"S", rows_json(s.matrix)},
          {"rates", as_list(s.rates)},
          {"convective", as_list(s.convective)},
          {"nodes", s.nodes},
          {"positions_m", rows_json(s.positions)}};
}

std::vector<std::filesystem::path> write_sensitivity(const Model& model, const Sensitivity& s,
                                                     const std::filesystem::path& directory) {
  FileSet files(directory);
  Hdf5File file(files.add("sensitivity.h5"));
  file.write("S", s.matrix, "row unit / column unit");
  file.write("rates", as_list(s.rates), "column unit / s");
  file.write("convective", as_list(s.convective), "row unit / s^2");
  file.write("positions", s.positions, "m");
  for (const bool units : {false, true}) {
    file.write(units ? "row_units" : "rows", parts_of(s.rows, units));
    file.write(units ? "column_units" : "columns", parts_of(s.columns, units));
  }
  file.write("nodes", s.nodes);
  file.set_attribute("/", "model", model.name);
  file.close();
  write_mat(files.add("sensitivity.mat"), {{"S", s.matrix},
                                           {"rates", MatrixX(s.rates)},
                                           {"convective", MatrixX(s.convective)},
                                           {"positions", s.positions},
                                           {"rows", parts_of(s.rows, false)},
                                           {"row_units", parts_of(s.rows, true)},
                                           {"columns", parts_of(s.columns, false)},
                                           {"column_units", parts_of(s.columns, true)},
                                           {"nodes", s.nodes}});
  files.write("sensitivity.json", sensitivity_json(model, s).dump(1) + "\n");
  files.commit();
  return files.paths();
}

// Named nodes alone; the files have those of the mesh, too.
std::string sensitivity_text(const Model& model, const Sensitivity& s, const Style& style) {
  std::vector<TextColumn> headings{{"node", Align::left}};
  for (const Channel& column : s.columns) headings.push_back({column.name});
  headings.push_back({"dS/dt dq/dt"});
  TextTable table(headings);
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    if (s.rows[i].name.find(":mesh ") != std::string::npos) continue;
    const auto row = static_cast<Eigen::Index>(i);
    std::vector<std::string> cells{s.rows[i].name};
    for (Eigen::Index k = 0; k < s.matrix.cols(); ++k) cells.push_back(number(s.matrix(row, k), 6));
    cells.push_back(number(s.convective[row], 4));
    table.add_row(cells);
  }
  return cat("Sensitivity of the nodes of '", model.name, "' to ", s.num_free, " free and ",
             s.matrix.cols() - s.num_free, " prescribed coordinates, dr = S dq (m and rad per rad or m)\n\n",
             table.text(style));
}

int run(const Model& model, const Options& options, const Output& output) {
  const std::filesystem::path directory =
      tried_directory(options.directory, model, {"sensitivity.h5", "sensitivity.mat", "sensitivity.json"});
  const Sensitivity found = sensitivity(model);
  if (found.status != EvaluationStatus::ok) {
    std::cerr << "lithe: no sensitivity of '" << model.name << "': " << explain(model, found.status) << '\n';
    return exit_failed;
  }
  const auto paths = write_sensitivity(model, found, directory);
  if (output.json()) {
    nlohmann::json value = sensitivity_json(model, found);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(sensitivity_text(model, found, output.style()) + "\n" + where_results_lie(paths));
  }
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  command.add_option("FILE", options->file, "Model file (TOML)").required();
  command.add_option("-o,--output", options->directory, "Directory for results; results/<model name> by default");
  return action_on_model(options, run);
}

const CommandRegistration registration(
    {.name = "sensitivity",
     .rank = 37,
     .summary = "Motion of every node per unit of each rigid coordinate: the matrix S(q), loops closed",
     .examples = "  lithe sensitivity four_bar.toml\n"
                 "  lithe sensitivity arm.toml --json -o results/arm\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
