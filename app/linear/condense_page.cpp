#include <cmath>

#include "app/linear/condense.h"
#include "lithe/base/text.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/position.h"

namespace lithe::app {
namespace {

SceneMotion standing_still(const Model& model) {
  const Mechanism mechanism(model);
  KinematicState state(mechanism);
  update_position(mechanism, initial_configuration(mechanism, model), state);
  const Scene scene = make_scene(model);
  SceneMotion motion;
  motion.times = {0};
  motion.links.resize(scene.links.size());
  for (std::size_t link = 0; link < motion.links.size(); ++link) {
    const auto rows = static_cast<Eigen::Index>(6 * scene.links[link].nodes.size());
    motion.links[link].frames = {state.pose(mechanism.frame_of_link(static_cast<int>(link)))};
    motion.links[link].shapes.resize(rows, 0);
    motion.links[link].coefficients.resize(0, 1);
  }
  motion.load_values.assign(scene.loads.size(), {0.0});
  return motion;
}

ReportTable frequency_table(const CondenseResult& outcome) {
  ReportTable table{.title = "natural frequencies", .columns = {{"mode", ""}, {"frequency", "Hz"}}, .rows = {}};
  if (outcome.full) table.columns.push_back({"full model", "Hz"});
  for (Eigen::Index k = 0; k < outcome.modes.frequencies.size(); ++k) {
    table.rows.push_back({static_cast<double>(k + 1), outcome.modes.frequencies[k]});
    if (outcome.full && k < outcome.full->frequencies.size()) table.rows.back().push_back(outcome.full->frequencies[k]);
  }
  return table;
}

// Rows and columns: displacement along and rotation about the world's axes. Rounding errors beside the diagonal are
// shown as zeros; the files have them.
ReportTable tool_table(const std::string& title, const Matrix6& matrix) {
  constexpr const char* names[] = {"x", "y", "z", "rx", "ry", "rz"};
  ReportTable table{.title = title, .columns = {{"", ""}}, .rows = {}};
  for (const char* name : names) table.columns.push_back({name, ""});
  for (int i = 0; i < 6; ++i) {
    table.rows.push_back({std::string(names[i])});
    for (int j = 0; j < 6; ++j) {
      const bool rounding = std::abs(matrix(i, j)) < 1e-12 * std::sqrt(std::abs(matrix(i, i) * matrix(j, j)));
      table.rows.back().push_back(rounding ? 0.0 : matrix(i, j));
    }
  }
  return table;
}

}  // namespace

Report condense_page(const Model& model, const CondenseResult& outcome) {
  const CondensedModel& condensed = outcome.condensed;
  Report report;
  report.title = model.name;
  report.subtitle = cat("condensed to ", condensed.nodes.size(), condensed.nodes.size() == 1 ? " node" : " nodes");
  report.scene = make_scene(model);
  report.motion = standing_still(model);
  report.facts = {{"coordinates", cat(condensed.num_coordinates, ", condensed to ", 6 * condensed.nodes.size())},
                  {"redundant constraints", cat(condensed.num_redundant)}};
  report.tables.push_back(frequency_table(outcome));
  if (!condensed.tool) return report;
  const ToolMatrices& tool = *condensed.tool;
  const std::string at = cat(" at '", outcome.tool, "'");
  if (tool.stiffness) report.tables.push_back(tool_table(cat("stiffness", at, ", N/m and N m/rad"), *tool.stiffness));
  if (tool.compliance)
    report.tables.push_back(tool_table(cat("compliance", at, ", m/N and rad/(N m)"), *tool.compliance));
  if (tool.mass) report.tables.push_back(tool_table(cat("mass", at, ", kg and kg m²"), *tool.mass));
  return report;
}

}  // namespace lithe::app
