#include "app/interrupt.h"

#include <csignal>

namespace lithe::app {
namespace {

std::atomic<bool> flag = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch it");

void on_interrupt(int) {
  flag = true;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  flag = false;
  std::signal(SIGINT, on_interrupt);
}

InterruptGuard::~InterruptGuard() { std::signal(SIGINT, SIG_DFL); }

bool interrupted() { return flag; }
const std::atomic<bool>& interrupt_flag() { return flag; }

}  // namespace lithe::app
