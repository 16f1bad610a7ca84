#include <algorithm>

#include "app/linear/condense.h"
#include "app/terminal/table.h"
#include "lithe/analyse/condense/topology.h"
#include "lithe/base/text.h"
namespace lithe::app {
namespace {

std::string role_text(const Model& model, const SubsystemCount& subsystem) {
  switch (subsystem.role) {
    case SubsystemRole::grounded:
      return "grounded";
    case SubsystemRole::kept:
      return cat("independent: ", node_text(model, subsystem.root));
    case SubsystemRole::imposed:
      return cat("imposed: ", node_text(model, subsystem.root));
    case SubsystemRole::condensed:
      break;
  }
  return "condensed";
}

constexpr const char* coordinate_names[] = {"x", "y", "z", "rx", "ry", "rz"};

nlohmann::json matrix_json(const MatrixX& matrix) {
  nlohmann::json rows = nlohmann::json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    nlohmann::json row = nlohmann::json::array();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.push_back(json_number(matrix(i, j)));
    rows.push_back(row);
  }
  return rows;
}

nlohmann::json list_json(const VectorX& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const double value : values) list.push_back(json_number(value));
  return list;
}

nlohmann::json displacements_json(const MatrixX& columns) {
  if (columns.size() == 0) return nullptr;
  return {{"gravity", list_json(columns.col(case_gravity))},
          {"loads", list_json(columns.col(case_loads))},
          {"imposed", list_json(columns.col(case_imposed))}};
}

nlohmann::json tool_json(const CondenseResult& outcome) {
  if (!outcome.condensed.tool) return nullptr;
  const ToolMatrices& tool = *outcome.condensed.tool;
  const ToolStiffness by_direction = stiffness_by_direction(tool);
  const auto optional = [](const std::optional<Matrix6>& matrix) {
    return matrix ? matrix_json(*matrix) : nlohmann::json(nullptr);
  };
  return {{"node", outcome.tool},
          {"message", tool.message},
          {"stiffness", optional(tool.stiffness)},
          {"mass", optional(tool.mass)},
          {"compliance", optional(tool.compliance)},
          {"stiffness_others_locked", list_json(by_direction.locked)},
          {"stiffness_others_free", list_json(by_direction.free)},
          {"displacements", displacements_json(tool.displacements)}};
}

// Rounding beside entries of another size is not worth reading.
std::string matrix_text(const std::string& title, const Matrix6& matrix, const Style& style) {
  TextTable table({{title, Align::left}, {"x"}, {"y"}, {"z"}, {"rx"}, {"ry"}, {"rz"}});
  for (int i = 0; i < 6; ++i) {
    std::vector<std::string> cells{coordinate_names[i]};
    for (int j = 0; j < 6; ++j) {
      const double level = 1e-10 * std::sqrt(std::abs(matrix(i, i) * matrix(j, j)));
      cells.push_back(std::abs(matrix(i, j)) <= level ? "0" : number(matrix(i, j), 7));
    }
    table.add_row(cells);
  }
  return table.text(style);
}

std::string nodes_text(const Model& model, const CondensedModel& condensed, const Style& style) {
  TextTable table({{"independent node", Align::left}, {"x m"}, {"y m"}, {"z m"}});
  for (std::size_t i = 0; i < condensed.nodes.size(); ++i) {
    const Vector3& p = condensed.positions[i];
    table.add_row({node_text(model, condensed.nodes[i]), fixed(p.x(), 5), fixed(p.y(), 5), fixed(p.z(), 5)});
  }
  return table.text(style);
}

