#include <sys/resource.h>

#include "lithe/reduce/distributed/distributed_reduction.h"

namespace lithe {

double peak_memory() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  constexpr double unit = 1024;  // bytes, on Linux
  return unit * static_cast<double>(use.ru_maxrss);
}

}  // namespace lithe
