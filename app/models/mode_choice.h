// How many modes links of `reduction = "auto"` keep, for machines, and written into the model file.
#pragma once

#include <string>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "lithe/analyse/reduction/choose_modes.h"

namespace lithe::app {

// --freeze-reduction FILE
void add_freeze_option(CommandOptions& command, std::string& target);
// Before anything is computed: whether there is something to freeze, and the file can be written.
void check_freeze(const Model& model, const std::string& target);
// Writes `target`, the model file with the chosen numbers; nothing where no target or no choice is given. Returns a
// line for people.
std::string freeze(const Model& model, const ModeChoice* choice, const std::string& target);

// Adds "reduction" to a result; nothing without a choice.
void add_mode_choice(const Model& model, const ModeChoice* choice, nlohmann::json& value);

}  // namespace lithe::app
