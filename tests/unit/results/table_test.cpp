#include "lithe/results/files/table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "lithe/base/diagnostics.h"
#include "lithe/base/write_error.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/hdf5_file.h"

namespace lithe {
namespace {

namespace fs = std::filesystem;

Table some_table() {
  Table table;
  table.name = "modes";
  table.notes = {{"model", "arm"}};
  table.add("mode", "", {1, 2, 3});
  table.add("frequency", "Hz", {23.33, 1.0 / 3.0, 1e-300});
  return table;
}

class ResultFile : public ::testing::Test {
 protected:
  ResultFile() : path_(fs::temp_directory_path() / ("lithe result " + std::to_string(getpid()))) {}
  ~ResultFile() override { fs::remove(path_); }
  fs::path path_;
};

TEST(Csv, HasNotesHeadingsWithUnitsAndRows) {
  Table table = some_table();
  table.columns[1].values = {23.33, 0.5, 1e-300};
  EXPECT_EQ(csv_text(table), "# model: arm\nmode,frequency [Hz]\n1,23.33\n2,0.5\n3,1e-300\n");
}

TEST(Csv, NumbersReadBackBitForBit) {
  const std::vector<double> values = {1.0 / 3.0, M_PI, 5e-324, 1.7976931348623157e308, -0.0};
  Table table;
  table.add("x", "", values);
  std::istringstream text(csv_text(table));
  std::string line;
  std::getline(text, line);
  for (const double value : values) {
    std::getline(text, line);
    const double read = std::strtod(line.c_str(), nullptr);
    EXPECT_EQ(read, value) << line;
    EXPECT_EQ(std::signbit(read), std::signbit(value)) << line;
  }
}

TEST(Csv, QuotesAHeadingWithAComma) {
  Table table;
  table.add("tip, \"x\"", "m", {1});
  EXPECT_EQ(csv_text(table), "\"tip, \"\"x\"\" [m]\"\n1\n");
}

TEST(Csv, SaysWhichFileItCannotWrite) {
  try {
    write_csv(some_table(), "/dev/full");
    FAIL() << "a full disk went unnoticed";
  } catch (const WriteError& error) {
    EXPECT_NE(std::string(error.what()).find("/dev/full"), std::string::npos) << error.what();
  }
}

TEST(Table, RefusesColumnsOfDifferentLength) {
  Table table = some_table();
  table.columns[1].values.pop_back();
  EXPECT_THROW(csv_text(table), std::invalid_argument);
}

TEST(Table, RefusesTwoColumnsOfOneName) {
  Table table = some_table();
  table.add("mode", "", {1, 2, 3});
  EXPECT_THROW(table.check(), std::invalid_argument);
}

TEST_F(ResultFile, Hdf5TableReadsBackWithUnitsAndNotes) {
  {
    Hdf5File file(path_);
    file.write(some_table());
    file.close();
  }
  EXPECT_EQ(read_hdf5_vector(path_, "modes/frequency"), some_table().columns[1].values);
  EXPECT_EQ(read_hdf5_attribute(path_, "modes/frequency", "unit"), "Hz");
  EXPECT_EQ(read_hdf5_attribute(path_, "modes", "model"), "arm");
}

TEST_F(ResultFile, Hdf5MatrixKeepsItsRowsAndColumns) {
  MatrixX matrix(2, 3);
  matrix << 1, 2, 3, 4, 5, 6;
  {
    Hdf5File file(path_);
    file.write("links/arm/shapes", matrix, "m");
    file.write("links/arm/none", MatrixX(0, 3));
    file.close();
  }
  EXPECT_EQ(read_hdf5_matrix(path_, "links/arm/shapes"), matrix);
  EXPECT_EQ(read_hdf5_matrix(path_, "links/arm/none").cols(), 3);
}

TEST_F(ResultFile, Hdf5TextsReadBack) {
  const std::vector<std::string> texts = {"shoulder", "", "größe"};
  {
    Hdf5File file(path_);
    file.write("names", texts);
    file.set_attribute("/", "program", "lithe");
    file.close();
  }
  EXPECT_EQ(read_hdf5_texts(path_, "names"), texts);
  EXPECT_EQ(read_hdf5_attribute(path_, "/", "program"), "lithe");
}

TEST_F(ResultFile, Hdf5SaysWhatIsMissing) {
  EXPECT_THROW(read_hdf5_vector(path_, "modes/frequency"), InputError);
  {
    Hdf5File file(path_);
    file.close();
  }
  EXPECT_THROW(read_hdf5_vector(path_, "modes/frequency"), InputError);
  EXPECT_THROW(Hdf5File(path_ / "below" / "a file"), WriteError);
}

}  // namespace
}  // namespace lithe
