#include "lithe/results/recording/recording_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "lithe/base/checksum.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

// A heading: magic, length, texts, checksum. Then rows of eight-byte words: their number, time, five sizes, values,
// state, checksum. `mark` as the number of words: complete.
constexpr char recording_magic[] = "lithe recording 1\n";
constexpr std::size_t magic_size = sizeof recording_magic - 1;
constexpr double mark = -1;
constexpr std::size_t fixed_words = 8, most_words = 1u << 26, most_heading = 1u << 28;

void put(const std::string& text, std::string& bytes) {
  const std::uint64_t size = text.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += text;
}

// The checksum as one of the numbers that it protects.
double sum_of(const double* words, std::size_t count) {
  const std::uint64_t sum = checksum(words, 8 * count);
  double packed = 0;
  std::memcpy(&packed, &sum, sizeof packed);
  return packed;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

std::string bytes_of(const RecordingHeading& heading) {
  std::string texts;
  put(heading.signature.text(), texts);
  put(heading.model, texts);
  put(heading.formulation, texts);
  put(cat(heading.columns.size()), texts);
  for (const Channel& column : heading.columns) put(column.name, texts), put(column.unit, texts);
  put(cat(heading.coordinate_names.size()), texts);
  for (const std::string& name : heading.coordinate_names) put(name, texts);
  std::string bytes = recording_magic;
  put(texts, bytes);
  const std::uint64_t sum = checksum(texts.data(), texts.size());
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

// Takes texts off the front; false when there are none left.
class Texts {
 public:
  explicit Texts(std::string_view bytes) : rest_(bytes) {}
  bool next(std::string& text) {
    std::uint64_t size = 0;
    if (rest_.size() < sizeof size) return false;
    std::memcpy(&size, rest_.data(), sizeof size);
    rest_.remove_prefix(sizeof size);
    if (size > rest_.size()) return false;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool next(std::size_t& count) {
    std::string text;
    if (!next(text)) return false;
    count = std::strtoull(text.c_str(), nullptr, 10);
    return count <= rest_.size() / sizeof(std::uint64_t);  // every text has at least its size
  }

 private:
  std::string_view rest_;
};

bool read_heading(std::string_view bytes, RecordingHeading& heading) {
  Texts texts(bytes);
  std::string signature;
  std::size_t count = 0;
  if (!texts.next(signature) || !texts.next(heading.model) || !texts.next(heading.formulation)) return false;
  const std::optional<Signature> read = Signature::read(signature);
  if (!read || !texts.next(count)) return false;
  heading.signature = *read;
  heading.columns.resize(count);
  for (Channel& column : heading.columns)
    if (!texts.next(column.name) || !texts.next(column.unit)) return false;
  if (!texts.next(count)) return false;
  heading.coordinate_names.resize(count);
  for (std::string& name : heading.coordinate_names)
    if (!texts.next(name)) return false;
  return true;
}

template <class Numbers>
void append(const Numbers& numbers, std::vector<double>& words) {
  for (const auto number : numbers) words.push_back(static_cast<double>(number));
}

void take(const double*& from, std::size_t count, VectorX& vector) {
  vector = Eigen::Map<const VectorX>(from, static_cast<Eigen::Index>(count));
  from += count;
}

// Of words whose number and checksum hold; false when the sizes do not.
bool unpack(const std::vector<double>& words, const RecordingHeading& heading, RecordedRow& row) {
  std::size_t sizes[5];  // values, coordinates, configuration, references, split
  double total = fixed_words;
  for (std::size_t i = 0; i < 5; ++i) {
    if (!(words[2 + i] >= 0 && words[2 + i] <= static_cast<double>(most_words))) return false;
    sizes[i] = static_cast<std::size_t>(words[2 + i]);
  }
  const auto [values, n, p, r, s] = sizes;
  total += static_cast<double>(values) + 2.0 * static_cast<double>(n) * (s > 0 ? 2 : 1) + static_cast<double>(p) +
           4.0 * static_cast<double>(r) + static_cast<double>(s);
  if (total != static_cast<double>(words.size()) || values != heading.columns.size()) return false;
  const double* from = words.data() + 7;
  row.state.time = words[1];
  row.values.assign(from, from + values);
  from += values;
  take(from, n, row.state.coordinates);
  take(from, n, row.state.speeds);
  take(from, p, row.state.configuration.coordinates);
  row.state.configuration.references.clear();
  for (std::size_t i = 0; i < r; ++i, from += 4)
    row.state.configuration.references.emplace_back(from[0], from[1], from[2], from[3]);
  row.state.configuration.split.clear();
  for (std::size_t i = 0; i < s; ++i, ++from) {
    if (!(std::abs(*from) <= static_cast<double>(most_words))) return false;
    row.state.configuration.split.push_back(static_cast<int>(*from));
  }
  row.coordinates = row.state.coordinates;
  row.speeds = row.state.speeds;
  if (s > 0) take(from, n, row.coordinates), take(from, n, row.speeds);
  return true;
}

}  // namespace

RecordingReader::RecordingReader(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat about;
  const bool regular = descriptor >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  if (regular) file_ = fdopen(descriptor, "rb");
  if (descriptor >= 0 && !file_) close(descriptor);
  char found[magic_size];
  std::uint64_t size = 0, sum = 0;
  std::string texts;
  bool good = file_ && read(found, magic_size) && std::memcmp(found, recording_magic, magic_size) == 0 &&
              read(&size, sizeof size) && size <= most_heading && size <= static_cast<std::uint64_t>(about.st_size);
  if (good) {
    texts.resize(size);
    good = read(texts.data(), size) && read(&sum, sizeof sum) && sum == checksum(texts.data(), size) &&
           read_heading(texts, heading_);
  }
  if (!good) {
    if (file_) std::fclose(file_);
    throw InputError(cat(path.string(), ": not a recording of lithe, or damaged"));
  }
  first_ = position_ = static_cast<long long>(magic_size + 2 * sizeof size + size);
}

RecordingReader::~RecordingReader() { std::fclose(file_); }

bool RecordingReader::read(void* data, std::size_t size) { return std::fread(data, 1, size, file_) == size; }

// Whether so many bytes follow the first word of the next row. Another program may be writing.
bool RecordingReader::is_there(long long size) {
  const long long wanted = position_ + 8 + size;
  struct stat about;
  if (wanted > size_ && fstat(fileno(file_), &about) == 0) size_ = about.st_size;
  return wanted <= size_;
}

void RecordingReader::rewind() {
  std::fseek(file_, static_cast<long>(first_), SEEK_SET);
  position_ = first_;
  complete_ = false;
}

bool RecordingReader::next(RecordedRow& row) {
  words_.resize(1);
  double sum = 0;
  if (!read(words_.data(), 8)) return false;
  if (words_[0] == mark) {
    complete_ = read(&sum, 8) && same_bits(sum, sum_of(words_.data(), 1));
    return false;
  }
  if (!(words_[0] >= fixed_words && words_[0] <= static_cast<double>(most_words))) return false;
  if (!is_there(8 * (static_cast<long long>(words_[0]) - 1))) return false;  // before memory is taken for them
  words_.resize(static_cast<std::size_t>(words_[0]));
  if (!read(words_.data() + 1, 8 * (words_.size() - 1))) return false;
  if (!same_bits(words_.back(), sum_of(words_.data(), words_.size() - 1))) return false;
  if (!unpack(words_, heading_, row)) return false;
  position_ += static_cast<long long>(8 * words_.size());
  return true;
}

RecordingFile::RecordingFile(const fs::path& directory, const std::string& stem, RecordingHeading heading, Resumed)
    : folder_(directory),
      path_((directory.empty() ? fs::path(".") : directory) / (stem + ".part")),
      heading_(std::move(heading)) {
  open_file();
}

RecordingFile::RecordingFile(const fs::path& directory, const std::string& stem, RecordingHeading heading)
    : RecordingFile(directory, stem, std::move(heading), Resumed{}) {
  make_room();
}

void RecordingFile::open_file() {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat about;
  if (descriptor_ < 0 || fstat(descriptor_, &about) != 0)
    throw WriteError(
        cat("cannot write '", path_.string(), "': ", errno == ELOOP ? "it is a symbolic link" : std::strerror(errno)));
  const bool regular = S_ISREG(about.st_mode);
  if (!regular || flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    close(std::exchange(descriptor_, -1));
    throw WriteError(regular ? cat("another program records to '", path_.string(), "'; choose another folder with -o")
                             : cat("cannot write '", path_.string(), "': it is no regular file"));
  }
}

// What is in the file already: nothing, a complete recording, or one that its program did not finish.
void RecordingFile::make_room() {
  struct stat about;
  fresh_ = fstat(descriptor_, &about) == 0 && about.st_size == 0;
  if (fresh_) return;
  bool waits = false;
  try {
    RecordingReader reader(path_);
    RecordedRow row;
    for (waits = reader.next(row); reader.next(row);) {
    }
    waits = waits && !reader.complete();
  } catch (const InputError&) {
    char found[magic_size] = {};
    const ssize_t got = pread(descriptor_, found, magic_size, 0);
    if (got < 0 || std::memcmp(found, recording_magic, std::min<std::size_t>(magic_size, got)) != 0)
      throw WriteError(
          cat("cannot write '", path_.string(), "': there is a file of that name that lithe did not make"));
  }
  if (waits) {
    const fs::path stem = path_.parent_path() / path_.stem();
    std::error_code error;
    for (int i = 1; set_aside_.empty() || fs::exists(fs::symlink_status(set_aside_, error)); ++i)
      set_aside_ = cat(stem.string(), "_interrupted", i == 1 ? "" : cat("_", i), ".part");
    fs::rename(path_, set_aside_, error);
    if (error) throw WriteError(cat("cannot rename '", path_.string(), "': ", error.message()));
    close(std::exchange(descriptor_, -1));
    open_file();
  }
  if (ftruncate(descriptor_, 0) != 0)
    throw WriteError(cat("cannot write '", path_.string(), "': ", std::strerror(errno)));
  fresh_ = true;
}

std::unique_ptr<RecordingFile> RecordingFile::resume(const fs::path& directory, const std::string& stem,
                                                     RecordingHeading heading, long long num_rows) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(directory / (stem + ".part"), ignored))) return nullptr;
  std::unique_ptr<RecordingFile> file(new RecordingFile(directory, stem, std::move(heading), Resumed{}));
  try {
    RecordingReader reader(file->path_);
    if (reader.heading().signature.text() != file->heading_.signature.text()) return nullptr;
    RecordedRow row;
    while (file->num_rows_ < num_rows && reader.next(row)) ++file->num_rows_;
    if (std::exchange(file->num_rows_, num_rows) != num_rows) return nullptr;
    file->last_time_ = row.state.time;
    file->heading_ = reader.heading();
    file->resumed_ = true;
    if (ftruncate(file->descriptor_, reader.position()) != 0 || lseek(file->descriptor_, 0, SEEK_END) < 0)
      throw WriteError(cat("cannot write '", file->path_.string(), "': ", std::strerror(errno)));
  } catch (const InputError&) {
    return nullptr;
  }
  return file;
}

