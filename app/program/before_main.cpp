#include "app/program/before_main.h"

#include <sched.h>

namespace lithe::app {
namespace {

cpu_set_t all_processors;
bool is_narrowed = false;

// Runs before the constructors of all libraries, so that it calls nothing but the system.
__attribute__((no_sanitize("address", "thread", "undefined"))) void see_one_processor(int, char**, char**) {
  if (sched_getaffinity(0, sizeof all_processors, &all_processors) != 0) return;
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &all_processors)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(i, &one);
    is_narrowed = sched_setaffinity(0, sizeof one, &one) == 0;
    return;
  }
}

using Beginning = void (*)(int, char**, char**);
__attribute__((section(".preinit_array"), used)) const Beginning beginning = see_one_processor;

}  // namespace

void see_all_processors() {
  if (is_narrowed) sched_setaffinity(0, sizeof all_processors, &all_processors);
}

}  // namespace lithe::app
