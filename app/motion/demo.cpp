// The main job on the example that is part of the program.

#include "app/linear/mode_files.h"
#include "app/motion/motion.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/program/embedded.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/table.h"
#include "lithe/base/computation_error.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/motion.h"

namespace lithe::app {
namespace {

constexpr const char* example = "l_shape";
constexpr int num_shown = 10;

int run(const std::string& chosen_directory, const Output& output) {
  const Model model = read_example(example);
  const std::filesystem::path directory = tried_directory(
      chosen_directory, model, {"modes.csv", "modes.h5", "modes.svg", "motion.csv", "motion.h5", "demo.html"});
  const NaturalModesResult found = natural_modes(model, {});
  if (!found.mechanism) throw ComputationError(found.failure);
  const MechanismModes& modes = *found.mechanism;
  const SimulatedMotion motion = simulate(model, spec_of<SimulateSpec>(model), TerminalHooks("simulate"));
  std::vector<std::filesystem::path> paths = write_mechanism_modes(*found.equations, modes, directory, "modes");
  const auto motion_paths = write_motion(motion, directory, "motion");
  paths.insert(paths.end(), motion_paths.begin(), motion_paths.end());
  save_report(simulation_report(*motion.equations, motion), directory, paths, "demo");
  if (output.json()) {
    nlohmann::json frequencies = nlohmann::json::array();
    for (int k = 0; k < modes.num_modes(); ++k) frequencies.push_back(modes.frequencies(k));
    output.print(nlohmann::json{{"model", model.name}, {"frequencies_hz", frequencies}, {"files", paths_json(paths)}});
    return exit_ok;
  }
  TextTable table({{"mode"}, {"frequency Hz"}});
  for (int k = 0; k < std::min(num_shown, modes.num_modes()); ++k)
    table.add_row({cat(k + 1), fixed(modes.frequencies(k), 3)});
  output.print(cat("Natural frequencies of the ", model.name, " on its hinge, the first of ", modes.num_modes(),
                   ":\n\n", table.text(output.style()), "\n", motion_text(motion, output.style()), "\n",
                   where_results_lie(paths), "\nOpen ", paths.back().string(), " in a browser to see it move.\n"));
  return exit_ok;
}

const CommandRegistration registration({.name = "demo",
                                        .rank = 5,
                                        .summary = "Show what the program does, on an L-shaped flexible robot",
                                        .examples = "  lithe demo\n  lithe demo -o results/demo\n",
                                        .set_up = [](CommandOptions& command) -> Action {
                                          auto directory = std::make_shared<std::string>();
                                          command.add_option("-o,--output", *directory,
                                                             "Directory for results; results/<model name> by default");
                                          return [directory](const Output& output) { return run(*directory, output); };
                                        }});

}  // namespace
}  // namespace lithe::app
