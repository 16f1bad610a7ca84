// Ctrl-C as a flag, so that a long run can stop in order and keep what it has.
#pragma once

#include <atomic>

namespace lithe::app {

// While one of these lives, the first Ctrl-C sets the flag; a second one ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

bool interrupted();
// The same for analyses that take a flag to stop by.
const std::atomic<bool>& interrupt_flag();

}  // namespace lithe::app
