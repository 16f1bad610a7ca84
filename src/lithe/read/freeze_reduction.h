// A model file with numbers of modes written into it, in place of `reduction = "auto"`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lithe {

// A link and its number of fixed-interface modes.
struct FrozenLink {
  int link = 0;      // index in Model::links
  std::string name;  // there
  int num_modes = 0;
  bool all = false;  // as reduction = "none"
};

// All else stays as it is written. Throws InputError where the text
// is no model file, or a link is not written in it.
std::string with_internal_modes(std::string_view text, const std::string& file_name,
                                const std::vector<FrozenLink>& frozen);

}  // namespace lithe
