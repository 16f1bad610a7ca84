// Result files that appear together or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lithe {

// Files are written under temporary names in their own directory and renamed by `commit()`. Without a commit (an
// exception, an early return) the temporary files and the directories made for them are removed, and files of an
// earlier run stay as they were. What killed programs left behind (temporary files, nothing else) is removed when no
// other program writes to the directory. Symbolic links are neither followed nor replaced, nor are files that this run
// has read, nor what Lithe has not written (mark.h).
//   FileSet files("results/arm");
//   write_csv(table, files.add("modes.csv"));
//   files.commit();
class FileSet {
 public:
  // Makes the directory, with its parents. Throws WriteError where that is impossible.
  explicit FileSet(std::filesystem::path directory);
  ~FileSet();
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;

  // The path to write to, now, for a file that will be called `name`: an empty file. Throws WriteError where no file
  // can be made, or where `name` is a link, a directory or a device; InputError for a file that must stay.
  std::filesystem::path add(const std::string& name);
  // Writes such a file of text with the mark of this program, if files of its kind may have one.
  void write(const std::string& name, std::string text);
  // Final paths, in the order of `add`.
  std::vector<std::filesystem::path> paths() const;
  // Throws WriteError when a file cannot be put in place; those that were in place already are then as before.
  void commit();

 private:
  struct Entry {
    std::filesystem::path temporary, final;
    bool replaces = false;         // a file that was there
    std::filesystem::path former;  // its second name, while the set is put in place
  };
  std::filesystem::path new_temporary(const std::string& name) const;
  void put_in_place(Entry& entry);
  void take_back(const Entry& entry) const;
  void lock();
  void remove_leftovers() const;
  std::filesystem::path directory_;
  int lock_ = -1;                                        // descriptor of the directory
  std::vector<std::filesystem::path> made_directories_;  // innermost first
  std::vector<Entry> entries_;
  bool committed_ = false;
};

}  // namespace lithe
