#include <gtest/gtest.h>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/coordinate_choice.h"
#include "lithe/read/freeze_reduction.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

// Three links, the second with what is written here.
std::string file_with(const std::string& line, const std::string& table = "") {
  const auto link = [](const char* name, const std::string& more) {
    return cat("[[links]]\nname = \"", name, "\"\nnodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}\n",
               "path = [\"root\", \"tip\"]\nmaterial = \"steel\"\nsection = \"bar\"\n", more);
  };
  return cat("lithe = 1\n[materials.steel]\ndensity = 7800\nyoung_modulus = \"200 GPa\"\npoisson_ratio = 0.3\n",
             "[sections.bar]\nshape = \"circle\"\nradius = 0.01\n", link("a", "reduction = \"auto\"\n"),
             link("b", line + table), link("c", "reduction = \"none\"\n"),
             "[[joints]]\nname = \"j\"\nchild = \"a\"\nchild_node = \"root\"\n",
             "[[joints]]\nname = \"k\"\nparent = \"a\"\nparent_node = \"tip\"\nchild = \"b\"\nchild_node = \"root\"\n",
             "[[joints]]\nname = \"l\"\nparent = \"b\"\nparent_node = \"tip\"\nchild = \"c\"\nchild_node = \"root\"\n");
}

std::vector<int> automatic_links(const std::string& text) {
  std::vector<int> links;
  const Model model = read_model_text(text, "m.toml");
  for (const AutomaticReduction& automatic : automatic_reductions(model)) links.push_back(automatic.link);
  return links;
}

TEST(ReadReduction, IsAutomaticWhereTheFileSaysSo) {
  EXPECT_EQ(automatic_links(file_with("")), (std::vector<int>{0}));
  EXPECT_EQ(automatic_links(file_with("reduction = \"auto\"\n")), (std::vector<int>{0, 1}));
  EXPECT_EQ(automatic_links(file_with("reduction = {method = \"auto\"}\n")), (std::vector<int>{0, 1}));
  EXPECT_EQ(automatic_links(file_with("reduction = \"none\"\n")), (std::vector<int>{0}));
  EXPECT_EQ(automatic_links(file_with("reduction = {internal_modes = 2}\n")), (std::vector<int>{0}));
  EXPECT_EQ(automatic_links(file_with("reduction = {method = \"craig_bampton\"}\n")), (std::vector<int>{0}));
  const Model model = read_model_text(file_with("reduction = {tolerance = 1e-5}\n"), "m.toml");
  ASSERT_EQ(automatic_reductions(model).size(), 2u);
  EXPECT_EQ(automatic_reductions(model)[0].tolerance, 1e-3);
  EXPECT_EQ(automatic_reductions(model)[1].tolerance, 1e-5);
  EXPECT_FALSE(model.links[1].reduction.num_internal_modes);  // until an analysis chooses
}

std::string error_of(const std::string& line) {
  try {
    read_model_text(file_with(line), "m.toml");
  } catch (const InputError& error) {
    return error.errors().front().message;
  }
  return "";
}

TEST(ReadReduction, RefusesWhatDoesNotGoTogether) {
  EXPECT_NE(error_of("reduction = \"some\"\n").find("must be 'auto', 'none' or a table, got 'some'"),
            std::string::npos);
  EXPECT_NE(
      error_of("reduction = {method = \"auto\", internal_modes = 3}\n").find("'internal_modes' is not for method"),
      std::string::npos);
  EXPECT_NE(error_of("reduction = {internal_modes = 3, tolerance = 1e-4}\n").find("'tolerance' is for method auto"),
            std::string::npos);
  EXPECT_NE(error_of("reduction = {tolerance = 0}\n"), "");
}

