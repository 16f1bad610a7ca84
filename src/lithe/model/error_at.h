#pragma once

#include "lithe/base/diagnostics.h"
#include "lithe/model/model.h"

namespace lithe {

// An error found after reading, at the place where the model file gave the thing.
inline Diagnostic error_at(const SourcePlace& place, std::string message) {
  return {.file = place.file, .line = place.line, .column = place.column, .path = {}, .message = std::move(message)};
}

}  // namespace lithe
