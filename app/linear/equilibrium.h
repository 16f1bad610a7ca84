// Static equilibrium as a command and as an analysis of `run`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/terminal/output.h"
#include "lithe/analyse/analyses.h"
#include "lithe/view/report.h"

namespace lithe::app {

std::string equilibrium_text(const EquilibriumResult& outcome, const Style& style);
nlohmann::json equilibrium_json(const EquilibriumResult& outcome);
// One row: sensors, joints, the forces that hold them, deflections, then every coordinate of the equations.
std::vector<std::filesystem::path> write_equilibrium(const EquilibriumResult& outcome,
                                                     const std::filesystem::path& directory, const std::string& stem);
void add_to_page(const EquilibriumResult& outcome, Report& report);

}  // namespace lithe::app
