// Damaged model files must be refused with InputError or be read; nothing else may happen.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "lithe/base/diagnostics.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

std::vector<std::string> valid_files() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(LITHE_MODELS_DIR)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const std::filesystem::path& path : paths) {
    std::ifstream stream(path);
    std::ostringstream text;
    text << stream.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// Words that belong to the format, so that mutations also reach beyond the TOML parser.
const std::vector<std::string> words = {"nan",
                                        "-inf",
                                        "1e308",
                                        "-1",
                                        "0",
                                        "1e9",
                                        "true",
                                        "[]",
                                        "{}",
                                        "\"\"",
                                        "[1, 2]",
                                        "\"8 kg\"",
                                        "\"ground\"",
                                        "\"rigid\"",
                                        "\"free\"",
                                        "\"universal\"",
                                        "[[links]]",
                                        "[dh]",
                                        "[[dh.rows]]",
                                        "\n",
                                        "=",
                                        "\"",
                                        "[0, 0, 0]",
                                        "{steps = [[0, 1]]}",
                                        "{table = \"x.csv\"}",
                                        "{table = \"/\"}",
                                        "\"1e999 m\"",
                                        "\"5 m^99\"",
                                        "1979-05-27",
                                        "\"\\u0000\"",
                                        "[[[[",
                                        "\"general\"",
                                        "\"i\"",
                                        "\xff\xfe"};

std::string damaged(std::string text, Random& random) {
  const std::size_t edits = 1 + below(random, 4);
  for (std::size_t i = 0; i < edits && !text.empty(); ++i) {
    const std::size_t at = below(random, text.size());
    const std::size_t length = 1 + below(random, 30);
    switch (below(random, 6)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, words[below(random, words.size())]);
        break;
      case 3:
        text.insert(at, text.substr(below(random, text.size()), length));
        break;
      case 4: {  // a value replaced by another
        const std::size_t equals = text.find("= ", at);
        if (equals == std::string::npos) break;
        const std::size_t end = std::min(text.find('\n', equals), text.size());
        text.replace(equals + 2, end - equals - 2, words[below(random, words.size())]);
        break;
      }
      default: {  // a line lost
        const std::size_t start = text.rfind('\n', at);
        if (start == std::string::npos) break;
        text.erase(start, std::min(text.find('\n', start + 1), text.size()) - start);
      }
    }
  }
  return text;
}

TEST(DamagedModelFile, IsReadOrRefusedWithInputError) {
  const std::vector<std::string> files = valid_files();
  ASSERT_FALSE(files.empty());
  Random random(20170101);
  constexpr int num_cases = 4000;
  int refused = 0;
  for (int i = 0; i < num_cases; ++i) {
    const std::string text = damaged(files[below(random, files.size())], random);
    try {
      read_model_text(text, "damaged.toml");
    } catch (const InputError& error) {
      ++refused;
      EXPECT_FALSE(error.errors().empty());
    } catch (const std::exception& other) {
      ADD_FAILURE() << "case " << i << ": " << other.what() << "\n" << text;
    }
  }
  // Mutations that never break or always break a file would test nothing.
  EXPECT_GT(refused, num_cases / 2);
  EXPECT_LT(refused, num_cases);
}

TEST(DamagedModelFile, CutAnywhereIsReadOrRefused) {
  const std::vector<std::string> files = valid_files();
  for (const std::string& file : files) {
    for (std::size_t length = 0; length < file.size(); length += 23) {
      try {
        read_model_text(file.substr(0, length), "cut.toml");
      } catch (const InputError&) {
      }
    }
  }
}

TEST(DamagedModelFile, RandomBytesAreRefused) {
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    std::string text(below(random, 300), ' ');
    for (char& letter : text) letter = static_cast<char>(random());
    EXPECT_THROW(read_model_text(text, "noise.toml"), InputError);
  }
}

std::string chain_of_links(int count) {
  std::ostringstream text;
  text << "lithe = 1\n";
  for (int i = 0; i < count; ++i) {
    text << "[[links]]\nname = \"l" << i << "\"\ntype = \"rigid\"\nnodes = {a = [0, 0, 0], b = [0.1, 0, 0]}\nmass = 1\n"
         << "inertia = [1, 1, 1]\n[[joints]]\nname = \"j" << i << "\"\nchild = \"l" << i << "\"\nchild_node = \"a\"\n";
    if (i > 0) text << "parent = \"l" << i - 1 << "\"\nparent_node = \"b\"\n";
  }
  return text.str();
}

TEST(LargeModelFile, ThousandLinksAreRead) {
  const Model model = read_model_text(chain_of_links(1000), "chain.toml");
  EXPECT_EQ(model.links.size(), 1000u);
  EXPECT_EQ(model.joints[999].parent, 998);
}

TEST(LargeModelFile, CountlessErrorsAreListedOnlyToALimit) {
  std::string text = "lithe = 1\n[materials.steel]\n";
  for (int i = 0; i < 20000; ++i) text += "key" + std::to_string(i) + " = 1\n";
  try {
    read_model_text(text, "errors.toml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_LE(error.errors().size(), 201u);
    EXPECT_NE(std::string(error.what()).find("too many errors"), std::string::npos);
  }
}

TEST(LargeModelFile, DeepNestingIsRefused) {
  const std::string keys = [] {
    std::string text = "a";
    for (int i = 0; i < 100000; ++i) text += ".a";
    return text;
  }();
  EXPECT_THROW(read_model_text(keys + " = 1", "deep.toml"), InputError);
  EXPECT_THROW(read_model_text("[" + keys + "]", "deep.toml"), InputError);
  EXPECT_THROW(read_model_text("x = " + std::string(100000, '['), "deep.toml"), InputError);
  std::string tables = "x = ";
  for (int i = 0; i < 100000; ++i) tables += "{a = ";
  EXPECT_THROW(read_model_text(tables, "deep.toml"), InputError);
}

TEST(LargeModelFile, VeryLongNamesAreRefusedWithAShortMessage) {
  const std::string name(1000000, 'x');
  try {
    read_model_text("lithe = 1\nname = [\"" + name + "\"]\n[[links]]\nname = \"a\"", "long.toml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_LT(std::string(error.what()).size(), 1000u);
  }
}

}  // namespace
}  // namespace lithe
