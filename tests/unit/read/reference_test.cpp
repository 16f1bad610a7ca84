#include <gtest/gtest.h>

#include <fstream>
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

// The example on the page must be a model.
TEST(ModelFileReference, ExampleOnThePageIsAValidModel) {
  const std::string page = model_file_reference();
  const std::size_t start = page.find("```toml\n") + 8;
  const std::string example = page.substr(start, page.find("```", start) - start);
  EXPECT_EQ(read_model_text(example, "example.toml").links.size(), 1u);
}

}  // namespace
}  // namespace lithe
