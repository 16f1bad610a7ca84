// lithe_reduce_mpi: what `mpirun -n N lithe reduce ...` runs.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "app/distributed/reduce_command.h"
#include "lithe/reduce/distributed/distributed_modes.h"

namespace lithe::app {
namespace {

// What all processes would print is printed by the first.
void silence() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

// Processes share the processors already: OpenBLAS's threads would only wait for each other.
void one_thread_each() {
  for (const char* const name : {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"})
    if (std::getenv(name) != nullptr) return;
  const auto set_number = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set_number != nullptr) set_number(1);
}

}  // namespace
}  // namespace lithe::app

int main(int argc, char** argv) {
  const lithe::Ranks ranks;
  const lithe::DistributedSolvers solvers;
  const int errors = dup(STDERR_FILENO);
  if (!ranks.is_first()) lithe::app::silence();
  setenv("NO_COLOR", "1", 1);  // the terminal that mpirun gives to processes is not that of the user
  if (ranks.size() > 1) lithe::app::one_thread_each();
  const lithe::app::CommandRegistration registration(lithe::app::reduce_command(ranks, errors));
  return lithe::app::run_command_line(argc, argv);
}
