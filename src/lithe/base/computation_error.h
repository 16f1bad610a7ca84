// A computation that found no result although what it was asked for is valid.
#pragma once

#include "lithe/base/diagnostics.h"

namespace lithe {

// Ends a command with exit code 1 instead of 2. Who passes over candidates that are no input (points of a sweep, trial
// values of a fit) catches it with the others.
class ComputationError : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace lithe
