#include "app/terminal/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace lithe::app {
namespace {

std::atomic<bool> flag = false;
std::atomic<int> caught = SIGINT, num_guards = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may touch them");

void on_signal(int number) {
  if (num_guards == 0 || flag) _exit(128 + number);
  caught = number;
  flag = true;
}

}  // namespace

void handle_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
  }
}

InterruptGuard::InterruptGuard() { ++num_guards; }
InterruptGuard::~InterruptGuard() { --num_guards; }

bool interrupted() { return flag; }
int interrupt_exit_code() { return 128 + caught; }
void forget_interrupt() { flag = false; }
const std::atomic<bool>& interrupt_flag() { return flag; }

}  // namespace lithe::app
