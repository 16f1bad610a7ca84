// What `sweep` and `run` share: from settings to a grid of results on disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/condense.h"
#include "lithe/analyse/sweep.h"
#include "lithe/results/sweep_file.h"
#include "lithe/view/report.h"

namespace lithe::app {

struct SweepSettings {
  std::vector<std::string> axes, set;  // "tool.x = -0.1 : 0.1 : 21", "tool.z = -570 mm"
  CondenseSettings condense;
  ToolOrientation orientation = ToolOrientation::automatic;
  int threads = 0;
  bool fresh = false;  // do not continue an earlier run
};

SweepSettings sweep_settings(const AnalysisRequest* request);

struct SweepOutcome {
  bool finished = false;
  long long num_points = 0, num_computed = 0, num_found = 0;  // found: from an earlier run
  std::vector<long long> num_by_status;                       // ok, unreachable, loose, failed
  std::vector<SweepColumn> columns;
  std::vector<double> lowest, highest;  // of each column, NaN where there is none
  std::vector<std::filesystem::path> files;
  std::string model_name;
  Scene scene;                 // and map: for the page
  ReportMap map;               // frequencies and what there is of the tool over the first two axes
  std::filesystem::path part;  // where the points of an unfinished run lie
};

// The model is read from its file, whose numbers parameters change.
SweepOutcome run_sweep(const std::filesystem::path& file, const SweepSettings& settings,
                       const std::filesystem::path& directory, const std::string& stem);

// The page of a sweep.
Report sweep_report(const SweepOutcome& outcome);
std::string sweep_text(const SweepOutcome& outcome, const Style& style);
nlohmann::json sweep_json(const SweepOutcome& outcome);

}  // namespace lithe::app
