// The disk did not take what was to be written: no fault of the input, so that commands end with exit code 1.
#pragma once

#include <stdexcept>

namespace lithe {

class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lithe
