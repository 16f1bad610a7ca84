// How many modes the links of a command's model keep, and how good that is: for people, machines and report pages.
#pragma once

#include <string>

#include "app/output.h"
#include "lithe/analyse/reduction/choose_modes.h"

namespace lithe::app {

// The choice for the model of this command: the next text that the program prints is preceded by its sentence, on
// stderr; JSON objects have it as "reduction", report pages among their facts. Nothing where the model leaves none.
void tell_mode_choice(const ModeChoice& choice);
void forget_mode_choice();
// The same where the formulation has all nodes, and none of these modes.
void forget_mode_choice_of(const std::string& formulation);

// Null or empty where there is nothing to tell.
const ModeChoice* told_mode_choice();
// Begins with what it is about, or not.
std::string mode_choice_text(const ModeChoice& choice, bool named = true);
nlohmann::json mode_choice_json(const ModeChoice& choice);

}  // namespace lithe::app
