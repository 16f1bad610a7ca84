#include <algorithm>
#include <cmath>

#include "app/linear/floquet_report.h"
#include "app/linear/linearise.h"
#include "app/linear/transfer_report.h"
#include "app/terminal/table.h"
#include "lithe/analyse/linear/linear_modes.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/export/mat_file.h"
#include "lithe/export/state_space_text.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/hdf5_file.h"
#include "lithe/view/linear_report.h"

namespace lithe::app {
namespace {

nlohmann::json matrix_json(const MatrixX& matrix) {
  nlohmann::json rows = nlohmann::json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    nlohmann::json row = nlohmann::json::array();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.push_back(json_number(matrix(i, j)));
    rows.push_back(row);
  }
  return rows;
}

nlohmann::json signals_json(const std::vector<Channel>& signals) {
  nlohmann::json list = nlohmann::json::array();
  for (const Channel& signal : signals) list.push_back({{"name", signal.name}, {"unit", signal.unit}});
  return list;
}

nlohmann::json eigenvalue_json(const LinearModes& modes, int count) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t k = 0; k < modes.eigenvalues.size() && static_cast<int>(k) < count; ++k)
    list.push_back({{"real", json_number(modes.eigenvalues[k].real())},
                    {"imaginary", json_number(modes.eigenvalues[k].imag())},
                    {"frequency_hz", json_number(modes.frequency(k))},
                    {"damping_ratio", json_number(modes.damping_ratio(k))}});
  return list;
}

// Eigenvalues decide stability about an equilibrium (drives may hold it) and about a steady motion only.
bool decides_stability(const LinearModel& model, const LineariseSpec& settings) {
  constexpr double rest = 1e-6;
  if (settings.floquet || settings.about == LineariseAbout::motion) return false;
  return settings.about != LineariseAbout::initial || model.nominal_force.size() == 0 ||
         model.nominal_force.cwiseAbs().maxCoeff() <= rest;
}

constexpr const char* without_stiffening = " without geometric stiffening; see the note";

std::string stability_text(const LinearModel& model, const LinearModes& modes, const LineariseSpec& settings,
                           bool lacks_stiffening, const Style& style) {
  if (!(relative_growth(modes) > least_growth)) return "";
  if (decides_stability(model, settings))
    return style.bad(cat("Unstable", lacks_stiffening ? without_stiffening : "", ".\n"));
  if (settings.about == LineariseAbout::initial && !settings.floquet)
    return "An eigenvalue has a positive real part. This configuration is not in equilibrium, so that this does not "
           "decide stability.\n";
  return "An eigenvalue has a positive real part. Frozen-time eigenvalues of a motion that is not steady do not decide "
         "stability; for a periodic motion, --floquet does.\n";
}

nlohmann::json model_json(const LinearModel& model, const LinearModes& modes, double time,
                          const LineariseSpec& settings) {
  const StateSpace system = state_space(model);
  const bool decided = decides_stability(model, settings);
  return {{"time_s", time},
          {"stable", decided ? nlohmann::json(!(relative_growth(modes) > least_growth)) : nlohmann::json()},
          {"frozen_time", settings.floquet || settings.about == LineariseAbout::motion},
          {"eigenvalues", eigenvalue_json(modes, settings.count)},
          {"A", matrix_json(system.a)},
          {"B", matrix_json(system.b)},
          {"C", matrix_json(system.c)},
          {"D", matrix_json(system.d)},
          {"mass", matrix_json(model.mass)},
          {"damping", matrix_json(model.damping)},
          {"stiffness", matrix_json(model.stiffness)},
          {"input", matrix_json(model.input)},
          {"inputs", signals_json(system.inputs)},
          {"outputs", signals_json(system.outputs)},
          {"states", signals_json(system.states)}};
}

