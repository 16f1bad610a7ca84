// The report page that commands write beside their other results.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lithe/analyse/modes/modes.h"
#include "lithe/formulate/contract/equations.h"
#include "lithe/view/report.h"

namespace lithe::app {

// The page of a motion: with the modes of the configuration it starts from, where these can be found in a moment.
Report simulation_report(const Equations& equations, const Trajectory& motion);
// The page of a mechanism's modes.
Report modes_report(const Equations& equations, const State& state, const MechanismModes& modes, int count);

// Writes <directory>/<stem>.html, which names the files beside it, and adds it to their list. The stem is that of the
// files, so that commands leave each other's pages alone; `run` has report.html.
void save_report(Report report, const std::filesystem::path& directory, std::vector<std::filesystem::path>& paths,
                 const std::string& stem);

}  // namespace lithe::app
