#include "app/program/before_main.h"
#include "app/program/command.h"
#include "app/program/parallel_start.h"
#include "app/reproduce/papers/published_planar.h"
#include "lithe/reduce/solvers/eigensolver_spectra.h"
#include "lithe/reduce/solvers/sparse_factor_mumps.h"
#include "lithe/results/recording/reduction_cache.h"

int main(int argc, char** argv) {
  lithe::app::see_all_processors();
  lithe::app::become_parallel_program(argc, argv);
  lithe::use_spectra();  // for bodies too large for a dense eigenproblem
  lithe::use_mumps();    // and for the factors of their matrices
  lithe::use_reduction_cache();
  lithe::add_published_planar();  // a formulation outside of the engine
  return lithe::app::run_command_line(argc, argv);
}
