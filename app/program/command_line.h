// The command line as its parser sees it, for the two files that need more than a command's options.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "app/program/command.h"

namespace lithe::app {

// The command line as the parser and the completion scripts use it. Options are set up for all commands, or only for
// those among the words of a command line: all of them cost more than to check a small model.
struct CommandLine {
  CommandLine() : CommandLine(nullptr) {}
  explicit CommandLine(const std::vector<std::string_view>& words) : CommandLine(&words) {}
  CLI::App parser;
  bool json = false;
  Action action;  // of the command that was given

 private:
  explicit CommandLine(const std::vector<std::string_view>* words);
};

}  // namespace lithe::app
