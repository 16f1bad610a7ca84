#include "app/motion/run_recordings.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "app/motion/recorded_motion.h"
#include "app/terminal/result_directory.h"
#include "lithe/base/text.h"
#include "lithe/results/files/csv.h"

namespace lithe::app {

RunRecordings::RunRecordings(std::filesystem::path directory, std::string stem, SimulateSpec settings)
    : directory_(std::move(directory)),
      stem_(std::move(stem)),
      settings_(std::move(settings)),
      uncaught_(std::uncaught_exceptions()) {}

RunRecordings::~RunRecordings() {
  if (std::uncaught_exceptions() <= uncaught_) return;
  for (const auto& file : files_) tell_where(*file);
}

std::shared_ptr<ReplayRecorder> RunRecordings::open(const std::string& run, const Equations& equations,
                                                    const FormulationChoice& choice) {
  const std::string plain = cat(stem_, "_", file_name_of(run));
  std::string name = plain;
  for (int i = 2; std::find(names_.begin(), names_.end(), name) != names_.end(); ++i) name = cat(plain, "_", i);
  names_.push_back(name);
  SimulateSpec own = settings_;
  own.formulation = choice;
  own.controllers = {run};
  const Signature signature = run_signature(equations.model(), own);
  const RecordingHeading heading{signature, equations.model().name, equations.name(), {}, {}};
  files_.push_back(std::make_shared<RecordingFile>(directory_, name, heading));
  tell_set_aside(*files_.back());
  return files_.back();
}

std::shared_ptr<ReplayRecorder> RunRecordings::open_trial(const Equations& equations) {
  // The name is that of a temporary file of a result (file_set.h): if this program is killed, it goes like these.
  const std::string name = cat(".lithe.", stem_, ".", getpid(), ".", num_trials_++);
  const RecordingHeading heading{{}, equations.model().name, equations.name(), {}, {}};
  return {new RecordingFile(directory_, name, heading), [](RecordingFile* file) {
            file->remove();
            delete file;
          }};
}

void RunRecordings::record(const std::function<FormulationChoice(const std::string& run)>& formulation_of,
                           RunHooks& hooks) {
  hooks.max_rows = rows_in_memory;
  hooks.max_states = states_in_memory;
  hooks.recorders = [this, formulation_of](const std::string& run, const Equations& equations, bool trial) {
    return trial ? open_trial(equations) : open(run, equations, formulation_of(run));
  };
}

void RunRecordings::remove() {
  for (const auto& file : files_) file->remove();
  files_.clear();
}

std::filesystem::path write_side_by_side(const std::vector<TableRun>& runs,
                                         const std::vector<std::pair<std::string, std::string>>& notes,
                                         const std::filesystem::path& directory, const std::string& stem) {
  Table table;
  table.name = stem;
  table.notes = notes;
  table.add("time", "s");
  std::vector<RecordedRows> all;
  for (const TableRun& run : runs) {
    all.push_back(run.rows);
    for (std::size_t i = 0; i < run.headings.size(); ++i) table.add(run.headings[i], run.rows.motion.columns[i].unit);
  }
  FileSet files(directory);
  CsvWriter text(table, files.add(stem + ".csv"));
  std::vector<double> numbers;
  for (MergedRows rows(all); rows.next();) {
    numbers.assign(1, rows.time());
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const std::vector<double>* values = rows.values(k);
      if (values) numbers.insert(numbers.end(), values->begin(), values->end());
      if (!values) numbers.insert(numbers.end(), runs[k].headings.size(), std::numeric_limits<double>::quiet_NaN());
    }
    text.add(numbers.data());
  }
  text.close();
  files.commit();
  return files.paths().front();
}

}  // namespace lithe::app
