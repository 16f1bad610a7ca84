#include <gtest/gtest.h>

#include <filesystem>

#include "lithe/base/diagnostics.h"
#include "lithe/base/write_error.h"
#include "lithe/export/mat_file.h"
#include "lithe/export/state_space_text.h"

namespace lithe {
namespace {

StateSpace oscillator() {
  StateSpace system;
  system.a = (MatrixX(2, 2) << 0, 1, -4, -0.1).finished();
  system.b = (MatrixX(2, 1) << 0, 1.0 / 3).finished();
  system.c = (MatrixX(1, 2) << 1, 0).finished();
  system.d = MatrixX::Zero(1, 1);
  system.states = {{"x", "m"}, {"rate of x", "m/s"}};
  system.inputs = {{"motor */ \"quoted\"", "N"}};
  system.outputs = {{"tip", "m"}};
  return system;
}

TEST(MatFile, GivesBackEveryBitOfAMatrix) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "lithe_mat_test.mat";
  const StateSpace system = oscillator();
  write_mat(path, {{"A", system.a},
                   {"B", system.b},
                   {"name", std::string("arm")},
                   {"inputs", std::vector<std::string>{"motor", "load"}}});
  EXPECT_EQ(read_mat_matrix(path, "A"), system.a);
  EXPECT_EQ(read_mat_matrix(path, "B"), system.b);
  EXPECT_THROW(read_mat_matrix(path, "nothing"), InputError);
  std::filesystem::remove(path);
  EXPECT_THROW(write_mat("/no/such/folder/x.mat", {}), WriteError);
}

TEST(CHeader, HoldsAllDigitsAndNoTextThatEndsItsComment) {
  const std::string text = c_header(oscillator(), "arm 2");
  EXPECT_NE(text.find("static const ARM_2_REAL arm_2_B[2][1]"), std::string::npos) << text;
  EXPECT_NE(text.find("0.33333333333333331"), std::string::npos);
  EXPECT_EQ(text.find("*/"), text.find("*/\n#ifndef"));
}

TEST(PythonModule, HoldsTheMatricesAndNames) {
  const std::string text = python_module(oscillator(), "arm \"\"\" 2");
  EXPECT_NE(text.find("B = _matrix([\n    [0],\n    [0.33333333333333331]\n], 2, 1)"), std::string::npos) << text;
  EXPECT_EQ(text.find("\"\"\"", 3), text.find("\"\"\"\ntry"));
}

}  // namespace
}  // namespace lithe
