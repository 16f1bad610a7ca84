// Static equilibrium as a command and as an analysis of `run`.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/output.h"
#include "lithe/analyse/equilibrium/equilibrium_summary.h"
#include "lithe/formulate/formulation.h"
#include "lithe/view/report.h"

namespace lithe::app {

struct EquilibriumSettings {
  FormulationChoice choice;
  EquilibriumOptions options{.hold_joints = true};
};

struct EquilibriumOutcome {
  std::unique_ptr<Equations> equations;
  Equilibrium found;
  EquilibriumSummary summary;
  std::vector<std::string> warnings;
};

// Of an analysis of the file; null: the defaults.
EquilibriumSettings equilibrium_settings(const AnalysisRequest* request);
EquilibriumOutcome run_equilibrium(const Model& model, const EquilibriumSettings& settings);

std::string equilibrium_text(const EquilibriumOutcome& outcome, const Style& style);
nlohmann::json equilibrium_json(const EquilibriumOutcome& outcome);
// One row: sensors, joints, the forces that hold them, deflections, then every coordinate of the equations.
std::vector<std::filesystem::path> write_equilibrium(const EquilibriumOutcome& outcome,
                                                     const std::filesystem::path& directory, const std::string& stem);
void add_to_page(const EquilibriumOutcome& outcome, Report& report);

}  // namespace lithe::app
