// A simulation whose results lie on disk while it is computed. What `simulate`, `run` and `demo` share.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/motion/motion.h"
#include "lithe/results/recording/checkpoint.h"
#include "lithe/results/recording/recording_file.h"
#include "lithe/results/recording/signature.h"

namespace lithe::app {

// What a run belongs to: program, model file, tables and matrices, and all settings that change its numbers.
Signature run_signature(const Model& model, const SimulateSpec& spec);

inline constexpr const char* checkpoint_interval_name = "the setting checkpoint-interval";

struct RecordPlan {
  std::filesystem::path directory;
  std::string stem = "motion";
  Signature signature;
  const Checkpoint* from = nullptr;
  std::function<void(const Checkpoint&)> checkpoint;  // of simulate()
  std::shared_ptr<Pacer> pacer;
  bool keeps_recording = false;  // for a later restart
};

struct RecordedMotion {
  SimulatedMotion motion;  // with an even choice of the recorded instants where there are many
  std::vector<std::filesystem::path> paths;
};

// Runs and writes <stem>.csv and <stem>.h5; until they are written, <stem>.part has every instant. Results of an
// interrupted run are kept, too.
RecordedMotion record_motion(const std::shared_ptr<const Equations>& equations, const SimulateSpec& spec,
                             const RecordPlan& plan);

// The same of a model, with chosen modes where it leaves them to the program. Such a run cannot be continued, since its
// modes may be others the next time.
RecordedMotion record_motion(const Model& model, const SimulateSpec& spec, const RecordPlan& plan);

// Where the instants of a run that ended badly are; that an earlier run left some, now under another name.
void tell_where(const RecordingFile& file);
void tell_set_aside(const RecordingFile& file);

// What is kept in memory of a run that has more, for the page and the text.
inline constexpr std::size_t rows_in_memory = 16384, states_in_memory = 4096;

// Warns on stderr where a checkpoint cannot be written: the run goes on.
void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path, const Signature& signature);

}  // namespace lithe::app
