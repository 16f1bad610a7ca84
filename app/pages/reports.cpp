#include "app/pages/reports.h"

#include "app/terminal/consent.h"
#include "lithe/base/text.h"
#include "lithe/results/scene/described_shapes.h"

namespace lithe::app {
namespace {

constexpr int num_modes_shown = 16;
constexpr int largest_problem = 400;  // coordinates: a second of work

}  // namespace

Report simulation_report(const Equations& equations, const Trajectory& motion) {
  Report report = motion_report(equations, motion);
  if (motion.states.empty() || equations.num_coordinates() > largest_problem) return report;
  const ModesResult found = mechanism_modes(equations, motion.states.front(), num_modes_shown);
  if (found.status != EvaluationStatus::ok) return report;
  report.modes.push_back(mechanism_mode_set(equations, motion.states.front(), found.modes, num_modes_shown));
  report.modes.back().name = "the mechanism in its initial configuration";
  return report;
}

Report modes_report(const Equations& equations, const State& state, const MechanismModes& modes, int count) {
  Report report;
  report.title = equations.model().name;
  report.subtitle = cat("natural modes, ", equations.name());
  report.scene = make_scene(equations.model());
  report.motion = sample_configuration(equations, state);
  report.modes.push_back(mechanism_mode_set(equations, state, modes, modes.num_rigid + count));
  report.facts = {{"formulation", equations.name()},
                  {"coordinates", cat(equations.num_coordinates())},
                  {"free motions", cat(modes.num_rigid)},
                  {"configuration",
                   modes.at_rest ? "in static equilibrium" : "not in static equilibrium; held at rest for the modes"}};
  return report;
}

void save_report(Report report, const std::filesystem::path& directory, std::vector<std::filesystem::path>& paths,
                 const std::string& stem) {
  if (report.scene)
    for (const std::string& note : add_described_shapes(*report.scene, read_options(report.scene->file)))
      report.facts.push_back({"not drawn", note});
  for (const std::filesystem::path& path : paths) report.files.push_back(path.filename().string());
  paths.push_back(write_report(report, directory, stem));
}

}  // namespace lithe::app