// [SC] (8) for every subsystem that flexible links leave: n_O = n_J - n_c.
std::string sets_text(const Model& model, const NodeSets& sets, const Style& style) {
  std::string text = cat("\nNode sets: ", sets.num_inner, " inner (I), ", sets.boundary.size(), " boundary (B), ",
                         sets.joint.size(), " joint (J), ", sets.independent.size(), " independent (O)\n");
  TextTable table({{"subsystem of", Align::left},
                   {"n_J"},
                   {"joints"},
                   {"rigid"},
                   {"imposed"},
                   {"n_J - n_c"},
                   {"closing loops"},
                   {"n_O"},
                   {"role", Align::left}});
  for (const SubsystemCount& s : sets.subsystems)
    table.add_row({s.name, cat(s.num_joint_nodes), cat(s.mobile), cat(s.rigid), cat(s.imposed), cat(s.by_rule()),
                   cat(s.loops), cat(s.num_independent()), role_text(model, s)});
  text += "\n" + table.text(style);
  const SubsystemCount& total = sets.total;
  text += cat("\nConnection rule: n_O = n_J - n_c = ", total.num_joint_nodes, " - ", total.connections(), " = ",
              total.by_rule());
  if (total.loops > 0)
    text += cat("; ", total.loops, total.loops == 1 ? " connection closes a loop" : " connections close loops",
                " and does not count: ", total.num_independent());
  return text + "\n";
}

nlohmann::json sets_json(const Model& model, const NodeSets& sets) {
  const auto names = [&](const std::vector<NodeOfLink>& nodes) {
    nlohmann::json list = nlohmann::json::array();
    for (const NodeOfLink& node : nodes) list.push_back(node_text(model, node));
    return list;
  };
  const auto count = [](const SubsystemCount& s) {
    return nlohmann::json{{"n_J", s.num_joint_nodes},     {"mobile_connections", s.mobile},
                          {"rigid_connections", s.rigid}, {"imposed_connections", s.imposed},
                          {"n_c", s.connections()},       {"rule", s.by_rule()},
                          {"closing_loops", s.loops},     {"n_O", s.num_independent()}};
  };
  nlohmann::json subsystems = nlohmann::json::array();
  for (const SubsystemCount& s : sets.subsystems) {
    subsystems.push_back(count(s));
    subsystems.back()["of"] = s.name;
    subsystems.back()["role"] = role_text(model, s);
  }
  return {{"inner_nodes", sets.num_inner},          {"boundary", names(sets.boundary)}, {"joint", sets.joint},
          {"independent", names(sets.independent)}, {"subsystems", subsystems},         {"total", count(sets.total)}};
}

std::string frequencies_text(const CondenseResult& outcome, const Style& style) {
  std::vector<TextColumn> columns{{"mode"}, {"frequency Hz"}};
  if (outcome.full) columns.push_back({"full model Hz"});
  TextTable table(columns);
  for (Eigen::Index k = 0; k < outcome.modes.frequencies.size(); ++k) {
    std::vector<std::string> cells{cat(k + 1), fixed(outcome.modes.frequencies[k], 4)};
    if (outcome.full)
      cells.push_back(k < outcome.full->frequencies.size() ? fixed(outcome.full->frequencies[k], 4) : "");
    table.add_row(cells);
  }
  return table.text(style);
}

std::string displacement_text(const Vector6& u) {
  return cat("(", number(u[0], 4), ", ", number(u[1], 4), ", ", number(u[2], 4), ") m, rotated by (", number(u[3], 4),
             ", ", number(u[4], 4), ", ", number(u[5], 4), ") rad");
}

// K_ii and 1/C_ii, which are often taken for each other.
std::string directions_text(const ToolMatrices& tool, const Style& style) {
  const ToolStiffness by_direction = stiffness_by_direction(tool);
  if (by_direction.free.array().isNaN().all()) return "";
  TextTable table({{"direction", Align::left},
                   {"K_ii, others locked"},
                   {"1/C_ii, others free"},
                   {"unit", Align::left},
                   {"C_ii"},
                   {"unit", Align::left}});
  const auto shown = [](double value) {
    return std::isnan(value) ? "" : std::isinf(value) ? "cannot move" : number(value, 6);
  };
  for (int i = 0; i < 6; ++i)
    table.add_row({coordinate_names[i], shown(by_direction.locked[i]), shown(by_direction.free[i]),
                   i < 3 ? "N/m" : "N m/rad", tool.compliance ? number((*tool.compliance)(i, i), 6) : "",
                   i < 3 ? "m/N" : "rad/(N m)"});
  return cat("\nStiffness of the tool by direction\n\n", table.text(style));
}

