#include "lithe/results/files/file_set.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "lithe/base/diagnostics.h"
#include "lithe/base/write_error.h"
#include "lithe/read/tables/files_of_run.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

class FileSetTest : public ::testing::Test {
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
  put(root_ / "a.csv", "# written by lithe, old");
  {
    FileSet files(root_);
    put(files.add("a.csv"), "new");
  }
  EXPECT_EQ(get(root_ / "a.csv"), "# written by lithe, old");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1);
}

TEST_F(FileSetTest, SaysWhichDirectoryItCannotMake) {
  put(root_ / "taken", "a file");
  try {
    FileSet files(root_ / "taken" / "below");
    FAIL() << "a directory below a file was accepted";
  } catch (const WriteError& error) {
    EXPECT_NE(std::string(error.what()).find("taken"), std::string::npos) << error.what();
  }
}

TEST_F(FileSetTest, RemovesWhatKilledProgramsLeftAndNothingElse) {
  put(root_ / ".lithe.a.csv.123.0.part", "torn");
  for (const char* name : {".lithe.a.csv.part", ".lithe.a.x.0.part", "lithe.a.csv.1.0.part", ".a.csv.123.part"})
    put(root_ / name, "somebody's");
  put(root_ / "target", "kept");
  fs::create_symlink(root_ / "target", root_ / ".lithe.b.csv.123.0.part");
  {
    FileSet first(root_);
    put(root_ / ".lithe.a.csv.124.0.part", "torn");
    const FileSet second(root_);  // not alone
    EXPECT_TRUE(fs::exists(root_ / ".lithe.a.csv.124.0.part"));
  }
  EXPECT_FALSE(fs::exists(root_ / ".lithe.a.csv.123.0.part"));
  const FileSet third(root_);
  EXPECT_FALSE(fs::exists(root_ / ".lithe.a.csv.124.0.part"));
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 6);
}

TEST_F(FileSetTest, NeitherFollowsNorReplacesLinks) {
  put(root_ / "target", "kept");
  fs::create_symlink(root_ / "target", root_ / "a.csv");
  fs::create_directory(root_ / "b.csv");
  FileSet files(root_);
  EXPECT_THROW(files.add("a.csv"), WriteError);
  EXPECT_THROW(files.add("b.csv"), WriteError);
  EXPECT_TRUE(fs::is_symlink(root_ / "a.csv"));
  EXPECT_EQ(get(root_ / "target"), "kept");
}

TEST_F(FileSetTest, ASetThatCannotBePutInPlaceLeavesTheFormerOne) {
  put(root_ / "a.txt", "written by lithe: old");
  FileSet files(root_);
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) put(files.add(name), "new");
  for (const auto& entry : fs::directory_iterator(root_))  // the last one is lost before it gets its name
    if (entry.path().filename().string().starts_with(".lithe.c.txt.")) fs::remove(entry.path());
  EXPECT_THROW(files.commit(), WriteError);
  EXPECT_EQ(get(root_ / "a.txt"), "written by lithe: old");
  EXPECT_FALSE(fs::exists(root_ / "b.txt"));
  EXPECT_FALSE(fs::exists(root_ / "c.txt"));
}

TEST_F(FileSetTest, LeavesNothingBesideAReplacedSet) {
  put(root_ / "a.txt", "written by lithe: old");
  FileSet files(root_);
  put(files.add("a.txt"), "new");
  files.commit();
  EXPECT_EQ(get(root_ / "a.txt"), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1);
}

TEST_F(FileSetTest, ReplacesNoFileThatThisRunHasRead) {
  put(root_ / "a.txt", "input written by lithe");
  {
    const FilesOfRun files_of_this_run;
    note_in_run(root_ / "." / "a.txt");
    FileSet files(root_);
    EXPECT_THROW(files.add("a.txt"), InputError);
    files.add("b.txt");
  }
  EXPECT_EQ(get(root_ / "a.txt"), "input written by lithe");
  FileSet later(root_);
  EXPECT_NO_THROW(later.add("a.txt"));
}

TEST_F(FileSetTest, ReplacesOnlyWhatHasItsMark) {
  const std::vector<std::pair<std::string, std::string>> texts = {{"a.pvd", "<?xml?>\n<VTKFile/>"},
                                                                  {"a.html", "<!DOCTYPE html>\n<html></html>"},
                                                                  {"a.svg", "<svg width=\"1\"></svg>"},
                                                                  {"a.json", "{\n \"A\": 1\n}"},
                                                                  {"a.h", "#ifndef A\n#endif\n"},
                                                                  {"a.py", "A = 1\n"},
                                                                  {"a.vtp", "<?xml version=\"1.0\"?>\n<VTKFile/>"}};
  for (const auto& [name, text] : texts) put(root_ / name, "# notes on lithe\n" + text);
  put(root_ / "empty.csv", "");
  FileSet foreign(root_);
  for (const auto& [name, text] : texts) EXPECT_THROW(foreign.add(name), InputError) << name;
  EXPECT_NO_THROW(foreign.add("empty.csv"));
  FileSet own(root_ / "own");
  for (const auto& [name, text] : texts) own.write(name, text);
  own.commit();
  FileSet later(root_ / "own");
  for (const auto& [name, text] : texts) EXPECT_NO_THROW(later.write(name, text)) << name;
  EXPECT_EQ(get(root_ / "own" / "a.json"), "{\"program\": \"written by lithe\",\n \"A\": 1\n}");
  EXPECT_EQ(get(root_ / "own" / "a.svg"), "<svg width=\"1\"><!-- written by lithe --></svg>");
}

}  // namespace
}  // namespace lithe
