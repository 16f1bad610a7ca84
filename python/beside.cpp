#include "beside.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace lithe::python {
namespace {

std::atomic<int> num_left_alone = 0;

// With the status that the process was to end with.
void end_at_once(int status, void*) {
  if (num_left_alone == 0) return;
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

LeftAlone::LeftAlone() {
  [[maybe_unused]] static const int registered = on_exit(end_at_once, nullptr);
  ++num_left_alone;
}

LeftAlone::~LeftAlone() { --num_left_alone; }

}  // namespace lithe::python
