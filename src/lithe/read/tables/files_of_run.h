// The files that a run reads: each is read once, and known by its checksum afterwards.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lithe {

// While one of these lives, every model file, table and matrix that is read is remembered: who reads it again, in any
// thread, gets the same text, whatever has become of the file. One at a time: the next one waits for its end.
class FilesOfRun {
 public:
  FilesOfRun();
  ~FilesOfRun();
  FilesOfRun(const FilesOfRun&) = delete;
  FilesOfRun& operator=(const FilesOfRun&) = delete;

 private:
  std::unique_lock<std::mutex> only_one_;
};

struct FileOfRun {
  std::filesystem::path path;  // as it was read
  std::string checksum;
};
std::vector<FileOfRun> files_of_run();  // by path; none when nobody remembers
void forget_files_of_run();             // what is read next is read anew: for a program that waits for changes

// For readers of files. Nothing when the file was not read before, or when nobody remembers.
std::optional<std::string> text_in_run(const std::filesystem::path& path);
void remember_in_run(const std::filesystem::path& path, const std::string& text);
// Of files that are large and read once: only that they were read.
void note_in_run(const std::filesystem::path& path);
// Whether this run has read the file, under whatever name: no result may replace it.
bool was_read_in_run(const std::filesystem::path& path);

}  // namespace lithe
