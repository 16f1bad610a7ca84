#include <algorithm>
#include <memory>

#include "app/models/inspected_model.h"
#include "app/models/model_warnings.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "lithe/analyse/specs.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/formulate/formulation.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/read/urdf/drawn_shapes.h"

namespace lithe::app {
namespace {

std::string counted(std::size_t count, const std::string& noun) { return cat(count, " ", noun, count == 1 ? "" : "s"); }

// The equations of motion that an analysis needs; null: none.
const FormulationChoice* needed_equations(const Analysis& analysis) {
  const auto* modes = std::get_if<ModesSpec>(&analysis.spec);
  return modes && !modes->link.empty() ? nullptr : formulation_of(analysis.spec);
}

// Why a motion cannot start, or nothing. Throws InputError where there are no such equations.
std::string start_problem(const Model& model, const FormulationChoice& choice) {
  const std::unique_ptr<Equations> equations = make_equations(with_all_modes(model), choice);
  const State start = equations->initial_state();
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, start.time, inputs);
  Accelerations accelerations;
  accelerations.values.setZero(equations->num_coordinates());
  const EvaluationStatus status = equations->evaluate(start, inputs, *equations->make_workspace(), accelerations);
  return status == EvaluationStatus::ok ? ""
                                        : cat("no motion can start with ", choice.formulation, ": ", describe(status));
}

// What later commands would refuse. An analysis of the file that has no equations is an error; without any, what
// `simulate` and `modes` would meet by default is a warning, since `condense` may need neither.
std::vector<std::string> start_warnings(const InspectedModel& inspected) {
  constexpr int most_coordinates = 400;  // beyond, equations take longer than the answer is worth
  const Model& model = inspected.model;
  const MechanismInfo& info = inspected.info;
  std::vector<std::string> warnings;
  const bool large = info.num_elastic + info.mobility > most_coordinates || info.joints.size() > most_coordinates;
  const bool without_modes =
      std::any_of(info.links.begin(), info.links.end(), [](const LinkInfo& link) { return link.too_many_modes; });
  if (large || without_modes || info.singular) return warnings;
  std::vector<std::string> tried;
  const auto add = [&](const FormulationChoice& choice) {
    if (std::find(tried.begin(), tried.end(), choice.formulation) != tried.end()) return;
    tried.push_back(choice.formulation);
    if (const std::string problem = start_problem(model, choice); !problem.empty()) warnings.push_back(problem);
  };
  const std::vector<Analysis> all = analyses_of(model);
  for (const Analysis& analysis : all)
    if (const FormulationChoice* choice = needed_equations(analysis)) add(*choice);
  if (!tried.empty()) return warnings;
  try {
    add({});
  } catch (const InputError& error) {
    for (const Diagnostic& entry : error.errors()) warnings.push_back(entry.message);
  }
  return warnings;
}

int check(const std::string& path, const Output& output) {
  InspectedModel inspected;
  std::vector<std::string> warnings;
  run_on_model(path, [&](const Model& read) {
    inspected = {read, inspect(read)};
    warn_on_modes(read);
    warnings = start_warnings(inspected);
    return exit_ok;
  });
  for (std::string& note : drawn_shapes(path, read_options(path)).notes) warnings.push_back(std::move(note));
  const auto& [model, info] = inspected;
  if (output.json()) {
    output.print(nlohmann::json{{"ok", true},
                                {"file", path},
                                {"name", model.name},
                                {"links", model.links.size()},
                                {"joints", model.joints.size()},
                                {"loops", info.loops.size()},
                                {"freedoms", info.mobility},
                                {"elastic_modes", info.num_elastic},
                                {"drives", model.drives.size()},
                                {"loads", model.loads.size()},
                                {"sensors", model.sensors.size()},
                                {"programs", programs_json(model)},
                                {"warnings", warnings},
                                {"notes", notes(info)}});
    return exit_ok;
  }
  std::string text = cat(path, ": ", output.style().good("no errors"), "\n", counted(model.links.size(), "link"), ", ",
                         counted(model.joints.size(), "joint"), ", ", counted(info.loops.size(), "loop"), ", ",
                         info.mobility, info.mobility == 1 ? " rigid-body degree" : " rigid-body degrees",
                         " of freedom, ", counted(static_cast<std::size_t>(info.num_elastic), "elastic mode"), ", ",
                         counted(model.drives.size(), "drive"), ", ", counted(model.loads.size(), "load"), ", ",
                         counted(model.sensors.size(), "sensor"), "\n");
  text += external_text(model);
  for (const std::string& warning : warnings) text += cat("warning: ", warning, "\n");
  for (const std::string& note : notes(info)) text += cat("note: ", note, "\n");
  output.print(text);
  return exit_ok;
}

const CommandRegistration registration({.name = "check",
                                        .rank = 10,
                                        .summary = "Check a model file and report every error in it",
                                        .examples = "  lithe check arm.toml\n  lithe check arm.toml --json\n",
                                        .set_up = [](CommandOptions& command) -> Action {
                                          auto path = std::make_shared<std::string>();
                                          add_model_file(command, *path);
                                          return [path](const Output& output) { return check(*path, output); };
                                        }});

}  // namespace
}  // namespace lithe::app
