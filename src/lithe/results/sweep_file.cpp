#include "lithe/results/sweep_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "lithe/base/checksum.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"
#include "lithe/results/files/hdf5_file.h"
#include "lithe/results/files/mark.h"
#include "lithe/results/recording/signature.h"

namespace lithe {
namespace {

constexpr char any_magic[] = "lithe sweep ", magic[] = "lithe sweep 3\n";

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw WriteError(cat("cannot ", what, " '", path.string(), "': ", std::strerror(errno)));
}

std::string header_of(const std::string& signature, long long num_points, int num_columns) {
  std::string header = cat(magic, num_points, " ", num_columns, " ", signature.size(), "\n", signature, "\n");
  header += checksum_text(header);
  header.resize((header.size() + 15) / 8 * 8, '\n');
  return header;
}

bool read_at(int descriptor, void* data, std::size_t size, long long offset) {
  auto* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = pread(descriptor, bytes, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got, size -= static_cast<std::size_t>(got), offset += got;
  }
  return true;
}

bool write_at(int descriptor, const void* data, std::size_t size, long long offset) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t put = pwrite(descriptor, bytes, size, offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes += put, size -= static_cast<std::size_t>(put), offset += put;
  }
  return true;
}

// The signature in a header that is whole; nothing in any other.
std::optional<std::string> signature_in(int descriptor, long long& num_points, int& num_columns) {
  char start[256] = {};
  const ssize_t got = pread(descriptor, start, sizeof start - 1, 0);
  const std::string text(start, static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  const std::size_t line = text.find('\n', sizeof magic - 1);
  std::size_t size = 0;
  std::istringstream numbers(line == std::string::npos ? "" : text.substr(sizeof magic - 1));
  if (!text.starts_with(magic) || !(numbers >> num_points >> num_columns >> size) || size > 1 << 26)
    return std::nullopt;
  std::string signature(size, '\0');
  if (!read_at(descriptor, signature.data(), size, static_cast<long long>(line) + 1)) return std::nullopt;
  const std::string whole = header_of(signature, num_points, num_columns);
  std::string found(whole.size(), '\0');
  if (!read_at(descriptor, found.data(), found.size(), 0) || found != whole) return std::nullopt;
  return signature;
}

void append(double value, std::string& text) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), result.ptr);
}

std::string heading(const std::string& name, const std::string& unit) {
  return csv_cell(unit.empty() ? name : cat(name, " [", unit, "]"));
}

// At most so many bytes, and no letter of several bytes cut in two.
std::size_t cut_length(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text.size();
  std::size_t length = most;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  return length;
}

double value_at(const SweepFile::Point& point, std::size_t column) {
  return point.there ? point.values[column] : std::numeric_limits<double>::quiet_NaN();
}

void write_rows(const Sweep& sweep, const SweepFile& points, const std::string& model,
                const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  std::string text = cat("# ", program_mark, "\n# model: ", in_one_line(model),
                         "\n# status: 0 computed, 1 unreachable, 2 something moves freely, 3 no answer; "
                         "reason: why, or the warning of a motion\n");
  for (const SweepAxis& axis : sweep.axes) text += heading(axis.variable.name, axis.variable.unit) + ",";
  text += "status";
  for (const SweepColumn& column : sweep.columns) text += "," + heading(column.name, column.unit);
  text += ",reason\n";
  for (long long index = 0; index < sweep.num_points(); ++index) {
    for (const double value : sweep.point(index)) append(value, text), text += ',';
    const SweepFile::Point point = points.get(index);
    append(static_cast<double>(point.status), text);
    for (std::size_t c = 0; c < sweep.columns.size(); ++c) text += ',', append(value_at(point, c), text);
    text += cat(",", csv_cell(point.reason), "\n");
    if (text.size() < 1 << 16) continue;
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  }
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) fail(path, "write");
}

void write_datasets(const Sweep& sweep, const SweepFile& points, const std::string& model,
                    const std::filesystem::path& path) {
  Hdf5File file(path);
  file.set_attribute("/", "model", model);
  file.set_attribute("/", "status", "0 computed, 1 unreachable, 2 something moves freely, 3 no answer");
  std::vector<Hdf5File::StreamedColumn> columns;
  const auto add = [&](const std::string& group, std::string name, const std::string& unit) {
    for (char& letter : name) letter = letter == '/' ? '_' : letter;  // a slash would open a group of its own
    columns.push_back({cat(group, "/", name), unit});
  };
  for (const SweepAxis& axis : sweep.axes) add("axes", axis.variable.name, axis.variable.unit);
  add("points", "status", "");
  for (const SweepColumn& column : sweep.columns) add("points", column.name, column.unit);
  const std::size_t num_axes = sweep.axes.size();
  file.write_streamed(columns, sweep.num_points(),
                      [&](long long first, long long count, std::vector<std::vector<double>>& values) {
                        for (long long k = 0; k < count; ++k) {
                          const auto row = static_cast<std::size_t>(k);
                          const std::vector<double> place = sweep.point(first + k);
                          const SweepFile::Point point = points.get(first + k);
                          for (std::size_t a = 0; a < num_axes; ++a) values[a][row] = place[a];
                          values[num_axes][row] = static_cast<double>(point.status);
                          for (std::size_t c = 0; c < sweep.columns.size(); ++c)
                            values[num_axes + 1 + c][row] = value_at(point, c);
                        }
                      });
  file.write_streamed("points/reason", sweep.num_points(), [&](long long index) { return points.get(index).reason; });
  file.close();
}

}  // namespace

