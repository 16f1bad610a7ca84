#include "lithe/view/map_picture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lithe {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(MapPicture, ShowsCellsInColourAndMissingOnesInGrey) {
  const std::vector<MapAxis> axes{{"x <m>", {0, 1, 2}}, {"y", {0, 1}}};
  const MapPanel panel{"f & g",
                       [](std::size_t i, std::size_t j) { return i == 1 && j == 1 ? std::nan("") : 10.0 * i + j; }};
  const std::string svg = map_picture(axes, {panel}, "title");
  EXPECT_EQ(count(svg, "#e9ecef"), 1u);
  EXPECT_NE(svg.find("#30125c"), std::string::npos);  // the lowest value
  EXPECT_NE(svg.find("#fde725"), std::string::npos);  // the highest
  EXPECT_NE(svg.find("x &lt;m&gt;"), std::string::npos);
  EXPECT_NE(svg.find("f &amp; g"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(MapPicture, StaysSmallForFineGrids) {
  std::vector<double> values(2000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const MapPanel panel{"f", [](std::size_t i, std::size_t j) { return std::sin(0.01 * static_cast<double>(i * j)); }};
  EXPECT_LT(map_picture({{"x", values}, {"y", values}}, {panel}, "title").size(), 4000000u);
}

TEST(MapPicture, OfOneAxisIsALineWithGaps) {
  const MapPanel panel{"f", [](std::size_t i, std::size_t) { return i == 2 ? std::nan("") : static_cast<double>(i); }};
  const std::string svg = map_picture({{"x", {0, 1, 2, 3, 4}}}, {panel}, "title");
  const std::string path = svg.substr(svg.find("<path d=\""), 120);
  EXPECT_EQ(count(path.substr(0, path.find("fill")), "M"), 2u);
}

}  // namespace
}  // namespace lithe
