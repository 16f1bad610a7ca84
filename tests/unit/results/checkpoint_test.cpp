#include "lithe/results/recording/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "lithe/base/checksum.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() { fs::create_directories(folder); }
  ~CheckpointTest() override { fs::remove_all(folder); }
  void put(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }
  std::string get() const {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  const fs::path folder =
      fs::temp_directory_path() /
      cat("lithe checkpoint ", getpid(), " ", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  const fs::path path = folder / "arm.checkpoint";
};

Checkpoint some_checkpoint() {
  Checkpoint c;
  c.state.time = 0.1;
  c.state.coordinates = VectorX::LinSpaced(3, 0.1, 1.0 / 3);
  c.state.speeds = VectorX::LinSpaced(3, -1e-300, 1e300);
  c.state.configuration.coordinates = VectorX::Constant(2, M_PI);
  c.state.configuration.references = {Quaternion(0.5, -0.5, 0.5, 0.5)};
  c.state.configuration.split = {1, 0};
  c.state.controller_memory = VectorX::Constant(1, 7);
  c.next_step = 1e-3;
  c.dissipated = std::nan("");
  c.stops_touched = {1, 0};
  c.so_far.num_recorded = 101;
  c.so_far.last_recorded = 0.1;
  c.so_far.num_steps = 1234;
  c.so_far.start_time = 0.01;
  c.so_far.stiffened_for = " the terms, since 'a\n link' bends";
  c.so_far.counters = {{10, 1, 60, 2, 0}, {5, 0, 35, 0, 0}};
  c.so_far.events = {{"joint 'a\n b': limit", 0.05}};
  LinkDeformation d;
  d.link = "a link";
  d.strain_node = "tip";
  d.strain = 0.25;
  c.so_far.deformations = {d};
  return c;
}

Signature some_signature() {
  Signature signature;
  signature.add("the version of lithe", "1");
  signature.add_hidden("the model file", "0123");
  signature.add("the setting tolerance", "1e-06");
  return signature;
}

TEST_F(CheckpointTest, ComesBackBitByBit) {
  const Checkpoint c = some_checkpoint();
  write_checkpoint(c, path, some_signature());
  const SavedCheckpoint back = load_checkpoint(path);
  EXPECT_EQ(back.checkpoint.state.time, c.state.time);
  EXPECT_EQ(back.checkpoint.state.coordinates, c.state.coordinates);
  EXPECT_EQ(back.checkpoint.state.speeds, c.state.speeds);
  EXPECT_EQ(back.checkpoint.state.configuration.coordinates, c.state.configuration.coordinates);
  EXPECT_EQ(back.checkpoint.state.configuration.references[0].coeffs(), c.state.configuration.references[0].coeffs());
  EXPECT_EQ(back.checkpoint.state.configuration.split, c.state.configuration.split);
  EXPECT_EQ(back.checkpoint.state.controller_memory, c.state.controller_memory);
  EXPECT_TRUE(std::isnan(back.checkpoint.dissipated));
  EXPECT_EQ(back.checkpoint.stops_touched, c.stops_touched);
  EXPECT_EQ(back.checkpoint.so_far.num_recorded, 101);
  EXPECT_EQ(back.checkpoint.so_far.num_steps, 1234);
  EXPECT_EQ(back.checkpoint.so_far.start_time, 0.01);
  EXPECT_EQ(back.checkpoint.so_far.stiffened_for, c.so_far.stiffened_for);
  EXPECT_EQ(back.checkpoint.so_far.counters[1].evaluations, 35);
  EXPECT_EQ(back.checkpoint.so_far.events[0].name, c.so_far.events[0].name);
  EXPECT_EQ(back.checkpoint.so_far.deformations[0].strain, 0.25);
  EXPECT_EQ(back.signature.difference_to(some_signature()), "");
}

TEST_F(CheckpointTest, SaysWhatHasChanged) {
  write_checkpoint(some_checkpoint(), path, some_signature());
  const Signature then = load_checkpoint(path).signature;
  Signature now;
  now.add("the version of lithe", "1");
  now.add_hidden("the model file", "4567");
  EXPECT_EQ(then.difference_to(now), "the model file has changed");
  now = {};
  now.add("the version of lithe", "1");
  now.add_hidden("the model file", "0123");
  now.add("the setting tolerance", "1e-05");
  EXPECT_EQ(then.difference_to(now), "the setting tolerance was 1e-06 and is 1e-05");
  now = some_signature();
  now.add_hidden("the file 'torque.csv'", "89ab");
  EXPECT_EQ(then.difference_to(now), "the file 'torque.csv' was not there");
  EXPECT_EQ(now.difference_to(some_signature()), "the file 'torque.csv' is no longer there");
}

TEST_F(CheckpointTest, IsRefusedWithAnyByteChanged) {
  write_checkpoint(some_checkpoint(), path, some_signature());
  const std::string whole = get();
  const int changes[] = {0x01, 0x20, 0x80, 0xff};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ changes[i % 4]);
    put(damaged);
    EXPECT_THROW(load_checkpoint(path), InputError) << "byte " << i;
  }
}

TEST_F(CheckpointTest, IsRefusedAtAnyOtherLength) {
  write_checkpoint(some_checkpoint(), path, some_signature());
  const std::string whole = get();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    put(whole.substr(0, i));
    EXPECT_THROW(load_checkpoint(path), InputError) << "cut at " << i;
    if (i % 8 != 0) continue;
    put(whole.substr(0, i) + whole.substr(i + 1));
    EXPECT_THROW(load_checkpoint(path), InputError) << "without byte " << i;
    put(whole.substr(0, i) + " " + whole.substr(i));
    EXPECT_THROW(load_checkpoint(path), InputError) << "with one more at " << i;
  }
  put(whole + "\n");
  EXPECT_THROW(load_checkpoint(path), InputError);
  put(whole);
  EXPECT_NO_THROW(load_checkpoint(path));
}

// What somebody has written by hand may have a true checksum and wrong lengths.
TEST_F(CheckpointTest, IsRefusedWithWrongLengths) {
  write_checkpoint(some_checkpoint(), path, some_signature());
  const std::string whole = get();
  for (const auto& [key, other] : {std::pair<std::string, std::string>{"\nspeeds 3", "\nspeeds 0"},
                                   {"\nspeeds 3", "\nspeeds 2"},
                                   {"\nspeeds 3", "\nspeeds 99999999999"},
                                   {"\ncharts 4", "\ncharts 3"},
                                   {"\nnumbers 6", "\nnumbers 5"},
                                   {"\nevents 1", "\nevents 2"}}) {
    std::string text = whole.substr(0, whole.rfind("checksum "));
    text.replace(text.find(key), key.size(), other);
    put(cat(text, "checksum ", checksum_text(text), "\n"));
    EXPECT_THROW(load_checkpoint(path), InputError) << other;
  }
}

TEST_F(CheckpointTest, DoesNotReplaceAFileThatIsNone) {
  put("lithe = 1\n");
  EXPECT_THROW(try_checkpoint_place(path), WriteError);
  EXPECT_THROW(write_checkpoint(some_checkpoint(), path), WriteError);
  EXPECT_EQ(get(), "lithe = 1\n");
  fs::remove(path);
  fs::create_symlink(folder / "elsewhere", path);
  EXPECT_THROW(write_checkpoint(some_checkpoint(), path), WriteError);
  EXPECT_TRUE(fs::is_symlink(path));
}

}  // namespace
}  // namespace lithe
