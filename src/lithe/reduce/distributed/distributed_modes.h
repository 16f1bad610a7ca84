// Natural modes of a distributed system.
#pragma once

#include "lithe/reduce/distributed/distributed_system.h"

namespace lithe {

// Begins and ends SLEPc and PETSc: one object, in main(), after Ranks.
class DistributedSolvers {
 public:
  DistributedSolvers();
  ~DistributedSolvers();
  DistributedSolvers(const DistributedSolvers&) = delete;
  DistributedSolvers& operator=(const DistributedSolvers&) = delete;
};

// The lowest modes of K_II φ = ω² M_II φ by shift-invert Krylov-Schur iteration with the factor that the system has.
// Mass-orthonormal; rows of this process.
struct DistributedModes {
  VectorX squared_frequencies;
  MatrixX shapes;
};
DistributedModes lowest_modes(const DistributedSystem& system, int count);

}  // namespace lithe
