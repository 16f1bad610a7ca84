// Every broken model file in this folder, against the whole text of its messages in the .expected file beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lithe/base/diagnostics.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

const std::filesystem::path folder = LITHE_TESTS_DIR "/bad_input";

std::vector<std::string> broken_models() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Messages name files by the path they were opened with; the expected ones by their name alone.
std::string without_folder(std::string text) {
  const std::string prefix = folder.string() + "/";
  for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
  return text;
}

class BrokenModel : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenModel, IsExplained) {
  try {
    read_model(folder / (GetParam() + ".toml"));
    FAIL() << "the file was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(without_folder(error.what()) + "\n", file_text(folder / (GetParam() + ".expected")));
    for (const Diagnostic& entry : error.errors()) EXPECT_FALSE(entry.file.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(BadInput, BrokenModel, ::testing::ValuesIn(broken_models()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace lithe
