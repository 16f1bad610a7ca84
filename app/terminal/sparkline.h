// Curves in one line of text.
#pragma once

#include <string>
#include <vector>

namespace lithe::app {

// So many characters from ▁ (least) to █ (most), each the mean of its share of the values; ' ' where these are not
// finite. A constant shows as a low line.
std::string sparkline(const std::vector<double>& values, int width);

// A bar of up to `width` characters, to an eighth of one; `share` from 0 to 1.
std::string bar(double share, int width);

}  // namespace lithe::app
