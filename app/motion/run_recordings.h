// Recordings of the runs of one command, on disk while they are computed: one file per run. What `control` and
// `compare` share.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/motion/motion.h"
#include "lithe/analyse/motion/recorded_rows.h"
#include "lithe/results/recording/recording_file.h"

namespace lithe::app {

class RunRecordings {
 public:
  // Files <directory>/<stem>_<run>.part. The settings are those of all runs.
  RunRecordings(std::filesystem::path directory, std::string stem, SimulateSpec settings);
  // Where a run is left unfinished by an exception, says where its instants are.
  ~RunRecordings();
  RunRecordings(const RunRecordings&) = delete;
  RunRecordings& operator=(const RunRecordings&) = delete;

  std::shared_ptr<ReplayRecorder> open(const std::string& run, const Equations& equations,
                                       const FormulationChoice& choice);
  // Of a run that is judged and forgotten: gone with its last owner, or with the next command in the folder.
  std::shared_ptr<ReplayRecorder> open_trial(const Equations& equations);
  // The hooks of a study whose runs are on disk while they are computed. They refer to this.
  void record(const std::function<FormulationChoice(const std::string& run)>& formulation_of, RunHooks& hooks);
  // The results are written.
  void remove();

  const std::filesystem::path& directory() const { return directory_; }
  const std::string& stem() const { return stem_; }

 private:
  std::filesystem::path directory_;
  std::string stem_;
  SimulateSpec settings_;
  std::vector<std::shared_ptr<RecordingFile>> files_;
  std::vector<std::string> names_;
  int num_trials_ = 0, uncaught_;
};

// A run among others that make one table.
struct TableRun {
  RecordedRows rows;
  std::vector<std::string> headings;  // of its columns
};

// <directory>/<stem>.csv: times and all columns of all runs side by side; `nan` where a run has not got so far.
std::filesystem::path write_side_by_side(const std::vector<TableRun>& runs,
                                         const std::vector<std::pair<std::string, std::string>>& notes,
                                         const std::filesystem::path& directory, const std::string& stem);

}  // namespace lithe::app
