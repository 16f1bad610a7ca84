// Quantities over a grid as one SVG picture: a panel per quantity, a map over two axes or a line over one.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lithe {

struct MapAxis {
  std::string title;
  std::vector<double> values;
};

struct MapPanel {
  std::string title;
  // Value at a place of the first and the second axis (0 where there is none); NaN where there is none.
  std::function<double(std::size_t first, std::size_t second)> value;
};

// Two axes: the first to the right, the second upwards. Grids finer than the panel are thinned out.
std::string map_picture(const std::vector<MapAxis>& axes, const std::vector<MapPanel>& panels,
                        const std::string& title);

}  // namespace lithe
