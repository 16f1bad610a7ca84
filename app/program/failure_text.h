// What a failure says, for a line that begins with "error:" already.
#pragma once

#include <exception>
#include <string>

namespace lithe::app {

inline std::string failure_text(const std::exception& failure) {
  const std::string text = failure.what(), label = "error: ";  // of an InputError without a place in a file
  return text.starts_with(label) ? text.substr(label.size()) : text;
}

}  // namespace lithe::app
