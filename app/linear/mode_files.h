// Result files of natural modes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lithe/analyse/modes/modes.h"
#include "lithe/formulate/contract/equations.h"
#include "lithe/model/model.h"

namespace lithe::app {

// <directory>/<stem>.csv with the frequencies and <stem>.h5 with frequencies and shapes. Both or none.
std::vector<std::filesystem::path> write_link_modes(const Model& model, const LinkModes& modes,
                                                    const std::string& subject, const std::filesystem::path& directory,
                                                    const std::string& stem);

// <directory>/<stem>.csv, <stem>.h5 and a picture, <stem>.svg, of the whole mechanism.
std::vector<std::filesystem::path> write_mechanism_modes(const Equations& equations, const MechanismModes& modes,
                                                         const std::filesystem::path& directory,
                                                         const std::string& stem);

// Sentences below a table of frequencies; empty where there is nothing to say.
std::string rigid_note(const LinkModes& modes);
std::string mode_notes(const MechanismModes& modes);

}  // namespace lithe::app
