// Every process runs all tests; the first one reports, and a failure of any is one of the program.
#include <gtest/gtest.h>

#include "lithe/reduce/distributed/distributed_modes.h"
#include "mpi/run_mpi.h"

namespace {
const lithe::Ranks* ranks_of_run = nullptr;
}

const lithe::Ranks& all_ranks() { return *ranks_of_run; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const lithe::Ranks ranks;
  const lithe::DistributedSolvers solvers;
  ranks_of_run = &ranks;
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (!ranks.is_first()) delete listeners.Release(listeners.default_result_printer());
  const int failed = RUN_ALL_TESTS();
  double any = 0;
  for (const double one : ranks.all(failed)) any += one;
  return any > 0 ? 1 : 0;
}
