#include "lithe/results/files/file_set.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/results/files/mark.h"
#include "lithe/results/files/text_file.h"

namespace lithe {

namespace fs = std::filesystem;

namespace {

constexpr const char* leftover_start = ".lithe.";
constexpr const char* leftover_end = ".part";

// .lithe.<name>.<process>.<number>.part
bool is_leftover(const std::string& name) {
  if (!name.starts_with(leftover_start) || !name.ends_with(leftover_end)) return false;
  const std::string middle =
      name.substr(std::strlen(leftover_start), name.size() - std::strlen(leftover_start) - std::strlen(leftover_end));
  const std::size_t number = middle.rfind('.');
  const std::size_t process = number == std::string::npos ? number : middle.rfind('.', number - 1);
  const auto digits = [&](std::size_t from, std::size_t to) {
    return from < to &&
           std::all_of(middle.begin() + static_cast<std::ptrdiff_t>(from),
                       middle.begin() + static_cast<std::ptrdiff_t>(to), [](char c) { return c >= '0' && c <= '9'; });
  };
  return process != std::string::npos && digits(process + 1, number) && digits(number + 1, middle.size());
}

void require_replaceable(const fs::path& final) {
  std::error_code ignored;
  const fs::file_status there = fs::symlink_status(final, ignored);
  if (!fs::exists(there)) return;
  if (!fs::is_regular_file(there))
    throw WriteError(cat("cannot write '", final.string(),
                         "': ", fs::is_symlink(there) ? "it is a symbolic link" : "it is no regular file"));
  if (was_read_in_run(final))
    throw InputError(cat(final.string(), ": this file was read and is not replaced; choose another folder or name"));
  if (!has_mark(final))
    throw InputError(
        cat(final.string(),
            ": there is a file of this name that Lithe has not written; move it, or choose another folder"));
}

}  // namespace

FileSet::FileSet(fs::path directory) : directory_(std::move(directory)) {
  if (directory_.empty()) directory_ = ".";
  std::error_code error;
  for (fs::path missing = fs::absolute(directory_).lexically_normal(); !missing.empty() && !fs::exists(missing, error);
       missing = missing.parent_path()) {
    made_directories_.push_back(missing);
  }
  fs::create_directories(directory_, error);
  if (error || !fs::is_directory(directory_)) {
    throw WriteError(cat("cannot make the directory '", directory_.string(),
                         "' for results: ", error ? error.message() : std::string("a file of that name exists")));
  }
  lock();
}

// Everyone with temporary files holds a shared lock, so that whoever gets it alone knows them to be left behind.
// File systems without locks keep their leftovers.
void FileSet::lock() {
  lock_ = open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) return;
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0) remove_leftovers();
  while (flock(lock_, LOCK_SH) != 0 && errno == EINTR) {
  }
}

void FileSet::remove_leftovers() const {
  std::error_code error, ignored;
  for (fs::directory_iterator at(directory_, error), end; !error && at != end; at.increment(error))
    if (is_leftover(at->path().filename().string()) && fs::is_regular_file(at->symlink_status(ignored)))
      fs::remove(at->path(), ignored);
}

FileSet::~FileSet() {
  std::error_code ignored;
  if (!committed_) {
    for (const Entry& entry : entries_) fs::remove(entry.temporary, ignored);
    for (const fs::path& made : made_directories_) fs::remove(made, ignored);  // removes empty directories only
  }
  if (lock_ >= 0) close(lock_);
}

fs::path FileSet::add(const std::string& name) {
  const fs::path final = directory_ / name;
  require_replaceable(final);
  entries_.push_back({new_temporary(name), final, false, {}});
  return entries_.back().temporary;
}

fs::path FileSet::new_temporary(const std::string& name) const {
  for (int number = 0;; ++number) {
    const fs::path temporary = directory_ / cat(leftover_start, name, ".", getpid(), ".", number, leftover_end);
    const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) continue;  // somebody else's
    if (file < 0) throw WriteError(cat("cannot write '", (directory_ / name).string(), "': ", std::strerror(errno)));
    close(file);
    return temporary;
  }
}

void FileSet::write(const std::string& name, std::string text) {
  write_text_file(with_mark(std::move(text), name), add(name));
}

std::vector<fs::path> FileSet::paths() const {
  std::vector<fs::path> result;
  for (const Entry& entry : entries_) result.push_back(entry.final);
  return result;
}

void FileSet::commit() {
  for (const Entry& entry : entries_) require_replaceable(entry.final);
  std::size_t count = 0;
  try {
    for (; count < entries_.size(); ++count) put_in_place(entries_[count]);
  } catch (...) {
    while (count-- > 0) take_back(entries_[count]);
    throw;
  }
  std::error_code ignored;
  for (const Entry& entry : entries_)
    if (!entry.former.empty()) fs::remove(entry.former, ignored);
  committed_ = true;
}

// What was there keeps a second name until the whole set is in place. Without hard links it is replaced for good.
void FileSet::put_in_place(Entry& entry) {
  std::error_code error;
  entry.replaces = fs::exists(entry.final, error);
  if (entry.replaces) {
    entry.former = new_temporary(entry.final.filename().string());
    fs::remove(entry.former, error);
    fs::create_hard_link(entry.final, entry.former, error);
    if (error) entry.former.clear();
  }
  fs::rename(entry.temporary, entry.final, error);
  if (!error) return;
  const std::string reason = error.message();
  if (!entry.former.empty()) fs::remove(entry.former, error);
  throw WriteError(cat("cannot write '", entry.final.string(), "': ", reason));
}

void FileSet::take_back(const Entry& entry) const {
  std::error_code ignored;
  if (!entry.replaces) fs::remove(entry.final, ignored);
  if (!entry.former.empty()) fs::rename(entry.former, entry.final, ignored);
}

}  // namespace lithe
