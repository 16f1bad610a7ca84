#include <slepceps.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "lithe/base/text.h"
#include "lithe/reduce/distributed/distributed_modes.h"

namespace lithe {
namespace {

void demand(PetscErrorCode code) { demand_petsc(code); }

struct Pair {
  double value = 0;
  VectorX shape;  // own rows
};

// Shapes as vectors of PETSc's.
struct Vectors {
  std::vector<Vec> all;
  Vectors(Mat matrix, const std::vector<Pair>& pairs) {
    for (const Pair& pair : pairs) {
      all.push_back(nullptr);
      demand(MatCreateVecs(matrix, nullptr, &all.back()));
      PetscScalar* own = nullptr;
      demand(VecGetArrayWrite(all.back(), &own));
      std::copy_n(pair.shape.data(), pair.shape.size(), own);
      demand(VecRestoreArrayWrite(all.back(), &own));
    }
  }
  ~Vectors() {
    for (Vec& vec : all) VecDestroy(&vec);
  }
  Vectors(const Vectors&) = delete;
  Vectors& operator=(const Vectors&) = delete;
};

struct Solver {
  EPS eps = nullptr;
  Solver() { demand(EPSCreate(PETSC_COMM_WORLD, &eps)); }
  ~Solver() { EPSDestroy(&eps); }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
};

PetscErrorCode apply_factor(PC factor, Vec right_side, Vec solution) {
  void* matrix = nullptr;
  const PetscErrorCode code = PCShellGetContext(factor, &matrix);
  return code != 0 ? code : MatSolve(static_cast<Mat>(matrix), right_side, solution);
}

// The pairs nearest to zero.
void set_up(EPS eps, const DistributedSystem::Objects& objects, int count, double tolerance) {
  demand(EPSSetOperators(eps, objects.stiffness, objects.mass));
  demand(EPSSetProblemType(eps, EPS_GHEP));
  demand(EPSSetType(eps, EPSKRYLOVSCHUR));
  demand(EPSSetTarget(eps, 0));
  demand(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
  ST transform = nullptr;
  demand(EPSGetST(eps, &transform));
  demand(STSetType(transform, STSINVERT));
  // At shift zero the operator is K itself, whose factor is there: SLEPc would make and drop another one.
  KSP solver = nullptr;
  PC factor = nullptr;
  demand(STGetKSP(transform, &solver));
  demand(KSPSetType(solver, KSPPREONLY));
  demand(KSPGetPC(solver, &factor));
  demand(PCSetType(factor, PCSHELL));
  demand(PCShellSetContext(factor, objects.factor));
  demand(PCShellSetApply(factor, apply_factor));
  demand(EPSSetDimensions(eps, count, PETSC_DEFAULT, PETSC_DEFAULT));
  constexpr int most_restarts = 300;
  demand(EPSSetTolerances(eps, tolerance, most_restarts));
}

// All that converge, at least `count`, mass-orthogonal to those that are known.
std::vector<Pair> solve(const DistributedSystem& system, int count, const std::vector<Pair>& known, double tolerance) {
  const DistributedSystem::Objects objects = system.objects();
  Solver solver;
  set_up(solver.eps, objects, count, tolerance);
  Vectors left_out(objects.stiffness, known);
  if (!known.empty())
    demand(EPSSetDeflationSpace(solver.eps, static_cast<PetscInt>(known.size()), left_out.all.data()));
  demand(EPSSolve(solver.eps));
  PetscInt num_found = 0;
  demand(EPSGetConverged(solver.eps, &num_found));
  if (num_found < count)
    throw std::runtime_error(cat("only ", num_found, " of ", count, " modes converged: ask for fewer"));
  const Vectors shape(objects.stiffness, {Pair{0, VectorX::Zero(system.num_own_rows())}});
  std::vector<Pair> pairs(static_cast<std::size_t>(num_found));
  for (PetscInt k = 0; k < num_found; ++k) {
    Pair& pair = pairs[static_cast<std::size_t>(k)];
    demand(EPSGetEigenpair(solver.eps, k, &pair.value, nullptr, shape.all.front(), nullptr));
    const PetscScalar* own = nullptr;
    demand(VecGetArrayRead(shape.all.front(), &own));
    pair.shape = Eigen::Map<const VectorX>(own, system.num_own_rows());
    demand(VecRestoreArrayRead(shape.all.front(), &own));
  }
  return pairs;
}

void keep_lowest(std::vector<Pair>& pairs, int count) {
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.value < b.value; });
  pairs.resize(static_cast<std::size_t>(count));
}

}  // namespace

DistributedSolvers::DistributedSolvers() {
  // Signals end the program as they end others, without a report of PETSc's.
  demand(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
  demand(SlepcInitializeNoArguments());
  begin_catching_petsc_errors();
}

DistributedSolvers::~DistributedSolvers() {
  end_catching_petsc_errors();
  SlepcFinalize();
}

// One Krylov space may hold a single shape of a multiple frequency (a square section bends alike in two planes). So
// what is lowest among the shapes orthogonal to those found is looked for, until it lies above them.
DistributedModes lowest_modes(const DistributedSystem& system, int count) {
  DistributedModes modes{VectorX(count), MatrixX(system.num_own_rows(), count)};
  if (count == 0) return modes;
  constexpr double good = 1e-12, rough = 1e-5;  // of shapes: values are good to the square of it
  std::vector<Pair> pairs = solve(system, count, {}, good);
  keep_lowest(pairs, count);
  while (count < system.num_rows()) {
    if (solve(system, 1, pairs, rough).front().value >= pairs.back().value * (1 - 1e-8)) break;
    pairs.push_back(solve(system, 1, pairs, good).front());
    keep_lowest(pairs, count);
  }
  for (int k = 0; k < count; ++k) {
    modes.squared_frequencies(k) = pairs[static_cast<std::size_t>(k)].value;
    modes.shapes.col(k) = pairs[static_cast<std::size_t>(k)].shape;
  }
  return modes;
}

}  // namespace lithe
