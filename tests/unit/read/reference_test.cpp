#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "lithe/read/read_model.h"

namespace lithe {
namespace {

// A failing run leaves the new page beside the test program's working directory: copy it to docs/model_file.md.
TEST(ModelFileReference, PageInTheDocumentationIsUpToDate) {
  std::ifstream stream(LITHE_TESTS_DIR "/../docs/model_file.md");
  std::ostringstream committed;
  committed << stream.rdbuf();
  const std::string page = model_file_reference();
  if (committed.str() != page) std::ofstream("model_file.md") << page;
  EXPECT_EQ(committed.str(), page);
}

std::string source_text(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

int num_matches(const std::string& text, const std::regex& pattern) {
  return static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), pattern), {}));
}

// Every table that the schema declares, by the headings in its sources.
TEST(ModelFileReference, PageHasASectionForEveryTableOfTheSchema) {
  const std::filesystem::path folder = LITHE_TESTS_DIR "/../src/lithe/read/schema";
  const std::string page = model_file_reference();
  const std::regex heading("\"(\\[+[a-zA-Z_.]+\\]+[^\"]*)\",\\s+\"");
  int num_headings = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("schema") || entry.path().extension() != ".cpp") continue;
    const std::string source = source_text(entry.path());
    for (std::sregex_iterator found(source.begin(), source.end(), heading), end; found != end; ++found, ++num_headings)
      EXPECT_NE(page.find("\n## " + (*found)[1].str() + "\n"), std::string::npos) << (*found)[1].str();
  }
  EXPECT_GT(num_headings, 20);
  const int num_tables = num_matches(source_text(folder / "schema.h"), std::regex("\nconst TableSpec& "));
  EXPECT_EQ(num_matches(page, std::regex("\n## ")), num_tables);
}

// The example on the page must be a model.
TEST(ModelFileReference, ExampleOnThePageIsAValidModel) {
  const std::string page = model_file_reference();
  const std::size_t start = page.find("```toml\n") + 8;
  const std::string example = page.substr(start, page.find("```", start) - start);
  EXPECT_EQ(read_model_text(example, "example.toml").links.size(), 1u);
}

}  // namespace
}  // namespace lithe