std::string tool_text(const CondenseResult& outcome, const Style& style) {
  if (!outcome.condensed.tool) return "";
  const ToolMatrices& tool = *outcome.condensed.tool;
  std::string text = cat("\nTool '", outcome.tool, "', world axes, SI units\n");
  if (!tool.message.empty()) text += cat("\n", tool.message, "\n");
  text += directions_text(tool, style);
  if (tool.stiffness) text += "\n" + matrix_text("stiffness K", *tool.stiffness, style);
  if (tool.compliance) text += "\n" + matrix_text("compliance C", *tool.compliance, style);
  if (tool.mass) text += "\n" + matrix_text("mass", *tool.mass, style);
  const char* causes[] = {"Under gravity", "Under the loads", "By the imposed displacements"};
  for (int k = 0; k < num_load_cases; ++k) {
    const Vector6 u = tool.displacements.col(k);
    if (u.allFinite() && u.norm() > 0) text += cat("\n", causes[k], " it moves by ", displacement_text(u), ".\n");
  }
  if (outcome.full && outcome.full->tool_compliance && tool.compliance) {
    const Matrix6 difference = *outcome.full->tool_compliance - *tool.compliance;
    text += cat("\nCompliance differs from the full model's by ",
                number(difference.norm() / tool.compliance->norm(), 2), " of its size.\n");
  }
  return text;
}

}  // namespace

std::string condense_text(const Model& model, const CondenseResult& outcome, const Style& style) {
  const CondensedModel& condensed = outcome.condensed;
  std::string text = cat(model.name, " in its configuration, condensed from ", condensed.num_coordinates, " to ",
                         condensed.stiffness.rows(), " coordinates",
                         outcome.full ? cat(" (full model: ", outcome.full->num_unknowns, ")") : "", "\n");
  if (!condensed.nodes.empty()) text += cat("\n", nodes_text(model, condensed, style));
  text += sets_text(model, outcome.sets, style);
  for (const std::string& note : condensed.notes) text += cat("\nNote: ", note, ".\n");
  if (outcome.modes.frequencies.size() > 0) text += "\n" + frequencies_text(outcome, style);
  return text + tool_text(outcome, style);
}

nlohmann::json condense_json(const Model& model, const CondenseResult& outcome) {
  const CondensedModel& condensed = outcome.condensed;
  nlohmann::json nodes = nlohmann::json::array();
  for (std::size_t i = 0; i < condensed.nodes.size(); ++i)
    nodes.push_back({{"node", node_text(model, condensed.nodes[i])}, {"position", list_json(condensed.positions[i])}});
  nlohmann::json result{{"model", model.name},
                        {"status", condensed.status == CondenseStatus::ok ? "ok" : "unconstrained"},
                        {"message", condensed.message},
                        {"notes", condensed.notes},
                        {"redundant_constraints", condensed.num_redundant},
                        {"independent", nodes},
                        {"sets", sets_json(model, outcome.sets)},
                        {"frequencies_hz", list_json(outcome.modes.frequencies)},
                        {"stiffness", matrix_json(condensed.stiffness)},
                        {"mass", matrix_json(condensed.mass)},
                        {"displacements", displacements_json(condensed.displacements)},
                        {"tool", tool_json(outcome)}};
  if (outcome.full) {
    result["full"] = {{"unknowns", outcome.full->num_unknowns},
                      {"frequencies_hz", list_json(outcome.full->frequencies)},
                      {"tool_compliance", outcome.full->tool_compliance ? matrix_json(*outcome.full->tool_compliance)
                                                                        : nlohmann::json(nullptr)}};
  }
  return result;
}

}  // namespace lithe::app
