#include "app/program/parallel_start.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "app/program/command.h"

namespace lithe::app {
namespace {

// The place of this process among those of its start: Open MPI, MPICH and srun --mpi=pmi2, srun --mpi=pmix.
const char* rank_in_start() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const char* const rank = std::getenv(name)) return rank;
  return nullptr;
}

}  // namespace

void become_parallel_program(int argc, char** argv) {
  const char* const rank = rank_in_start();
  if (rank == nullptr || argc < 2 || std::string_view(argv[1]) != "reduce") return;
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string program = (self.parent_path() / "lithe_reduce_mpi").string();
  execv(program.c_str(), argv);
  if (std::string_view(rank) == "0")
    std::cerr << "lithe: error: reduction by several processes is not part of this program: '" << program
              << "' is missing. Build with -DLITHE_MPI=ON (docs/howto/cluster.md), or start without mpirun.\n";
  std::_Exit(exit_bad_input);
}

}  // namespace lithe::app
