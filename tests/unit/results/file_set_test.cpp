#include "lithe/results/file_set.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "lithe/base/diagnostics.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

class FileSetTest : public testing::Test {
 protected:
  FileSetTest() : root_(fs::temp_directory_path() / ("lithe file set " + std::to_string(getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~FileSetTest() override { fs::remove_all(root_); }

  static void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string get(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path root_;
};

TEST_F(FileSetTest, ShowsNothingBeforeTheCommitAndEverythingAfter) {
  FileSet files(root_ / "new" / "deep");
  put(files.add("a.csv"), "a");
  put(files.add("b.h5"), "b");
  EXPECT_FALSE(fs::exists(root_ / "new/deep/a.csv"));
  files.commit();
  EXPECT_EQ(get(root_ / "new/deep/a.csv"), "a");
  EXPECT_EQ(get(root_ / "new/deep/b.h5"), "b");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "new/deep"), fs::directory_iterator()), 2);
}

TEST_F(FileSetTest, WithoutACommitLeavesNoTrace) {
  {
    FileSet files(root_ / "new" / "deep");
    put(files.add("a.csv"), "a");
  }
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(FileSetTest, WithoutACommitKeepsTheFilesOfAnEarlierRun) {
  put(root_ / "a.csv", "old");
  {
    FileSet files(root_);
    put(files.add("a.csv"), "new");
  }
  EXPECT_EQ(get(root_ / "a.csv"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1);
}

TEST_F(FileSetTest, SaysWhichDirectoryItCannotMake) {
  put(root_ / "taken", "a file");
  try {
    FileSet files(root_ / "taken" / "below");
    FAIL() << "a directory below a file was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("taken"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lithe
