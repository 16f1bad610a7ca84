// What a model file from elsewhere may do only with its user's consent: start programs, connect to programs of this
// machine, and read files outside its folder. docs/reliability.md
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "lithe/control/controller.h"
#include "lithe/model/control_setup.h"
#include "lithe/model/model.h"
#include "lithe/read/read_model.h"

namespace lithe::app {

// Adds FILE, --allow-commands and --allow-outside-files.
void add_model_file(CommandOptions& command, std::string& file);
// The two options alone.
void add_consent(CommandOptions& command);

// How the file may be read, by the options given and the user's list of trusted folders.
ReadOptions read_options(const std::string& file);

// A controller of the file that is a program.
struct ExternalUse {
  int controller = 0;
  std::string name, command, address;  // the command as a shell would take it; "" where there is none
  bool active = false;                 // acts in a simulation
};
std::vector<ExternalUse> external_uses(const Model& model);
// A line for each of them: "controller 'x' starts a program: python3 control.py"; and the list for machines.
std::string external_text(const Model& model);
nlohmann::json programs_json(const Model& model);

// Throws InputError with the commands where one of these controllers is a program that the user has not allowed.
void require_consent(const Model& model, const std::vector<int>& controllers);

// make_external_controller() behind the same question.
std::unique_ptr<Controller> make_allowed_controller(const ControllerSetup& setup);

}  // namespace lithe::app