nlohmann::json campbell_json(const LineariseResult& outcome) {
  nlohmann::json points = nlohmann::json::array(), unstable = nlohmann::json::array();
  const CampbellDiagram& diagram = *outcome.campbell;
  for (std::size_t i = 0; i < diagram.speeds.size(); ++i) {
    nlohmann::json values = nlohmann::json::array();
    for (const auto& value : diagram.eigenvalues[i])
      values.push_back({json_number(value.real()), json_number(value.imag())});
    points.push_back({{"speed", diagram.speeds[i]}, {"eigenvalues", values}});
  }
  for (const auto& [from, to] : diagram.unstable) unstable.push_back({from, to});
  return {{"spin", outcome.spin}, {"unit", outcome.speed_unit}, {"points", points}, {"unstable", unstable}};
}

nlohmann::json response_json(const LineariseResult& outcome) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < outcome.response.size(); ++i)
    list.push_back({{"frequency_hz", outcome.response_frequencies[i]},
                    {"real", matrix_json(outcome.response[i].real())},
                    {"imaginary", matrix_json(outcome.response[i].imag())}});
  return list;
}

std::vector<std::string> names_of(const std::vector<Channel>& signals) {
  std::vector<std::string> names;
  for (const Channel& signal : signals) names.push_back(signal.name);
  return names;
}

std::string mode_table(const LinearModes& modes, int count, const Style& style) {
  TextTable table({{"mode"}, {"frequency Hz"}, {"damping ratio"}, {"real part 1/s"}, {"imaginary part 1/s"}});
  constexpr double rounding = 1e-9;  // of a double zero among eigenvalues: the root of that of one
  double largest = 0;
  for (const std::complex<double>& value : modes.eigenvalues) largest = std::max(largest, std::abs(value));
  for (std::size_t k = 0; k < modes.eigenvalues.size() && static_cast<int>(k) < count; ++k) {
    if (std::abs(modes.eigenvalues[k]) < rounding * largest) {
      table.add_row({cat(k + 1), "free motion", "", "0", "0"});
      continue;
    }
    table.add_row({cat(k + 1), fixed(modes.frequency(k), 4), number(modes.damping_ratio(k), 4),
                   number(modes.eigenvalues[k].real(), 6), number(modes.eigenvalues[k].imag(), 8)});
  }
  return table.text(style);
}

std::string unstable_text(const LineariseResult& outcome) {
  const CampbellDiagram& diagram = *outcome.campbell;
  if (diagram.speeds.empty()) return "";
  if (diagram.unstable.empty())
    return cat("Stable from ", number(diagram.speeds.front()), " to ", number(diagram.speeds.back()), " ",
               outcome.speed_unit, " of '", outcome.spin, "'.\n");
  std::string text = cat("Unstable speeds of '", outcome.spin, "':");
  for (const auto& [from, to] : diagram.unstable) text += cat(" ", number(from, 8), " to ", number(to, 8), ";");
  text.pop_back();
  return cat(text, " ", outcome.speed_unit, outcome.lacks_stiffening ? without_stiffening : "", "\n");
}

std::vector<MatVariable> mat_variables(const LineariseResult& outcome) {
  const LinearModel& model = outcome.models.front();
  const StateSpace system = state_space(model);
  std::vector<MatVariable> variables{{"A", system.a},
                                     {"B", system.b},
                                     {"C", system.c},
                                     {"D", system.d},
                                     {"mass", model.mass},
                                     {"damping", model.damping},
                                     {"stiffness", model.stiffness},
                                     {"input", model.input},
                                     {"position_output", model.position_output},
                                     {"speed_output", model.speed_output},
                                     {"states", names_of(system.states)},
                                     {"inputs", names_of(system.inputs)},
                                     {"outputs", names_of(system.outputs)},
                                     {"formulation", outcome.equations->name()}};
  if (outcome.transfer.empty()) return variables;
  for (const NamedMatrix& entry : matrices_of(outcome.transfer.front()))
    variables.push_back({entry.name, *entry.matrix});
  variables.push_back({"coordinates", coordinate_labels(outcome.transfer.front())});
  variables.push_back({"transfer_rows", outcome.transfer.front().rows});
  return variables;
}

