// The command line as its parser sees it, for the two files that need more than a command's options.
#pragma once

#include <CLI/CLI.hpp>

#include "app/command.h"

namespace lithe::app {

// The whole command line with all commands, as the parser, the help and the completion scripts use it.
struct CommandLine {
  CommandLine();
  CLI::App parser;
  bool json = false;
  Action action;  // of the command that was given
};

}  // namespace lithe::app
