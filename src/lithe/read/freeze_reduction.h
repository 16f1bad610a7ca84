// A model file with numbers of modes written into it, in place of `reduction = "auto"`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lithe {

// `internal_modes`: (index of the link, its number). All else stays as it is written. Throws InputError where the text
// is no model file.
std::string with_internal_modes(std::string_view text, const std::string& file_name,
                                const std::vector<std::pair<int, int>>& internal_modes);

}  // namespace lithe
