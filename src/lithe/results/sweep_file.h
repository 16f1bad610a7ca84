// The points of a sweep on disk: each at its own place, complete or not there. A program that is killed while writing
// leaves all earlier points readable; the same sweep continues from them. Memory does not grow with the number of
// points.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lithe/analyse/sweep/sweep.h"

namespace lithe {

class SweepFile : public SweepStore {
 public:
  // Opens the file, or makes it. What it holds is used when `signature` (the text of a Signature) and the sizes are the
  // same. Throws InputError, with what differs, when another unfinished sweep is there, unless this one begins `fresh`;
  // WriteError when the file cannot be used, is not ours, or another program works on it.
  SweepFile(const std::filesystem::path& path, const std::string& signature, long long num_points, int num_columns,
            bool fresh);
  ~SweepFile() override;
  SweepFile(const SweepFile&) = delete;
  SweepFile& operator=(const SweepFile&) = delete;

  bool is_done(long long index) const override;
  void put(long long index, const PointResult& result, const std::vector<double>& values) override;
  long long num_done() const { return num_done_; }

  struct Point {
    PointStatus status = PointStatus::failed;
    bool there = false;
    std::string reason;  // why it is not ok, cut off where it is very long
    std::vector<double> values;
  };
  Point get(long long index) const;
  // Closes and removes the file.
  void remove();

 private:
  static constexpr std::size_t reason_words = 20;  // of eight letters
  std::size_t record_size() const { return 8 * (static_cast<std::size_t>(num_columns_) + 3 + reason_words); }
  bool read_record(long long index, std::vector<double>& record) const;
  void find_done();
  bool holds_this_sweep(const std::string& signature, bool fresh) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  long long num_points_ = 0, first_record_ = 0;
  int num_columns_ = 0;
  std::atomic<long long> num_done_{0};
};

// <stem>.csv and <stem>.h5: the value of every axis, the status, every column, and the reason where a point has no
// answer; one row per point in the order of the grid. Points that are not there are left out of neither (status 3).
std::vector<std::filesystem::path> write_sweep(const Sweep& sweep, const SweepFile& points, const std::string& model,
                                               const std::filesystem::path& directory, const std::string& stem,
                                               const std::function<std::string()>& picture);

}  // namespace lithe