RecordingFile::~RecordingFile() {
  if (descriptor_ < 0) return;
  if (fresh_ && num_rows_ == 0) {
    remove();
  } else {
    close(descriptor_);
  }
}

void RecordingFile::write(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t put = ::write(descriptor_, bytes, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw WriteError(cat("cannot write '", path_.string(), "': ", std::strerror(errno)));
    bytes += put, size -= static_cast<std::size_t>(put);
  }
}

void RecordingFile::begin(const std::vector<Channel>& columns, const std::vector<std::string>& coordinate_names) {
  if (std::exchange(begun_, true)) {  // the run begins again
    words_.clear();
    num_rows_ = 0;
    resumed_ = false;
    if (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) < 0)
      throw WriteError(cat("cannot write '", path_.string(), "': ", std::strerror(errno)));
  }
  if (resumed_) return;
  heading_.columns = columns;
  heading_.coordinate_names = coordinate_names;
  const std::string bytes = bytes_of(heading_);
  write(bytes.data(), bytes.size());
}

void RecordingFile::add(const RecordedInstant& instant) {
  const State& state = instant.state;
  const std::size_t begin = words_.size();
  words_.insert(words_.end(), fixed_words - 1, 0.0);
  append(instant.values, words_);
  append(state.coordinates, words_);
  append(state.speeds, words_);
  append(state.configuration.coordinates, words_);
  for (const Quaternion& q : state.configuration.references) append(std::array{q.w(), q.x(), q.y(), q.z()}, words_);
  append(state.configuration.split, words_);
  if (!state.configuration.split.empty()) append(instant.coordinates, words_), append(instant.speeds, words_);
  const double sizes[] = {static_cast<double>(words_.size() - begin + 1),
                          state.time,
                          static_cast<double>(instant.values.size()),
                          static_cast<double>(state.coordinates.size()),
                          static_cast<double>(state.configuration.coordinates.size()),
                          static_cast<double>(state.configuration.references.size()),
                          static_cast<double>(state.configuration.split.size())};
  std::copy(std::begin(sizes), std::end(sizes), words_.begin() + static_cast<std::ptrdiff_t>(begin));
  words_.push_back(sum_of(words_.data() + begin, words_.size() - begin));
  ++num_rows_;
  last_time_ = state.time;
  if (words_.size() > 1 << 14) flush();
}