SweepFile::SweepFile(const std::filesystem::path& path, const std::string& signature, long long num_points,
                     int num_columns, bool fresh)
    : path_(path), num_points_(num_points), num_columns_(num_columns) {
  if (!path.parent_path().empty()) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
  }
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (descriptor_ < 0) fail(path, "open");
  try {
    const std::string header = header_of(signature, num_points, num_columns);
    first_record_ = static_cast<long long>(header.size());
    if (holds_this_sweep(signature, fresh)) {
      find_done();
    } else if (ftruncate(descriptor_, 0) != 0 || !write_at(descriptor_, header.data(), header.size(), 0)) {
      fail(path, "write");
    }
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

// False: it may be written anew. Throws where another sweep, another program or somebody else's file is there.
bool SweepFile::holds_this_sweep(const std::string& signature, bool fresh) const {
  struct stat about;
  if (fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode))
    throw WriteError(cat("cannot write '", path_.string(), "': it is no regular file"));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
    throw WriteError(cat("another program works on '", path_.string(), "'; choose another folder with -o"));
  if (about.st_size == 0) return false;
  char start[sizeof any_magic - 1] = {};
  const ssize_t got = pread(descriptor_, start, sizeof start, 0);
  if (got < 0 || std::memcmp(start, any_magic, static_cast<std::size_t>(got)) != 0)
    throw WriteError(cat("cannot write '", path_.string(), "': there is a file of that name that lithe did not make"));
  if (fresh) return false;
  const char* remedy = "; --fresh begins anew and discards its points, -o DIR begins in another folder";
  long long points = 0;
  int columns = 0;
  const std::optional<std::string> found = signature_in(descriptor_, points, columns);
  if (!found) {
    if (about.st_size <= first_record_) return false;  // killed before the first point
    throw InputError(cat(path_.string(), ": the unfinished sweep there is damaged, or of another version", remedy));
  }
  if (*found == signature && points == num_points_ && columns == num_columns_) return true;
  const std::optional<Signature> then = Signature::read(*found), now = Signature::read(signature);
  const std::string change = then && now ? then->difference_to(*now) : std::string();
  throw InputError(cat(path_.string(), ": there is another unfinished sweep",
                       change.empty() ? std::string() : ": " + change, remedy));
}

SweepFile::~SweepFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool SweepFile::is_done(long long index) const {
  std::vector<double> record;
  return read_record(index, record);
}

// A record: index, status, values, reason, checksum.
void SweepFile::put(long long index, const PointResult& result, const std::vector<double>& values) {
  std::vector<double> record{static_cast<double>(index), static_cast<double>(result.status)};
  record.insert(record.end(), values.begin(), values.end());
  const std::size_t place = record.size();
  record.resize(place + reason_words, 0.0);
  std::memcpy(&record[place], result.reason.data(), cut_length(result.reason, 8 * reason_words - 1));
  const std::uint64_t sum = checksum(record.data(), 8 * record.size());
  double packed = 0;
  std::memcpy(&packed, &sum, 8);
  record.push_back(packed);
  const long long offset = first_record_ + index * static_cast<long long>(record_size());
  if (!write_at(descriptor_, record.data(), record_size(), offset)) fail(path_, "write");
  ++num_done_;
}

bool SweepFile::read_record(long long index, std::vector<double>& record) const {
  record.resize(record_size() / 8);
  const long long offset = first_record_ + index * static_cast<long long>(record_size());
  if (!read_at(descriptor_, record.data(), record_size(), offset)) return false;
  std::uint64_t sum = 0;
  std::memcpy(&sum, &record.back(), 8);
  return sum == checksum(record.data(), record_size() - 8) && record[0] == static_cast<double>(index);
}

void SweepFile::find_done() {
  std::vector<double> record;
  for (long long index = 0; index < num_points_; ++index)
    if (read_record(index, record)) ++num_done_;
}

SweepFile::Point SweepFile::get(long long index) const {
  Point point;
  std::vector<double> record;
  if (!read_record(index, record)) return point;
  point.there = true;
  constexpr double most_status = 3;
  point.status = static_cast<PointStatus>(record[1] >= 0 && record[1] <= most_status ? static_cast<int>(record[1]) : 3);
  const std::size_t place = 2 + static_cast<std::size_t>(num_columns_);
  point.values.assign(record.begin() + 2, record.begin() + 2 + num_columns_);
  const auto* reason = reinterpret_cast<const char*>(&record[place]);
  point.reason.assign(reason, strnlen(reason, 8 * reason_words));
  return point;
}

void SweepFile::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

std::vector<std::filesystem::path> write_sweep(const Sweep& sweep, const SweepFile& points, const std::string& model,
                                               const std::filesystem::path& directory, const std::string& stem,
                                               const std::function<std::string()>& picture) {
  FileSet files(directory);
  write_rows(sweep, points, model, files.add(stem + ".csv"));
  write_datasets(sweep, points, model, files.add(stem + ".h5"));
  files.write(stem + ".svg", picture());
  files.commit();
  return files.paths();
}

}  // namespace lithe
