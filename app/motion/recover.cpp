// Results of a simulation that was killed, or is still running: from the recording that it writes along the way.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/program/command.h"
#include "app/terminal/result_directory.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/motion.h"
#include "lithe/results/recording/recording_file.h"

namespace lithe::app {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string result;
};

struct Recovered {
  fs::path part;
  long long num_rows = 0;
  double last_time = 0;
  std::vector<fs::path> paths;
};

// The recordings of a directory; sweeps that were stopped have parts of another kind.
std::vector<fs::path> parts_in(const fs::path& directory) {
  std::vector<fs::path> parts;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() != ".part" || at->path().filename().string().starts_with('.') ||
        !fs::is_regular_file(at->symlink_status(ignored)))
      continue;
    try {
      const RecordingReader reader(at->path());
      parts.push_back(at->path());
    } catch (const InputError&) {
    }
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

Recovered recover(const fs::path& part) {
  Recovered result;
  result.part = part;
  RecordingReader rows(part);
  RecordedRow row;
  while (rows.next(row)) {
    ++result.num_rows;
    result.last_time = row.state.time;
  }
  if (result.num_rows == 0) throw InputError(cat(part.string(), ": no instant was recorded"));
  Trajectory motion;
  motion.model = rows.heading().model;
  motion.formulation = rows.heading().formulation;
  motion.integrator = "not known";
  motion.energy.start = motion.energy.end = motion.energy.input_work = motion.energy.dissipated = std::nan("");
  motion.message = cat("recovered from ", part.filename().string(), ": recorded up to ", result.last_time, " s");
  result.paths = write_motion(motion, rows, part.parent_path(), part.stem().string() + "_recovered");
  return result;
}

int run(const Options& options, const Output& output) {
  std::error_code ignored;
  const bool directory = fs::is_directory(options.result, ignored);
  const std::vector<fs::path> parts = directory ? parts_in(options.result) : std::vector<fs::path>{options.result};
  if (parts.empty()) throw InputError(cat(options.result, ": there is no recording of an interrupted simulation"));
  nlohmann::json list = nlohmann::json::array();
  for (const fs::path& part : parts) {
    const Recovered found = recover(part);
    list.push_back({{"recording", part.string()},
                    {"instants", found.num_rows},
                    {"time_s", json_number(found.last_time)},
                    {"files", paths_json(found.paths)}});
    if (!output.json())
      output.print(cat(part.string(), ": ", found.num_rows, " instants up to ", number(found.last_time), " s\n",
                       where_results_lie(found.paths)));
  }
  if (output.json()) output.print(nlohmann::json{{"recovered", list}});
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  command.add_option("RESULT", options->result, "Directory of results, or a recording in it (motion.part)").required();
  return [options](const Output& output) { return run(*options, output); };
}

const CommandRegistration registration({.name = "recover",
                                        .rank = 53,
                                        .summary = "Results of a simulation that was killed, up to where it was",
                                        .examples = "  lithe recover results/arm\n"
                                                    "  lithe recover results/arm/motion_interrupted.part\n",
                                        .set_up = set_up});

}  // namespace
}  // namespace lithe::app
