#include "lithe/results/recording/reduction_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "lithe/base/checksum.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

constexpr char cache_mark[8] = {'L', 'I', 'T', 'H', 'E', 'B', 'A', '1'};

struct CacheHeader {
  char mark[8];
  std::uint64_t first, second, rows, columns, checksum;
};

// Names as file_of() and keep() give: other files of the folder are left alone.
bool is_basis(const std::string& name) {
  const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
  return name.size() == 38 && name.ends_with(".basis") && std::all_of(name.begin(), name.begin() + 32, is_digit);
}
bool is_temporary(const std::string& name) {
  return name.starts_with("new-") && name.ends_with(".part") && name.size() > 9 &&
         name.find_first_not_of("0123456789-", 4) == name.size() - 5;
}

// A basis that somebody else could have written is not taken.
bool is_own(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

std::size_t bytes_of(const MatrixX& basis) { return static_cast<std::size_t>(basis.size()) * sizeof(double); }

}  // namespace

ReductionCache::ReductionCache(fs::path folder, std::uintmax_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

fs::path ReductionCache::file_of(const ReductionKey& key) const {
  std::array<char, 48> name{};
  std::snprintf(name.data(), name.size(), "%016llx%016llx.basis", static_cast<unsigned long long>(key.first),
                static_cast<unsigned long long>(key.second));
  return folder_ / name.data();
}

std::optional<MatrixX> ReductionCache::find(const ReductionKey& key, Eigen::Index num_rows) {
  const fs::path path = file_of(key);
  std::error_code failed;
  if (!is_own(path)) return std::nullopt;
  const std::uintmax_t size = fs::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  CacheHeader header{};
  if (failed || !file.read(reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  const bool fits = std::memcmp(header.mark, cache_mark, sizeof cache_mark) == 0 && header.first == key.first &&
                    header.second == key.second && header.rows == static_cast<std::uint64_t>(num_rows) &&
                    header.columns <= header.rows &&
                    size == sizeof header + std::uintmax_t{header.rows} * header.columns * sizeof(double);
  if (!fits) return std::nullopt;
  MatrixX basis(num_rows, static_cast<Eigen::Index>(header.columns));
  if (!file.read(reinterpret_cast<char*>(basis.data()), static_cast<std::streamsize>(bytes_of(basis))) ||
      checksum(basis.data(), bytes_of(basis)) != header.checksum)
    return std::nullopt;
  fs::last_write_time(path, fs::file_time_type::clock::now(), failed);
  return basis;
}

void ReductionCache::keep(const ReductionKey& key, const MatrixX& basis) {
  if (bytes_of(basis) > most_bytes_ / 2) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  static std::atomic<int> count = 0;
  const fs::path temporary = folder_ / cat("new-", ::getpid(), "-", ++count, ".part");
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    CacheHeader header{{},
                       key.first,
                       key.second,
                       static_cast<std::uint64_t>(basis.rows()),
                       static_cast<std::uint64_t>(basis.cols()),
                       checksum(basis.data(), bytes_of(basis))};
    std::memcpy(header.mark, cache_mark, sizeof cache_mark);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(reinterpret_cast<const char*>(basis.data()), static_cast<std::streamsize>(bytes_of(basis)));
    file.close();
    if (file) fs::rename(temporary, file_of(key), failed);
    if (!file || failed) {
      fs::remove(temporary, failed);
      return;
    }
  }
  make_room();
}

void ReductionCache::make_room() const {
  struct Entry {
    fs::file_time_type used;
    std::uintmax_t size = 0;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t sum = 0;
  std::error_code failed;
  for (fs::directory_iterator item(folder_, failed), end; !failed && item != end; item.increment(failed)) {
    const std::string name = item->path().filename().string();
    std::error_code gone;
    if ((!is_basis(name) && !is_temporary(name)) || !is_own(item->path())) continue;
    const Entry entry{item->last_write_time(gone), item->file_size(gone), item->path()};
    if (gone) continue;
    // what a killed program left behind
    if (is_temporary(name)) {
      if (fs::file_time_type::clock::now() - entry.used > std::chrono::hours(1)) fs::remove(entry.path, gone);
      continue;
    }
    sum += entry.size;
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (sum <= most_bytes_) return;
    if (fs::remove(entry.path, failed)) sum -= entry.size;
  }
}

void use_reduction_cache() {
  const char *own = std::getenv("LITHE_CACHE"), *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  fs::path folder;
  if (own && *own) {
    if (std::string_view(own) == "off") return;
    folder = own;
  } else if (cache && *cache == '/') {
    folder = fs::path(cache) / "lithe";
  } else if (home && *home == '/') {
    folder = fs::path(home) / ".cache" / "lithe";
  } else {
    return;
  }
  static ReductionCache store(folder, std::uintmax_t{4} << 30);
  set_reduction_store(&store);
}

}  // namespace lithe
