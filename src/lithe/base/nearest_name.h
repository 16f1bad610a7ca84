// "Did you mean ...": the known name nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lithe {

// Insertions, deletions, substitutions and swaps of neighbours that lead from one text to the other.
int edit_distance(std::string_view from, std::string_view to);

// The nearest of `known`, or empty when none is near (more than a third of the letters differ).
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace lithe
