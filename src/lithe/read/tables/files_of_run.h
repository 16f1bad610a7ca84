// The files that a run reads: each is read once, and known by its checksum afterwards.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lithe {

// While one of these lives, every model file, table and matrix that is read is remembered: who reads it again, in any
// thread, gets the same text, whatever has become of the file. One at a time.
class FilesOfRun {
 public:
  FilesOfRun();
  ~FilesOfRun();
  FilesOfRun(const FilesOfRun&) = delete;
  FilesOfRun& operator=(const FilesOfRun&) = delete;
};

struct FileOfRun {
  std::filesystem::path path;  // as it was read
  std::string checksum;
};
std::vector<FileOfRun> files_of_run();  // by path; none when nobody remembers

// For readers of files. Nothing when the file was not read before, or when nobody remembers.
std::optional<std::string> text_in_run(const std::filesystem::path& path);
void remember_in_run(const std::filesystem::path& path, const std::string& text);

}  // namespace lithe
