// Linear models on a page.
#pragma once

#include <string>

#include "lithe/analyse/analyses.h"
#include "lithe/view/report.h"

namespace lithe {

// Poles, Campbell diagram, frequency response and modes, added to a page.
void add_linear(const LineariseResult& result, const LineariseSpec& spec, Report& report);
// The unit of a ratio: "m/N", "m/s^2/(N m)".
std::string quotient(const std::string& above, const std::string& below);

}  // namespace lithe
