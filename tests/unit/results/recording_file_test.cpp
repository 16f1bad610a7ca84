#include "lithe/results/recording/recording_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

class RecordingFileTest : public ::testing::Test {
 protected:
  ~RecordingFileTest() override { fs::remove_all(folder); }

  static RecordingHeading heading(const std::string& tolerance = "1e-06") {
    RecordingHeading result;
    result.signature.add("the setting tolerance", tolerance);
    result.model = "arm";
    result.formulation = "erls-cms";
    return result;
  }
  // Row k: time k, values k + 1 and k / 3; every third state has other coordinates.
  static void add(int k, RecordingFile& file) {
    State state;
    state.time = k;
    state.coordinates = VectorX::Constant(2, 0.1 * k);
    state.speeds = VectorX::Constant(2, -0.1 * k);
    state.configuration.coordinates = VectorX::Constant(1, k);
    state.configuration.references = {Quaternion(1, 0, 0, 0.5 * k)};
    if (k % 3 == 2) state.configuration.split = {k};
    const VectorX named = VectorX::Constant(2, 100.0 + k);
    const std::vector<double> values{k + 1.0, k / 3.0};
    const bool own = state.configuration.split.empty();
    file.add({state, values, own ? state.coordinates : named, own ? state.speeds : named});
  }
  void record(int count) const {
    RecordingFile file(folder, "motion", heading());
    file.begin({{"a", "m"}, {"b\n\"", ""}}, {"x", "y"});
    for (int k = 0; k < count; ++k) add(k, file);
    file.flush();
  }
  static int rows_in(const fs::path& path) {
    RecordingReader reader(path);
    RecordedRow row;
    int count = 0;
    for (; reader.next(row); ++count) {
      EXPECT_EQ(row.state.time, count);
      EXPECT_EQ(row.values, (std::vector<double>{count + 1.0, count / 3.0}));
      EXPECT_EQ(row.coordinates[1], count % 3 == 2 ? 100.0 + count : 0.1 * count);
      EXPECT_EQ(row.state.configuration.references[0].z(), 0.5 * count);
    }
    return count;
  }
  const fs::path folder =
      fs::temp_directory_path() /
      cat("lithe recording ", getpid(), " ", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  const fs::path path = folder / "motion.part";
};

TEST_F(RecordingFileTest, GivesBackWhatItGot) {
  record(10);
  EXPECT_EQ(rows_in(path), 10);
  const RecordingReader reader(path);
  EXPECT_EQ(reader.heading().model, "arm");
  EXPECT_EQ(reader.heading().columns[1].name, "b\n\"");
  EXPECT_EQ(reader.heading().coordinate_names, (std::vector<std::string>{"x", "y"}));
}

TEST_F(RecordingFileTest, GivesAllWholeRowsWhereverItIsCut) {
  record(4);
  const auto size = fs::file_size(path);
  RecordingReader whole(path);
  const long long first = whole.position();
  std::vector<long long> ends{first};
  for (RecordedRow row; whole.next(row);) ends.push_back(whole.position());
  ASSERT_EQ(ends.back(), static_cast<long long>(size));
  for (auto cut = static_cast<long long>(size) - 1; cut >= 0; --cut) {
    fs::resize_file(path, static_cast<std::uintmax_t>(cut));
    if (cut < first) {
      EXPECT_THROW(RecordingReader reader(path), InputError) << cut;
      continue;
    }
    int complete = 0;
    while (ends[static_cast<std::size_t>(complete) + 1] <= cut) ++complete;
    EXPECT_EQ(rows_in(path), complete) << cut;
  }
}

TEST_F(RecordingFileTest, NoticesEveryChangedByte) {
  record(2);
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    std::ofstream(path, std::ios::binary) << damaged;
    int rows = -1;
    try {
      rows = rows_in(path);
    } catch (const InputError&) {
    }
    EXPECT_LT(rows, 2) << "byte " << i;
  }
}

TEST_F(RecordingFileTest, SetsAsideWhatAKilledProgramLeft) {
  record(5);
  {
    RecordingFile file(folder, "motion", heading());
    EXPECT_EQ(file.set_aside(), folder / "motion_interrupted.part");
    file.begin({{"a", "m"}, {"b", ""}}, {"x", "y"});
    add(0, file);
    file.complete();
  }
  EXPECT_EQ(rows_in(folder / "motion_interrupted.part"), 5);
  {
    RecordingFile file(folder, "motion", heading());  // complete: its results are elsewhere
    EXPECT_TRUE(file.set_aside().empty());
  }
  EXPECT_FALSE(fs::exists(path));  // nothing was recorded
  record(3);
  RecordingFile file(folder, "motion", heading());
  EXPECT_EQ(file.set_aside(), folder / "motion_interrupted_2.part");
}

TEST_F(RecordingFileTest, GoesOnAfterTheRowsOfACheckpoint) {
  record(7);
  EXPECT_EQ(RecordingFile::resume(folder, "motion", heading("1e-05"), 4), nullptr);
  EXPECT_EQ(RecordingFile::resume(folder, "motion", heading(), 8), nullptr);
  EXPECT_EQ(RecordingFile::resume(folder, "other", heading(), 4), nullptr);
  EXPECT_EQ(rows_in(path), 7);
  {
    const auto file = RecordingFile::resume(folder, "motion", heading(), 4);
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(file->last_time(), 3);
    file->begin({}, {});
    for (int k = 4; k < 9; ++k) add(k, *file);
    file->complete();
  }
  EXPECT_EQ(rows_in(path), 9);
}

TEST_F(RecordingFileTest, LeavesOthersAlone) {
  fs::create_directories(folder);
  {
    RecordingFile file(folder, "motion", heading());
    EXPECT_THROW(RecordingFile(folder, "motion", heading()), WriteError);  // somebody works on it
  }
  std::ofstream(path) << "my notes\n";
  EXPECT_THROW(RecordingFile(folder, "motion", heading()), WriteError);
  EXPECT_EQ(fs::file_size(path), 9u);
  fs::remove(path);
  std::ofstream(folder / "target") << "precious";
  fs::create_symlink(folder / "target", path);
  EXPECT_THROW(RecordingFile(folder, "motion", heading()), WriteError);
  EXPECT_EQ(fs::file_size(folder / "target"), 8u);
  EXPECT_TRUE(fs::is_symlink(path));
}

}  // namespace
}  // namespace lithe
