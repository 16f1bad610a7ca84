// The page without data, made from viewer/ and embedded when the library is built (viewer/dist/page.html).
#pragma once

#include <string_view>

namespace lithe {

// HTML with the word `data_marker` where the data go.
std::string_view page_template();
inline constexpr std::string_view data_marker = "@LITHE_DATA@";

}  // namespace lithe