void write_transfer(const TransferMatrices& transfer, const std::string& group, Hdf5File& file) {
  for (const NamedMatrix& entry : matrices_of(transfer))
    if (entry.matrix->size() > 0) file.write(group + "transfer_functions/" + entry.name, *entry.matrix, entry.unit);
  file.write(group + "transfer_functions/coordinates", coordinate_labels(transfer));
  file.write(group + "transfer_functions/rows", transfer.rows);
}

void write_hdf5_model(const LinearModel& model, const LinearModes& modes, const std::string& group, Hdf5File& file) {
  const StateSpace system = state_space(model);
  for (const auto& [name, matrix] : {std::pair<std::string, const MatrixX*>{"A", &system.a},
                                     {"B", &system.b},
                                     {"C", &system.c},
                                     {"D", &system.d},
                                     {"mass", &model.mass},
                                     {"damping", &model.damping},
                                     {"stiffness", &model.stiffness},
                                     {"input", &model.input}})
    if (matrix->size() > 0) file.write(group + name, *matrix);
  MatrixX values(static_cast<Eigen::Index>(modes.eigenvalues.size()), 2);
  for (std::size_t k = 0; k < modes.eigenvalues.size(); ++k)
    values.row(static_cast<Eigen::Index>(k)) << modes.eigenvalues[k].real(), modes.eigenvalues[k].imag();
  file.write(group + "eigenvalues", values, "1/s");
  file.write(group + "shapes_real", MatrixX(modes.shapes.real()));
  file.write(group + "shapes_imaginary", MatrixX(modes.shapes.imag()));
  file.write(group + "states", names_of(system.states));
  file.write(group + "inputs", names_of(system.inputs));
  file.write(group + "outputs", names_of(system.outputs));
}

Table campbell_table(const LineariseResult& outcome) {
  const CampbellDiagram& diagram = *outcome.campbell;
  Table table;
  table.name = "campbell";
  table.notes = {{"model", outcome.equations->model().name}, {"spin", outcome.spin}};
  table.add("speed", outcome.speed_unit, diagram.speeds);
  for (std::size_t k = 0; !diagram.eigenvalues.empty() && k < diagram.eigenvalues.front().size(); ++k) {
    std::vector<double> real, imaginary;
    for (const auto& values : diagram.eigenvalues) {
      real.push_back(values[k].real());
      imaginary.push_back(values[k].imag());
    }
    table.add(cat("mode ", k + 1, " real"), "1/s", real);
    table.add(cat("mode ", k + 1, " imaginary"), "1/s", imaginary);
  }
  return table;
}

Table response_table(const LineariseResult& outcome) {
  const LinearModel& model = outcome.models.front();
  Table table;
  table.name = "response";
  table.notes = {{"model", outcome.equations->model().name}};
  table.add("frequency", "Hz", outcome.response_frequencies);
  for (std::size_t i = 0; i < model.outputs.size(); ++i)
    for (std::size_t j = 0; j < model.inputs.size(); ++j) {
      std::vector<double> real, imaginary;
      for (const MatrixXc& h : outcome.response) {
        real.push_back(h(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)).real());
        imaginary.push_back(h(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)).imag());
      }
      const std::string name = cat(model.outputs[i].name, " of ", model.inputs[j].name);
      const std::string unit = quotient(model.outputs[i].unit, model.inputs[j].unit);
      table.add(name + " real", unit, real);
      table.add(name + " imaginary", unit, imaginary);
    }
  return table;
}

}  // namespace

