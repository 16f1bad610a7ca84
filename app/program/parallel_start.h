// Commands that many processes share, when mpirun or srun started them.
#pragma once

namespace lithe::app {

// `mpirun -n N lithe reduce ...`: this process becomes lithe_reduce_mpi, which lies beside this program and links MPI;
// `lithe` itself does not. Returns where there is nothing to do. Ends with exit code 2 where several processes would
// each do the same, because that program was not built (LITHE_MPI).
void become_parallel_program(int argc, char** argv);

}  // namespace lithe::app
