#pragma once

#include <string>

#include "lithe/base/diagnostics.h"

namespace lithe {

// An error in one key of [links.reduction], as its path; reduce() gives it the link's place.
inline Diagnostic error_of_key(std::string key, std::string message) {
  return {.file = {}, .line = 0, .column = 0, .path = std::move(key), .message = std::move(message)};
}

}  // namespace lithe
