#include "lithe/view/mode_picture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lithe/formulate/formulation.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using namespace testing;

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string picture(const Model& model, const std::string& title) {
  const auto equations = make_equations(model);
  return mode_picture(mechanism_modes(*equations, equations->initial_state()).modes, wires(model), title);
}

TEST(ModePicture, HasOnePanelPerModeWithEveryElementInEveryCurve) {
  const Model model = spatial_2r();
  const std::string svg = picture(model, "arm");
  EXPECT_EQ(occurrences(svg, "class=\"shape\""), 6);
  EXPECT_EQ(occurrences(svg, "class=\"rest\""), 6);
  const int elements = static_cast<int>(wires(model).size());
  EXPECT_EQ(elements, 6);  // three segments of two elements
  EXPECT_EQ(occurrences(svg, "C"), 6 * 3 * elements);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(ModePicture, ShowsNamesAsTextOnly) {
  const std::string svg = picture(l_shape(), "<script>alert(\"x\")</script> & co");
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
}

TEST(ModePicture, DrawsRigidLinksFromTheirFirstNode) {
  const Model model = four_bar(0.5, 0.15, 0.45, 0.35, 1.0);
  EXPECT_EQ(wires(model).size(), 3u);
}

}  // namespace
}  // namespace lithe
