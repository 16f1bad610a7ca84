// Why a command has no result although what it was asked for is valid.
#pragma once

#include <stdexcept>

namespace lithe::app {

// Ends a command with this sentence and exit_failed.
class ComputationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lithe::app
