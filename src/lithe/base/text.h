// Messages without a formatting library: the core depends on Eigen alone.
#pragma once

#include <sstream>
#include <string>

namespace lithe {

// cat("link '", name, "' has ", n, " nodes")
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  out.precision(10);
  (out << ... << parts);
  return out.str();
}

}  // namespace lithe
