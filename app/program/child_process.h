// The program started once more: what it does cannot harm the one that waits for it.
#pragma once

#include <string>
#include <vector>

namespace lithe::app {

struct ChildResult {
  int exit_code = -1;  // 128 + signal when one ended it; -1 when it could not be started
  std::string text;    // standard output and error, cut at 64 kB
};

// Runs this program with the arguments and waits. An interrupt of the waiting program ends the child.
ChildResult run_this_program(const std::vector<std::string>& arguments);
// Whether a program of that name is in PATH.
bool has_program(const std::string& name);

}  // namespace lithe::app
