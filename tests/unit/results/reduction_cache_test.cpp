#include "lithe/results/recording/reduction_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "lithe/base/text.h"
#include "lithe/fem/assemble_mesh.h"
#include "lithe/reduce/reduce.h"
#include "lithe/reduce/solvers/sparse_factor.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

class KeptReductions : public testing::Test {
 protected:
  void SetUp() override { set_reduction_store(&cache); }
  void TearDown() override {
    set_reduction_store(nullptr);
    fs::remove_all(folder);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> result;
    for (const auto& item : fs::directory_iterator(folder)) result.push_back(item.path());
    return result;
  }
  const fs::path folder =
      fs::temp_directory_path() /
      cat("lithe cache ", getpid(), " ", testing::UnitTest::GetInstance()->current_test_info()->name());
  ReductionCache cache{folder, 100'000'000};
};

FiniteElementBody large_bar(double density) {
  return assemble_mesh(test::link_of({.shape = ElementShape::tet10,
                                      .size = {0.3, 0.02, 0.02},
                                      .count = {24, 2, 2},
                                      .material = {"steel", density, 2.1e11, 8e10}}));
}

ReducedBody reduced(const FiniteElementBody& body, int num_modes = 4) {
  ReductionChoice choice;
  choice.method = ReductionMethod::craig_bampton;
  choice.num_internal_modes = num_modes;
  return reduce(body, choice, {}, {0, 1});
}

void expect_equal(const ReducedBody& a, const ReducedBody& b) {
  EXPECT_EQ(a.squared_frequencies, b.squared_frequencies);
  EXPECT_EQ(a.nodal_shapes, b.nodal_shapes);
  EXPECT_EQ(a.invariants.mode_mode[0][1], b.invariants.mode_mode[0][1]);
}

TEST_F(KeptReductions, AreTheSameBitForBit) {
  const FiniteElementBody body = large_bar(7850);
  ASSERT_GE(body.num_dofs(), smallest_for_library);
  set_reduction_store(nullptr);
  const ReducedBody without = reduced(body);
  set_reduction_store(&cache);
  expect_equal(reduced(body), without);
  ASSERT_EQ(files().size(), 1u);
  const auto time = fs::last_write_time(files()[0]);
  fs::last_write_time(files()[0], time - std::chrono::hours(5));
  expect_equal(reduced(body), without);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_GE(fs::last_write_time(files()[0]), time);  // it was used
}

TEST_F(KeptReductions, OfAnotherBodyOrChoiceAreOthers) {
  const FiniteElementBody body = large_bar(7850), lighter = large_bar(7849.999999);
  const ReductionKey key = reduction_key(body, {}, {0, 1}, Space::spatial);
  EXPECT_EQ(key, reduction_key(body, {}, {0, 1}, Space::spatial));
  EXPECT_FALSE(key == reduction_key(lighter, {}, {0, 1}, Space::spatial));
  EXPECT_FALSE(key == reduction_key(body, {}, {1, 0}, Space::spatial));
  ReductionChoice other;
  other.num_internal_modes = 3;
  EXPECT_FALSE(key == reduction_key(body, other, {0, 1}, Space::spatial));
  EXPECT_EQ(reduced(body, 4).num_modes(), 10);
  EXPECT_EQ(reduced(body, 5).num_modes(), 11);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(KeptReductions, ThatAreDamagedAreComputedAgain) {
  const FiniteElementBody body = large_bar(7850);
  const ReducedBody first = reduced(body);
  const fs::path path = files().at(0);
  const auto size = fs::file_size(path);
  for (const std::uintmax_t at : {std::uintmax_t{0}, std::uintmax_t{30}, size / 2, size - 1}) {
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const char changed = static_cast<char>(file.get() ^ 0x41);
      file.seekp(static_cast<std::streamoff>(at));
      file.put(changed);
    }
    expect_equal(reduced(body), first);
  }
  fs::resize_file(path, size / 3);
  expect_equal(reduced(body), first);
  EXPECT_EQ(fs::file_size(path), size);
}

TEST_F(KeptReductions, GoWhenThereAreTooMany) {
  ReductionCache small(folder, 3 * (48 + 8 * 100));
  for (std::uint64_t k = 0; k < 6; ++k) {
    small.keep({k, k}, MatrixX::Constant(100, 1, static_cast<double>(k)));
    const fs::path path = folder / cat("000000000000000", k, "000000000000000", k, ".basis");
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(60 - k));
  }
  EXPECT_FALSE(small.find({2, 2}, 100));
  for (std::uint64_t k = 3; k < 6; ++k) {
    const std::optional<MatrixX> found = small.find({k, k}, 100);
    ASSERT_TRUE(found) << k;
    EXPECT_EQ((*found)(99, 0), static_cast<double>(k));
  }
  EXPECT_FALSE(small.find({5, 5}, 99));  // of another body
}

TEST_F(KeptReductions, AreNotMissedWhereNothingCanBeWritten) {
  std::ofstream(folder.string() + ".file") << "no folder";
  ReductionCache nowhere(folder.string() + ".file", 1000);
  nowhere.keep({1, 2}, MatrixX::Ones(3, 1));
  EXPECT_FALSE(nowhere.find({1, 2}, 3));
  fs::remove(folder.string() + ".file");
}

TEST_F(KeptReductions, LeaveOtherFilesAlone) {
  fs::create_directories(folder);
  const std::string hex(32, 'a');
  const std::vector<std::string> mine = {"film.part", "new-song.part", "old.basis", hex + "0.basis", "new-1-2x.part"};
  for (const std::string& name : mine) {
    std::ofstream(folder / name) << std::string(1000, 'x');
    fs::last_write_time(folder / name, fs::file_time_type::clock::now() - std::chrono::hours(100));
  }
  std::ofstream(folder / "new-1-2.part") << "left by a killed program";
  std::ofstream(folder / (hex + ".basis")) << std::string(1000, 'x');
  for (const std::string& name : {std::string("new-1-2.part"), hex + ".basis"})
    fs::last_write_time(folder / name, fs::file_time_type::clock::now() - std::chrono::hours(100));
  ReductionCache small{folder, 1000};
  small.keep({1, 2}, MatrixX::Ones(10, 5));
  for (const std::string& name : mine) EXPECT_TRUE(fs::exists(folder / name)) << name;
  EXPECT_FALSE(fs::exists(folder / "new-1-2.part"));
  EXPECT_FALSE(fs::exists(folder / (hex + ".basis")));
  EXPECT_EQ(files().size(), mine.size() + 1);
}

TEST_F(KeptReductions, AreNotReadThroughLinks) {
  ReductionCache cache_of_others{folder / "others", 1'000'000};
  cache_of_others.keep({1, 2}, MatrixX::Ones(10, 5));
  ASSERT_TRUE(cache_of_others.find({1, 2}, 10));
  ReductionCache own{folder / "own", 1'000'000};
  own.keep({3, 4}, MatrixX::Ones(10, 5));
  const fs::path name = fs::directory_iterator(folder / "others")->path();
  fs::create_symlink(name, folder / "own" / name.filename());
  EXPECT_FALSE(own.find({1, 2}, 10));
}

}  // namespace
}  // namespace lithe
