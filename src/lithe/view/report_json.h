// A report as the JSON text that the page reads.
#pragma once

#include <string>

#include "lithe/view/report.h"

namespace lithe {

// Long columns are thinned out for display: at most so many points per column and numbers in all.
inline constexpr std::size_t max_display_points = 20000;
inline constexpr std::size_t max_display_numbers = 1200000;

// Safe inside <script type="application/json">: '<', '>' and '&' are escaped. Arrays of numbers are little-endian
// floats in base64.
std::string report_json(const Report& report);

// Time and value of what is drawn of a long column: least and most of every interval, in the order they occur.
struct DisplayColumn {
  std::vector<double> times, values;
};
DisplayColumn display_column(const std::vector<double>& times, const std::vector<double>& values,
                             std::size_t max_points);

}  // namespace lithe