std::string linearise_text(const LineariseResult& outcome, const LineariseSpec& settings, const Style& style) {
  const LinearModel& first = outcome.models.front();
  std::string text =
      cat("Linear model of ", outcome.equations->model().name, " (", outcome.equations->name(), "): ", first.size(),
          " coordinates, ", first.inputs.size(), first.inputs.size() == 1 ? " input, " : " inputs, ",
          first.outputs.size(), first.outputs.size() == 1 ? " output\n" : " outputs\n");
  for (std::size_t i = 0; i < outcome.models.size(); ++i) {
    const bool moving = settings.floquet || settings.about == LineariseAbout::motion;
    text += moving ? cat("\nAt ", number(outcome.times[i]), " s, frozen in time\n\n") : "\n";
    text += mode_table(outcome.modes[i], settings.count, style);
    if (!outcome.floquet)
      text += stability_text(outcome.models[i], outcome.modes[i], settings, outcome.lacks_stiffening, style);
  }
  if (outcome.floquet) text += floquet_text(*outcome.floquet, settings.count, style);
  if (outcome.campbell) text += "\n" + unstable_text(outcome);
  if (outcome.buckling) {
    text += "\nBuckling at load factors:";
    for (const double factor : outcome.buckling->factors) text += " " + number(factor, 8);
    text += outcome.buckling->factors.empty() ? cat(" none; ", outcome.buckling->message, "\n") : "\n";
  }
  for (const std::string& note : outcome.notes) text += cat("note: ", note, "\n");
  return text;
}

nlohmann::json linearise_json(const LineariseResult& outcome, const LineariseSpec& settings) {
  nlohmann::json models = nlohmann::json::array();
  for (std::size_t i = 0; i < outcome.models.size(); ++i) {
    models.push_back(model_json(outcome.models[i], outcome.modes[i], outcome.times[i], settings));
    if (i < outcome.transfer.size()) models.back()["transfer_functions"] = transfer_json(outcome.transfer[i]);
  }
  nlohmann::json value{{"model", outcome.equations->model().name},
                       {"formulation", outcome.equations->name()},
                       {"about", name_of(settings.about)},
                       {"models", models},
                       {"notes", outcome.notes}};
  if (outcome.floquet) value["floquet"] = floquet_json(*outcome.floquet);
  if (outcome.campbell) value["campbell"] = campbell_json(outcome);
  if (!outcome.response.empty()) value["response"] = response_json(outcome);
  if (outcome.buckling)
    value["buckling"] = {{"factors", outcome.buckling->factors}, {"message", outcome.buckling->message}};
  return value;
}

std::vector<std::filesystem::path> write_linear(const LineariseResult& outcome, const LineariseSpec& settings,
                                                const std::filesystem::path& directory, const std::string& stem) {
  FileSet files(directory);
  Hdf5File file(files.add(stem + ".h5"));
  for (std::size_t i = 0; i < outcome.models.size(); ++i) {
    const std::string group = i == 0 ? "" : cat("time_", i + 1, "/");
    write_hdf5_model(outcome.models[i], outcome.modes[i], group, file);
    if (i < outcome.transfer.size()) write_transfer(outcome.transfer[i], group, file);
  }
  if (outcome.models.size() > 1) file.write("times", outcome.times, "s");
  if (outcome.campbell) file.write(campbell_table(outcome));
  if (!outcome.response.empty()) file.write(response_table(outcome));
  file.close();
  write_mat(files.add(stem + ".mat"), mat_variables(outcome));
  files.write(stem + ".json",
              linearise_json(outcome, settings).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  const StateSpace system = state_space(outcome.models.front());
  files.write(stem + ".h", c_header(system, stem));
  files.write(stem + ".py", python_module(system, outcome.equations->model().name));
  if (outcome.campbell) write_csv(campbell_table(outcome), files.add(stem + "_campbell.csv"));
  if (!outcome.response.empty()) write_csv(response_table(outcome), files.add(stem + "_response.csv"));
  files.commit();
  return files.paths();
}

}  // namespace lithe::app
