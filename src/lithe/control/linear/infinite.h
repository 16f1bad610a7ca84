#pragma once

#include <limits>

namespace lithe {

inline constexpr double infinite = std::numeric_limits<double>::infinity();  // no limit, no weight, no bound

}  // namespace lithe