void RecordingFile::flush() {
  if (words_.empty()) return;
  write(words_.data(), 8 * words_.size());
  words_.clear();
}

void RecordingFile::for_each(const std::function<void(const RecordedInstant&)>& action) const {
  RecordingReader reader(path_);
  RecordedRow row;
  for (long long i = 0; i < num_rows_; ++i) {
    if (!reader.next(row)) throw WriteError(cat("cannot read '", path_.string(), "' back"));
    action(row.instant());
  }
}

namespace {

class FileRows : public RowReader {
 public:
  FileRows(const fs::path& path, long long count) : reader_(path), left_(count), path_(path) {}
  bool next(RecordedValues& row) override {
    if (left_ == 0) return false;
    if (!reader_.next(row_)) throw WriteError(cat("cannot read '", path_.string(), "' back"));
    --left_;
    row.time = row_.state.time;
    row.values.swap(row_.values);
    return true;
  }

 private:
  RecordingReader reader_;
  RecordedRow row_;
  long long left_;
  fs::path path_;
};

}  // namespace

std::unique_ptr<RowReader> RecordingFile::rows() const { return std::make_unique<FileRows>(path_, num_rows_); }

void RecordingFile::complete() {
  flush();
  const double words[] = {mark, sum_of(&mark, 1)};
  write(words, sizeof words);
}

void RecordingFile::remove() {
  std::error_code ignored;
  fs::remove(path_, ignored);
  close(std::exchange(descriptor_, -1));
}

}  // namespace lithe