TEST(FreezeReduction, WritesNumbersWhateverStoodThere) {
  for (const std::string& written :
       {std::string(), std::string("reduction = \"auto\" # as it comes\n"), std::string("reduction = 'auto'\n"),
        std::string("reduction = {tolerance = 1e-4}\n"), std::string("reduction.tolerance = 1e-4\n"),
        std::string("[links.reduction]\nmethod = \"auto\"\ntolerance = 1e-4\n"), std::string("[links.reduction]\n"),
        std::string("\"reduction\".tolerance = 1e-4\n'reduction'.\"method\" = 'auto'\n"),
        std::string("reduction = \"\"\"auto\"\"\"\n"), std::string("reduction = '''auto'''\n")}) {
    const std::string text = with_internal_modes(file_with(written), "m.toml", {{0, "a", 3}, {1, "b", 5}});
    const Model model = read_model_text(text, "m.toml");
    EXPECT_TRUE(automatic_reductions(model).empty()) << text;
    EXPECT_EQ(model.links[0].reduction.num_internal_modes, 3) << text;
    EXPECT_EQ(model.links[1].reduction.num_internal_modes, 5) << text;
    EXPECT_EQ(model.links[1].reduction.method, ReductionMethod::craig_bampton) << text;
    EXPECT_FALSE(model.links[2].reduction.num_internal_modes) << text;
    if (written.find("as it comes") != std::string::npos) {
      EXPECT_NE(text.find("{internal_modes = 5} # as it comes"), std::string::npos) << text;
    }
  }
}

TEST(FreezeReduction, KeepsAllModesAsNone) {
  for (const char* written : {"reduction = \"auto\"\n", "[links.reduction]\nmethod = \"auto\"\n"}) {
    const std::string text = with_internal_modes(file_with(written), "m.toml", {{0, "a", 3}, {1, "b", 18, true}});
    const Model model = read_model_text(text, "m.toml");
    EXPECT_TRUE(automatic_reductions(model).empty()) << text;
    EXPECT_EQ(model.links[1].reduction.method, ReductionMethod::none) << text;
  }
}

TEST(FreezeReduction, KnowsInlineTablesAndRowsOfChains) {
  const std::string inline_links = R"(lithe = 1
links = [{name = "ä arm", nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}, path = ["root", "tip"], material = "steel", section = "bar"}]
joints = [{name = "j", child = "ä arm", child_node = "root"}]
materials.steel = {density = 7800, young_modulus = "200 GPa", poisson_ratio = 0.3}
sections.bar = {shape = "circle", radius = 0.01}
)";
  const Model model = read_model_text(with_internal_modes(inline_links, "m.toml", {{0, "ä arm", 2}}), "m.toml");
  EXPECT_EQ(model.links[0].reduction.num_internal_modes, 2);
  const std::string chain = R"(lithe = 1
[materials.steel]
density = 7800
young_modulus = "200 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "circle"
radius = 0.01
[[dh.rows]]
name = "arm"
a = 0.3
material = "steel"
section = "bar"
)";
  const Model arm = read_model_text(with_internal_modes(chain, "m.toml", {{0, "arm", 4}}), "m.toml");
  EXPECT_EQ(arm.links[0].reduction.num_internal_modes, 4);
}

TEST(FreezeReduction, RefusesFormsThatItCannotChange) {
  const std::string dotted_inside = R"(lithe = 1
links = [{name = "arm", reduction.method = "auto", nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}, path = ["root", "tip"]}]
)";
  EXPECT_THROW(with_internal_modes(dotted_inside, "m.toml", {{0, "arm", 2}}), InputError);
}

TEST(FreezeReduction, FindsLinksOfRobotsByName) {
  const std::string robot = "lithe = 1\n[robot]\nfile = \"arm.urdf\"\n[links.upper]\nreduction = \"auto\"\n";
  EXPECT_NE(with_internal_modes(robot, "m.toml", {{4, "upper", 6}}).find("reduction = {internal_modes = 6}"),
            std::string::npos);
  EXPECT_THROW(with_internal_modes(robot, "m.toml", {{4, "lower", 6}}), InputError);
}

}  // namespace
}  // namespace lithe
