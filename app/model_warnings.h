// Warnings on the model of a command, in one place for all of them.
#pragma once

#include <string>
#include <vector>

namespace lithe::app {

// The next text that the program prints is preceded by them, on stderr; JSON objects have them as "warnings".
void warn_on_model(const std::vector<std::string>& warnings);

}  // namespace lithe::app
