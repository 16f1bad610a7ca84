#include "lithe/results/sweep_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/results/files/hdf5_file.h"

namespace lithe {
namespace {

class SweepFileTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder); }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      cat("lithe sweep ", getpid(), " ", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  const std::filesystem::path path = folder / "sweep.part";
};

TEST_F(SweepFileTest, KeepsItsPointsWhenItIsOpenedAgain) {
  {
    SweepFile file(path, "a", 5, 2, false);
    file.put(3, PointStatus::ok, {1.5, 2.5});
    file.put(0, PointStatus::unreachable, {std::nan(""), std::nan("")});
  }
  const SweepFile file(path, "a", 5, 2, false);
  EXPECT_EQ(file.num_done(), 2);
  EXPECT_TRUE(file.is_done(3) && file.is_done(0) && !file.is_done(1));
  EXPECT_EQ(file.get(3).values, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(file.get(0).status, PointStatus::unreachable);
  EXPECT_FALSE(file.get(4).there);
}

TEST_F(SweepFileTest, CutsALongReasonBetweenLetters) {
  std::string reason(157, 'x'), kept = reason;
  kept += "é";
  for (int k = 0; k < 40; ++k) reason += "é";  // two bytes each
  SweepFile file(path, "a", 1, 1, false);
  file.put(0, {PointStatus::failed, reason}, {0});
  EXPECT_EQ(file.get(0).reason, kept);
}

TEST_F(SweepFileTest, IsNotOverwrittenByAnotherSweepUnlessThatIsAskedFor) {
  { SweepFile(path, "a\t1\n", 5, 2, false).put(3, PointStatus::ok, {1, 2}); }
  for (const auto& [signature, points] : {std::pair<const char*, int>{"a\t2\n", 5}, {"a\t1\n", 6}, {"", 5}})
    EXPECT_THROW(SweepFile(path, signature, points, 2, false), InputError);
  try {
    SweepFile(path, "a\t2\n", 5, 2, false);
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("a was 1 and is 2; --fresh"), std::string::npos) << error.what();
  }
  EXPECT_EQ(SweepFile(path, "a\t1\n", 5, 2, false).num_done(), 1);
  EXPECT_EQ(SweepFile(path, "a\t2\n", 5, 2, true).num_done(), 0);
}

// Its header damaged, with points behind it: refused. Killed within the header: begun anew.
TEST_F(SweepFileTest, RefusesADamagedHeader) {
  { SweepFile(path, "a\t1\n", 5, 2, false).put(0, PointStatus::ok, {1, 2}); }
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  const std::size_t header = whole.size() - 8 * (2 + 3 + 20);
  for (std::size_t i = 0; i < header; ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_ANY_THROW(SweepFile(path, "a\t1\n", 5, 2, false)) << i;
    std::ofstream(path, std::ios::binary) << whole.substr(0, i);
    EXPECT_EQ(SweepFile(path, "a\t1\n", 5, 2, false).num_done(), 0) << i;
  }
  std::ofstream(path, std::ios::binary) << "my notes";
  EXPECT_THROW(SweepFile(path, "a", 5, 2, true), WriteError);
}

TEST_F(SweepFileTest, DropsATornRecordAndNothingElse) {
  {
    SweepFile file(path, "a", 4, 3, false);
    for (int k = 0; k < 4; ++k) file.put(k, PointStatus::ok, {1.0 * k, 2.0 * k, 3.0 * k});
  }
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size - 13);  // the last record was being written
  const SweepFile file(path, "a", 4, 3, false);
  EXPECT_EQ(file.num_done(), 3);
  EXPECT_FALSE(file.is_done(3));
  EXPECT_EQ(file.get(2).values, (std::vector<double>{2, 4, 6}));
}

TEST_F(SweepFileTest, NoticesAChangedByte) {
  { SweepFile(path, "a", 1, 1, false).put(0, PointStatus::ok, {7}); }
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-12, std::ios::end);
    file.put('\x55');
  }
  EXPECT_EQ(SweepFile(path, "a", 1, 1, false).num_done(), 0);
}

TEST_F(SweepFileTest, IsForOneProgramAtATime) {
  const SweepFile first(path, "a", 1, 1, false);
  EXPECT_THROW(SweepFile(path, "a", 1, 1, false), WriteError);
}

TEST_F(SweepFileTest, BecomesTablesInTheOrderOfTheGrid) {
  Sweep sweep;
  SweepAxis axis;
  axis.variable.name = "tool.x";
  axis.variable.unit = "m";
  axis.values = {1, 2};
  SweepAxis other = axis;
  other.variable.name = "links/arm, mass";
  other.values = {5, 6};
  sweep.axes = {axis, other};
  sweep.columns = {{"f", "Hz"}};
  SweepFile file(path, "a", 4, 1, false);
  for (const int k : {2, 0, 1}) file.put(k, PointStatus::ok, {10.0 * k});
  file.put(3, {PointStatus::failed, "unconstrained, and \"why\""}, {std::nan("")});
  write_sweep(sweep, file, "model", folder, "sweep", [] { return std::string("<svg/>"); });
  std::ifstream stream(folder / "sweep.csv");
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_NE(text.find("tool.x [m],\"links/arm, mass [m]\",status,f "
                      "[Hz],reason\n1,5,0,0,\n1,6,0,10,\n2,5,0,20,\n2,6,3,nan,\"unconstrained, and \"\"why\"\"\"\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(read_hdf5_vector(folder / "sweep.h5", "points/status"), (std::vector<double>{0, 0, 0, 3}));
  EXPECT_EQ(read_hdf5_vector(folder / "sweep.h5", "points/f")[2], 20);
  EXPECT_EQ(read_hdf5_vector(folder / "sweep.h5", "axes/tool.x"), (std::vector<double>{1, 1, 2, 2}));
  EXPECT_EQ(read_hdf5_texts(folder / "sweep.h5", "points/reason"),
            (std::vector<std::string>{"", "", "", "unconstrained, and \"why\""}));
}

// Texts are written in pieces of 4096 rows.
TEST_F(SweepFileTest, KeepsTheReasonsOfMorePointsThanOnePieceHolds) {
  Sweep sweep;
  SweepAxis axis;
  axis.variable.name = "joint.a";
  for (int k = 0; k < 5000; ++k) axis.values.push_back(k);
  sweep.axes = {axis};
  sweep.columns = {{"f", "Hz"}};
  SweepFile file(path, "a", 5000, 1, false);
  for (int k = 0; k < 5000; ++k) file.put(k, {PointStatus::unreachable, cat("point ", k)}, {0});
  write_sweep(sweep, file, "model", folder, "sweep", [] { return std::string("<svg/>"); });
  const std::vector<std::string> reasons = read_hdf5_texts(folder / "sweep.h5", "points/reason");
  ASSERT_EQ(reasons.size(), 5000u);
  for (const int k : {0, 4095, 4096, 4999}) EXPECT_EQ(reasons[static_cast<std::size_t>(k)], cat("point ", k));
}

}  // namespace
}  // namespace lithe
