// Damaged checkpoints and recordings, also with checksums made right again by intent: refused, or read without harm.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "lithe/base/checksum.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/recording/checkpoint.h"
#include "lithe/results/recording/recording_file.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;
using Random = std::mt19937;

class SavedRun : public ::testing::Test {
 protected:
  SavedRun() { fs::create_directories(folder); }
  ~SavedRun() override { fs::remove_all(folder); }
  void put(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  std::string get() const {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
  }
  const fs::path folder = fs::temp_directory_path() / cat("lithe saved run ", getpid());
  const fs::path path = folder / "motion.part";
};

std::string damaged(std::string text, Random& random) {
  static const std::string words[] = {"-1", "1e18", "nan", "inf", "0", "99999999999", "x", "", " ", "\n", "0x1p+900"};
  for (auto edits = 1 + random() % 3; edits > 0; --edits) {
    const std::size_t at = random() % text.size(), begin = text.rfind(' ', at);
    if (random() % 2 == 0 && begin != std::string::npos)  // a word
      text.replace(begin + 1, text.find_first_of(" \n", begin + 1) - begin - 1, words[random() % std::size(words)]);
    else if (random() % 2 == 0)
      text.erase(at, 1 + random() % 20);
    else
      text[at] = static_cast<char>(random());
  }
  return text;
}

TEST_F(SavedRun, ForgedCheckpointsAreReadOrRefused) {
  Checkpoint c;
  c.state.time = 0.5;
  c.state.coordinates = c.state.speeds = VectorX::LinSpaced(3, 0, 1);
  c.state.configuration.references = {Quaternion(0.5, -0.5, 0.5, 0.5)};
  c.state.configuration.split = {1, 0};
  c.so_far.counters = {{10, 1, 60, 2, 0}};
  c.so_far.events = {{"limit", 0.05}};
  Signature signature;
  signature.add("the setting tolerance", "1e-06");
  write_checkpoint(c, path, signature);
  const std::string whole = get();
  const std::string body = whole.substr(0, whole.rfind("checksum "));
  Random random(5);
  int refused = 0;
  constexpr int num_cases = 500;
  for (int i = 0; i < num_cases; ++i) {
    const std::string forged = damaged(body, random);
    put(cat(forged, "checksum ", checksum_text(forged), "\n"));
    try {
      const SavedCheckpoint read = load_checkpoint(path);
      ASSERT_EQ(read.checkpoint.state.speeds.size(), read.checkpoint.state.coordinates.size());
      ASSERT_LT(read.checkpoint.state.coordinates.size(), 1000);
    } catch (const InputError&) {
      ++refused;
    }
    put(cat(forged, whole.substr(body.size())));  // and without the forged checksum
    if (forged != body) {
      EXPECT_THROW(load_checkpoint(path), InputError) << forged;
    }
  }
  EXPECT_GT(refused, num_cases / 5);
  EXPECT_LT(refused, num_cases);
}

std::string recorded_bytes(const fs::path& folder, const fs::path& path) {
  RecordingFile file(folder, path.stem().string(), {{}, "model", "erls-cms", {}, {}});
  file.begin({{"a", "m"}, {"b", ""}}, {"q1", "q2"});
  State state;
  state.coordinates = state.speeds = VectorX::LinSpaced(2, 0, 1);
  state.configuration.coordinates = VectorX::LinSpaced(2, 0, 1);
  state.configuration.references = {Quaternion(1, 0, 0, 0)};
  state.configuration.split = {1};
  const std::vector<double> values{1, 2};
  for (int i = 0; i < 6; ++i) {
    state.time = i;
    file.add({state, values, state.coordinates, state.speeds});
  }
  file.flush();
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  file.remove();
  return bytes.str();
}

// One word of a row made another, and the row's checksum right again.
void forge_row(std::string& bytes, std::size_t row, std::size_t row_bytes, Random& random) {
  static const double hostile[] = {
      -1, 0, 1e18, 67108864, 8, 3, 1e-300, std::nan(""), std::numeric_limits<double>::infinity()};
  const std::size_t words = row_bytes / 8;
  const double value = hostile[random() % std::size(hostile)];
  std::memcpy(&bytes[row + 8 * (random() % (words - 1))], &value, 8);
  const std::uint64_t sum = checksum(&bytes[row], row_bytes - 8);
  std::memcpy(&bytes[row + row_bytes - 8], &sum, 8);
}

TEST_F(SavedRun, ForgedRecordingsEndWhereTheirRowsMakeNoSense) {
  const std::string whole = recorded_bytes(folder, path);
  put(whole);
  long long first = 0, row_bytes = 0;
  {
    RecordingReader reader(path);
    first = reader.position();
    RecordedRow row;
    ASSERT_TRUE(reader.next(row));
    row_bytes = reader.position() - first;
  }
  ASSERT_EQ(static_cast<long long>(whole.size()), first + 6 * row_bytes);
  Random random(6);
  long long rows = 0;
  constexpr int num_cases = 500;
  for (int i = 0; i < num_cases; ++i) {
    std::string bytes = whole;
    const std::size_t row = static_cast<std::size_t>(first) + random() % 6 * static_cast<std::size_t>(row_bytes);
    if (random() % 4 == 0)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    else
      forge_row(bytes, row, static_cast<std::size_t>(row_bytes), random);
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    put(bytes);
    try {
      RecordingReader reader(path);
      RecordedRow read;
      while (reader.next(read)) {
        ASSERT_EQ(read.values.size(), reader.heading().columns.size());
        ++rows;
      }
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(rows, num_cases);
  EXPECT_LT(rows, 6 * num_cases);
}

}  // namespace
}  // namespace lithe
