// A command of the command line: `lithe modes arm.toml`. One file per command, which registers itself:
//   const CommandRegistration registration({.name = "check", .rank = 10, .summary = ..., .examples = ..., .set_up =
//   set_up});
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/terminal/options.h"
#include "app/terminal/output.h"

namespace lithe::app {

enum ExitCode { exit_ok = 0, exit_failed = 1, exit_bad_input = 2 };

// What a command does once the command line is read. It may throw InputError, which ends the program with
// exit_bad_input.
using Action = std::function<int(const Output&)>;

struct Command {
  std::string name;
  int rank = 0;  // place in the help
  std::string summary;
  std::string examples;  // lines shown at the end of the help
  // Adds the command's options; the action holds on to their values. `--json` is there already.
  std::function<Action(CommandOptions& options)> set_up;
};

struct CommandRegistration {
  explicit CommandRegistration(Command command);
};

const std::vector<Command>& commands();  // by rank

// Parses, runs, and turns every error into a sentence on stderr and an exit code.
int run_command_line(int argc, const char* const* argv);

}  // namespace lithe::app
