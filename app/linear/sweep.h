// What `sweep` and `run` share: from settings to a grid of results on disk.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal/output.h"
#include "lithe/analyse/analyses.h"
#include "lithe/results/sweep_file.h"
#include "lithe/results/sweep_signature.h"
#include "lithe/view/report.h"

namespace lithe::app {

struct SweepOutcome {
  bool finished = false;
  long long num_points = 0, num_computed = 0, num_found = 0;  // found: from an earlier run
  std::vector<long long> num_by_status;                       // ok, unreachable, unconstrained, failed
  std::vector<SweepColumn> columns;
  std::vector<double> lowest, highest;                     // of each column, NaN where there is none
  std::vector<std::pair<std::string, long long>> reasons;  // why points have no answer, and how many; a few of them
  std::string warning, note;  // of the motions of points; empty where there is nothing to say
  std::vector<std::filesystem::path> files;
  std::string model_name, analysis;
  Scene scene;                 // and map: for the page
  ReportMap map;               // over the first two axes
  std::filesystem::path part;  // where the points of an unfinished run lie
  bool any_computed() const { return !num_by_status.empty() && num_by_status.front() > 0; }
};

// The model is read from its file, whose numbers parameters change. `fresh`: an earlier run is not continued.
SweepOutcome run_sweep(const std::filesystem::path& file, const SweepSpec& spec, bool fresh,
                       const std::filesystem::path& directory, const std::string& stem);

// The same of a grid that another command makes.
struct SweepTask {
  std::function<Sweep(const VariableModel& file, const Model& model, const RunHooks& hooks)> make;  // asks for consent
  SweepSettings settings;
  int threads = 0;
};
SweepOutcome run_sweep(const std::filesystem::path& file, const SweepTask& task, bool fresh,
                       const std::filesystem::path& directory, const std::string& stem);

// The page of a sweep.
Report sweep_report(const SweepOutcome& outcome);
std::string sweep_text(const SweepOutcome& outcome, const Style& style);
nlohmann::json sweep_json(const SweepOutcome& outcome);

}  // namespace lithe::app
