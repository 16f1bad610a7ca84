// Ctrl-C, SIGTERM and SIGHUP as a flag, so that a long run can stop in order and keep what it has.
#pragma once

#include <atomic>

namespace lithe::app {

// Once, before a command runs. Without a guard, a signal ends the program at once with exit code 128 + its number.
// Signals that the caller ignores (nohup) stay ignored.
void handle_signals();

// While one of these lives, the first signal sets the flag; a second one ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

// The flag stays set: what comes after an interrupted part is not begun.
bool interrupted();
// 128 + the number of the signal: 130 after Ctrl-C.
int interrupt_exit_code();
// For a command that Ctrl-C ends in the regular way.
void forget_interrupt();
// The same for analyses that take a flag to stop by.
const std::atomic<bool>& interrupt_flag();

}  // namespace lithe::app
