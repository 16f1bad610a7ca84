// Numbers of a model file by their path, "materials.steel.young_modulus", "links[0].masses[1].mass",
// "links.arm.nodes.tip[2]": keys, places in arrays from 0, names of array items (of those without
// one their joint or node); names with dots or brackets in quotes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lithe/read/tables/document.h"

namespace lithe {

// A number, or a text that holds a quantity ("70 GPa"). Throws InputError where there is none.
Value& number_at(Value& document, const std::string& path);
// Of such a value, SI.
double number_of(const Value& value);

// The text of a file with other numbers (SI), each in the unit that it has there; comments and layout stay. Throws
// InputError where a path leads to no number.
std::string with_numbers(const std::string& text, const std::string& file_name,
                         const std::vector<std::pair<std::string, double>>& numbers);

}  // namespace lithe
