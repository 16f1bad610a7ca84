// What a simulation records, on disk while it is computed: a program that is killed leaves every instant of the steps
// that it finished. docs/reliability.md.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lithe/analyse/motion/recorder.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/recording/signature.h"

namespace lithe {

// What a recording says of itself before its rows.
struct RecordingHeading {
  Signature signature;
  std::string model, formulation;
  std::vector<Channel> columns;
  std::vector<std::string> coordinate_names;
};

// One row as it is read back.
struct RecordedRow {
  State state;  // without controllers
  std::vector<double> values;
  VectorX coordinates, speeds;  // under the names of the heading

  RecordedInstant instant() const { return {state, values, coordinates, speeds}; }
};

// Reads a recording from its beginning, also while it is being written, or after its program was killed.
class RecordingReader {
 public:
  // Throws InputError when the file is no recording.
  explicit RecordingReader(const std::filesystem::path& path);
  ~RecordingReader();
  RecordingReader(const RecordingReader&) = delete;
  RecordingReader& operator=(const RecordingReader&) = delete;

  const RecordingHeading& heading() const { return heading_; }
  // False at the end, or where the file is torn or damaged.
  bool next(RecordedRow& row);
  void rewind();
  bool complete() const { return complete_; }       // after the last row: its results were written, nothing waits in it
  long long position() const { return position_; }  // bytes to the end of the last row

 private:
  bool read(void* data, std::size_t size);
  bool is_there(long long size);

  std::FILE* file_ = nullptr;
  RecordingHeading heading_;
  long long first_ = 0, position_ = 0, size_ = 0;  // bytes; the size is that of when they were last counted
  bool complete_ = false;
  std::vector<double> words_;
};

// The recorder of the command line: <directory>/<stem>.part. Memory does not grow with the number of instants. Throws
// WriteError when the disk takes no more, or when another program records there.
class RecordingFile : public ReplayRecorder {
 public:
  // Makes the directory. A recording that was left there by a killed program is set aside under another name.
  RecordingFile(const std::filesystem::path& directory, const std::string& stem, RecordingHeading heading);
  // Goes on with the recording that is there, after its first `num_rows` rows. Nothing when that is another one.
  static std::unique_ptr<RecordingFile> resume(const std::filesystem::path& directory, const std::string& stem,
                                               RecordingHeading heading, long long num_rows);
  ~RecordingFile() override;
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  void begin(const std::vector<Channel>& columns, const std::vector<std::string>& coordinate_names) override;
  void add(const RecordedInstant& instant) override;
  void flush() override;
  std::unique_ptr<RowReader> rows() const override;

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& set_aside() const { return set_aside_; }  // empty: nothing was
  long long num_rows() const { return num_rows_; }
  double last_time() const { return last_time_; }
  void for_each(const std::function<void(const RecordedInstant&)>& action) const;

  // Its results are written: the next run need not set it aside.
  void complete();
  void remove();

 private:
  struct Resumed {};
  RecordingFile(const std::filesystem::path& directory, const std::string& stem, RecordingHeading heading, Resumed);
  void open_file();
  void make_room();
  void write(const void* data, std::size_t size);

  FileSet folder_;  // its lock, and its directories if nothing comes to lie in them
  std::filesystem::path path_, set_aside_;
  RecordingHeading heading_;
  int descriptor_ = -1;
  long long num_rows_ = 0;
  double last_time_ = 0;
  bool fresh_ = false, resumed_ = false, begun_ = false;
  std::vector<double> words_;  // of rows that are not written yet
};

}  // namespace lithe
