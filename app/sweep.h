// What `sweep` and `run` share: from settings to a grid of results on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/condense.h"
#include "lithe/analyse/sweep/sweep.h"
#include "lithe/read/model_parameters.h"
#include "lithe/results/sweep_file.h"
#include "lithe/view/report.h"

namespace lithe::app {

struct SweepSettings {
  std::vector<std::string> axes, set;                // "tool.x = -0.1 : 0.1 : 21", "tool.z = -570 mm"
  CondenseSpec condense;                             // tool, held and count are for every analysis
  std::string analysis = "condense";                 // what is repeated: a kind, or the name of an analysis in the file
  std::string formulation, spin, about, integrator;  // empty: as that analysis has them
  std::optional<double> end_time, tolerance;
  ToolOrientation orientation = ToolOrientation::automatic;
  bool springs_stay = false;  // joint springs keep their rest value when a configuration moves their joint
  int threads = 0;
  bool fresh = false;  // do not continue an earlier run
};

SweepSettings sweep_settings(const AnalysisRequest* request);
// The grid; `base`: the model as the file has it. The file must outlive it. Throws InputError.
Sweep make_sweep(const ParametricModel& file, const SweepSettings& settings, Model& base);
// Tells one sweep from another: what is in the file and beside it, and what was asked for.
std::string sweep_signature(const Model& model, const SweepSettings& settings);

// Whether its points are simulations, in which controllers act.
bool repeats_simulation(const Model& model, const SweepSettings& settings);

struct SweepOutcome {
  bool finished = false;
  long long num_points = 0, num_computed = 0, num_found = 0;  // found: from an earlier run
  std::vector<long long> num_by_status;                       // ok, unreachable, loose, failed
  std::vector<SweepColumn> columns;
  std::vector<double> lowest, highest;                     // of each column, NaN where there is none
  std::vector<std::pair<std::string, long long>> reasons;  // why points have no answer, and how many; a few of them
  std::vector<std::filesystem::path> files;
  std::string model_name, analysis;
  Scene scene;                 // and map: for the page
  ReportMap map;               // over the first two axes
  std::filesystem::path part;  // where the points of an unfinished run lie
  bool any_computed() const { return !num_by_status.empty() && num_by_status.front() > 0; }
};

// The model is read from its file, whose numbers parameters change.
SweepOutcome run_sweep(const std::filesystem::path& file, const SweepSettings& settings,
                       const std::filesystem::path& directory, const std::string& stem);

// The page of a sweep.
Report sweep_report(const SweepOutcome& outcome);
std::string sweep_text(const SweepOutcome& outcome, const Style& style);
nlohmann::json sweep_json(const SweepOutcome& outcome);

}  // namespace lithe::app
