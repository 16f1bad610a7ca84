// Warnings on the model of a command, in one place for all of them.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/specs.h"

namespace lithe::app {

// The next text that the program prints is preceded by them, on stderr; JSON objects have them as "warnings".
void warn_on_model(const std::vector<std::string>& warnings);
// Adds what the modes of the links leave out in the formulation that a command uses; nothing twice.
void warn_on_modes(const Model& model, const std::string& formulation);
// The same for the formulation of an analysis, where it has one and links bend.
void warn_on_modes(const Model& model, const AnalysisSpec& spec);
// The same for all formulations that the analyses of the file use; for the default where it asks for none.
void warn_on_modes(const Model& model);

}  // namespace lithe::app
