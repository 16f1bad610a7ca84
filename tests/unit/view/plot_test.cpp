#include "lithe/view/plot.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lithe {
namespace {

TEST(PlotTicks, AreRoundAndInside) {
  EXPECT_EQ(plot_ticks(0, 1, 5).size(), 6U);
  for (const double tick : plot_ticks(-0.37, 12.3, 6)) {
    EXPECT_GE(tick, -0.37);
    EXPECT_LE(tick, 12.3);
    EXPECT_NEAR(std::remainder(tick, 2), 0, 1e-9);
  }
}

PlotCurve curve(const std::string& label, const std::string& unit, std::vector<double> y) {
  PlotCurve result{label, unit, {}, std::move(y)};
  for (std::size_t i = 0; i < result.y.size(); ++i) result.x.push_back(static_cast<double>(i));
  return result;
}

// Lines of a curve are wider than those of grid and frame.
std::vector<DrawnLine> curve_lines(const Drawing& drawing) {
  std::vector<DrawnLine> result;
  for (const DrawnLine& line : drawing.lines)
    if (line.width == 1.3) result.push_back(line);
  return result;
}

TEST(Plot, HigherValuesStandHigher) {
  const Drawing drawing = draw_plot({curve("a", "m", {0, 2, 1})}, {});
  const auto lines = curve_lines(drawing);
  ASSERT_EQ(lines.size(), 1U);
  ASSERT_EQ(lines[0].points.size(), 3U);
  EXPECT_LT(lines[0].points[1].y, lines[0].points[2].y);
  EXPECT_NEAR(lines[0].points[2].y, 0.5 * (lines[0].points[0].y + lines[0].points[1].y), 1e-9);
}

TEST(Plot, HasOnePanelPerUnit) {
  const Drawing one = draw_plot({curve("a", "m", {0, 1}), curve("b", "m", {1, 2})}, {});
  const Drawing two = draw_plot({curve("a", "m", {0, 1}), curve("b", "N", {1, 2})}, {});
  EXPECT_GT(two.height, 1.7 * one.height);
}

TEST(Plot, InterruptsACurveWhereItHasNoNumber) {
  EXPECT_EQ(curve_lines(draw_plot({curve("a", "m", {0, 1, NAN, 2, 3})}, {})).size(), 2U);
}

TEST(Plot, KeepsTheExtremesOfLongCurves) {
  std::vector<double> values(100000, 0.0);
  values[77777] = 1;
  const auto lines = curve_lines(draw_plot({curve("a", "m", values)}, {}));
  double highest = 1e300, lowest = -1e300;
  for (const DrawnPoint& p : lines[0].points) highest = std::min(highest, p.y), lowest = std::max(lowest, p.y);
  EXPECT_LT(lines[0].points.size(), 20000U);
  EXPECT_GT(lowest - highest, 150);
}

TEST(Plot, StaysInsideItsPictureWithAConstantAndWithNothing) {
  for (const std::vector<double>& values : {std::vector<double>{5, 5, 5}, std::vector<double>{NAN}}) {
    const Drawing drawing = draw_plot({curve("a", "m", values)}, {});
    for (const DrawnLine& line : drawing.lines)
      for (const DrawnPoint& p : line.points) {
        EXPECT_TRUE(p.x >= 0 && p.x <= drawing.width) << p.x;
        EXPECT_TRUE(p.y >= 0 && p.y <= drawing.height) << p.y;
      }
  }
}

TEST(DrawingSvg, ShowsNamesAsText) {
  const std::string svg = drawing_svg(draw_plot({curve("<script>&\"\xFF\x01", "m", {0, 1})}, {}));
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;&amp;&quot;??"), std::string::npos);
}

TEST(Plot, GivesVerySmallAndLargeValuesAPrefix) {
  const auto words = [](const std::string& unit, double largest) {
    std::string all;
    for (const DrawnText& text : draw_plot({curve("a", unit, {0, largest})}, {}).texts) all += text.text + "|";
    return all;
  };
  EXPECT_NE(words("m", 4e-4).find("|400|"), std::string::npos);
  EXPECT_NE(words("m", 4e-4).find("|µm|"), std::string::npos);
  EXPECT_NE(words("Pa", 2.5e6).find("|MPa|"), std::string::npos);
  EXPECT_NE(words("m", 0.25).find("|m|"), std::string::npos);
  EXPECT_NE(words("m/s^2", 5e-3).find("|mm/s²|"), std::string::npos);
  EXPECT_NE(words("Hz", 4e-4).find("|Hz|"), std::string::npos);
}

}  // namespace
}  // namespace lithe
