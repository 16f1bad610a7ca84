#include "app/models/mode_choice.h"

#include <cmath>

#include "app/models/new_file.h"
#include "app/terminal/consent.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/read/freeze_reduction.h"
#include "lithe/read/read_model.h"

namespace lithe::app {
namespace {

const std::string& name_of(const Model& model, const LinkModeCount& link) {
  return model.links.at(static_cast<std::size_t>(link.link)).name;
}

}  // namespace

void add_freeze_option(CommandOptions& command, std::string& target) {
  command.add_option("--freeze-reduction", target,
                     "Write the model file with the numbers of modes that were chosen for reduction = \"auto\"");
}

void check_freeze(const Model& model, const std::string& target) {
  if (target.empty()) return;
  if (automatic_reductions(model).empty())
    throw InputError(cat("--freeze-reduction ", target, ": no link of ", model.file,
                         " has reduction = \"auto\": nothing is chosen"));
  try_new_file(target);
}

std::string freeze(const Model& model, const ModeChoice* choice, const std::string& target) {
  if (!choice || target.empty() || choice->cancelled) return {};
  std::vector<FrozenLink> links;
  for (const LinkModeCount& link : choice->links)
    links.push_back({link.link, name_of(model, link), link.num_modes, link.has_all()});
  const std::string text = ParametricModel(model.file, read_options(model.file)).text();
  write_new_file(with_internal_modes(text, model.file, links), target);
  return cat("Model with these numbers of modes: ", target, "\n");
}

void add_mode_choice(const Model& model, const ModeChoice* choice, nlohmann::json& value) {
  if (!choice) return;
  nlohmann::json links = nlohmann::json::array(), trials = nlohmann::json::array();
  for (const LinkModeCount& link : choice->links)
    links.push_back(
        {{"link", name_of(model, link)}, {"internal_modes", link.num_modes}, {"available", link.num_available}});
  for (const ModeTrial& trial : choice->trials)
    trials.push_back({{"internal_modes", trial.num_modes}, {"estimated_error", json_number(trial.error)}});
  value["reduction"] = {
      {"internal_modes", choice->num_modes()},
      {"available", choice->num_available()},
      {"tolerance", choice->tolerance},
      {"estimated_error", json_number(choice->error)},
      {"worst", choice->worst},
      {"good_up_to_hz", choice->good_up_to > 0 ? nlohmann::json(choice->good_up_to) : nlohmann::json()},
      {"links", links},
      {"tried", trials}};
}

}  // namespace lithe::app
