#include <petscksp.h>

#include <algorithm>
#include <stdexcept>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/reduce/distributed/distributed_system.h"

namespace lithe {
namespace {

void demand(PetscErrorCode code) { demand_petsc(code); }

std::string words_of_petsc;

PetscErrorCode remember(MPI_Comm, int, const char* function, const char*, PetscErrorCode code, PetscErrorType type,
                        const char* words, void*) {
  if (type == PETSC_ERROR_INITIAL) words_of_petsc = cat(function, ": ", words);
  return code;
}

// An object of PETSc's with its destructor.
template <class Object, PetscErrorCode (*destroy)(Object*)>
class Owned {
 public:
  Owned() = default;
  ~Owned() { destroy(&object_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Object* address() {
    demand(destroy(&object_));
    return &object_;
  }
  operator Object() const { return object_; }

 private:
  Object object_ = nullptr;
};
using OwnedMat = Owned<Mat, MatDestroy>;
using OwnedVec = Owned<Vec, VecDestroy>;
using OwnedKsp = Owned<KSP, KSPDestroy>;
using OwnedIs = Owned<IS, ISDestroy>;
using OwnedScatter = Owned<VecScatter, VecScatterDestroy>;

// Mass or stiffness: inner rows spread over the processes, of which the upper triangle is stored, the columns of the
// interface in the same rows, and what is of the interface alone on every process.
struct SplitMatrix {
  OwnedMat inner;
  MatrixX coupling;   // own rows x interface
  MatrixX interface;  // symmetric
};

struct RowRange {
  int begin = 0, end = 0, all = 0;
  int size() const { return end - begin; }
};

// Calls action(row, column, value) for the entries of a share with both in the upper triangle of the inner rows.
template <class Action>
void each_inner_entry(const SparseMatrix& matrix, const std::vector<int>& rows, const Action& action) {
  for (int j = 0; j < matrix.outerSize(); ++j) {
    const int row = rows[static_cast<std::size_t>(j)];
    if (row < 0) continue;
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry)
      if (const int column = rows[static_cast<std::size_t>(entry.row())]; column >= row)
        action(row, column, entry.value());
  }
}

std::vector<PetscInt> counts_of(Vec counts, const std::vector<PetscInt>& most) {
  const PetscScalar* values = nullptr;
  demand(VecGetArrayRead(counts, &values));
  std::vector<PetscInt> result(most.size());
  for (std::size_t k = 0; k < most.size(); ++k) result[k] = std::min(most[k], static_cast<PetscInt>(values[k]));
  demand(VecRestoreArrayRead(counts, &values));
  return result;
}

// Room for every row: what the shares hold of it, together. Where shares meet this is an upper bound.
void reserve(const SparseMatrix& share, const std::vector<int>& rows, const DofLayout& layout, const RowRange& range,
             Mat matrix) {
  OwnedVec here, elsewhere;  // entries in columns of the row's process, and of later ones
  for (OwnedVec* counts : {&here, &elsewhere}) {
    demand(VecCreateMPI(PETSC_COMM_WORLD, range.size(), range.all, counts->address()));
  }
  std::vector<PetscInt> touched;
  std::vector<PetscScalar> own, other;
  for (int j = 0; j < share.outerSize(); ++j) {
    const int row = rows[static_cast<std::size_t>(j)];
    if (row < 0) continue;
    const int end = layout.starts[static_cast<std::size_t>(layout.process_of(row)) + 1];
    touched.push_back(row);
    own.push_back(1), other.push_back(0);  // PETSc wants the diagonal
    for (SparseMatrix::InnerIterator entry(share, j); entry; ++entry)
      if (const int column = rows[static_cast<std::size_t>(entry.row())]; column > row)
        ++(column < end ? own : other).back();
  }
  const auto count = static_cast<PetscInt>(touched.size());
  demand(VecSetValues(here, count, touched.data(), own.data(), ADD_VALUES));
  demand(VecSetValues(elsewhere, count, touched.data(), other.data(), ADD_VALUES));
  std::vector<PetscInt> most_here, most_elsewhere;
  for (int row = range.begin; row < range.end; ++row) {
    most_here.push_back(range.end - row);
    most_elsewhere.push_back(range.all - range.end);
  }
  for (OwnedVec* counts : {&here, &elsewhere}) {
    demand(VecAssemblyBegin(*counts));
    demand(VecAssemblyEnd(*counts));
  }
  most_here = counts_of(here, most_here);
  most_elsewhere = counts_of(elsewhere, most_elsewhere);
  demand(MatSeqSBAIJSetPreallocation(matrix, 1, 0, most_here.data()));
  demand(MatMPISBAIJSetPreallocation(matrix, 1, 0, most_here.data(), 0, most_elsewhere.data()));
}

void assemble_inner(const SparseMatrix& share, const std::vector<int>& rows, const DofLayout& layout,
                    const RowRange& range, OwnedMat& matrix) {
  demand(MatCreate(PETSC_COMM_WORLD, matrix.address()));
  demand(MatSetSizes(matrix, range.size(), range.size(), range.all, range.all));
  demand(MatSetType(matrix, MATSBAIJ));
  reserve(share, rows, layout, range, matrix);
  demand(MatSetOption(matrix, MAT_SYMMETRIC, PETSC_TRUE));
  demand(MatSetOption(matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  each_inner_entry(share, rows, [&](int row, int column, double value) {
    demand(MatSetValue(matrix, row, column, value, ADD_VALUES));
  });
  for (int row = range.begin; row < range.end; ++row) demand(MatSetValue(matrix, row, row, 0, ADD_VALUES));
  demand(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  demand(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
}

// The rows of this process from a dense matrix of PETSc's.
MatrixX own_rows(Mat matrix, Eigen::Index rows, Eigen::Index columns) {
  const PetscScalar* values = nullptr;
  PetscInt stride = 0;
  demand(MatDenseGetLDA(matrix, &stride));
  demand(MatDenseGetArrayRead(matrix, &values));
  const MatrixX result =
      Eigen::Map<const MatrixX, 0, Eigen::OuterStride<>>(values, rows, columns, Eigen::OuterStride<>(stride));
  demand(MatDenseRestoreArrayRead(matrix, &values));
  return result;
}

// Entries of inner rows with the interface, wherever the shares have them.
MatrixX assemble_coupling(const SparseMatrix& share, const std::vector<int>& rows, const RowRange& range,
                          int num_interface) {
  if (num_interface == 0) return MatrixX(range.size(), 0);
  OwnedMat dense;
  demand(
      MatCreateDense(PETSC_COMM_WORLD, range.size(), PETSC_DECIDE, range.all, num_interface, nullptr, dense.address()));
  for (int j = 0; j < share.outerSize(); ++j) {
    const int column = -1 - rows[static_cast<std::size_t>(j)];
    if (column < 0) continue;
    for (SparseMatrix::InnerIterator entry(share, j); entry; ++entry)
      if (const int row = rows[static_cast<std::size_t>(entry.row())]; row >= 0)
        demand(MatSetValue(dense, row, column, entry.value(), ADD_VALUES));
  }
  demand(MatAssemblyBegin(dense, MAT_FINAL_ASSEMBLY));
  demand(MatAssemblyEnd(dense, MAT_FINAL_ASSEMBLY));
  return own_rows(dense, range.size(), num_interface);
}

MatrixX assemble_interface(const Ranks& ranks, const SparseMatrix& share, const std::vector<int>& rows,
                           int num_interface) {
  MatrixX own = MatrixX::Zero(num_interface, num_interface);
  for (int j = 0; j < share.outerSize(); ++j) {
    const int column = -1 - rows[static_cast<std::size_t>(j)];
    if (column < 0) continue;
    for (SparseMatrix::InnerIterator entry(share, j); entry; ++entry)
      if (const int row = -1 - rows[static_cast<std::size_t>(entry.row())]; row >= 0) own(row, column) += entry.value();
  }
  return ranks.sum(std::move(own));
}

// y = A x, column by column.
MatrixX product(Mat matrix, const MatrixX& columns) {
  OwnedVec x, y;
  demand(MatCreateVecs(matrix, x.address(), y.address()));
  MatrixX result(columns.rows(), columns.cols());
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    PetscScalar* values = nullptr;
    demand(VecGetArrayWrite(x, &values));
    std::copy_n(columns.col(k).data(), columns.rows(), values);
    demand(VecRestoreArrayWrite(x, &values));
    demand(MatMult(matrix, x, y));
    const PetscScalar* found = nullptr;
    demand(VecGetArrayRead(y, &found));
    std::copy_n(found, columns.rows(), result.col(k).data());
    demand(VecRestoreArrayRead(y, &found));
  }
  return result;
}

constexpr int not_enough_work_space = -9, no_memory = -13, singular = -10;

// ICNTL(7) of MUMPS. PORD, since Debian's parallel MUMPS has neither METIS nor SCOTCH; it ends the program where a
// graph is too small to be dissected, so approximate minimum degree orders small ones.
constexpr int by_minimum_degree = 0, by_pord = 4, smallest_for_pord = 5000;

// Factorises by MUMPS and returns its code: 0 where all went well.
int factorise_by_mumps(Mat matrix, OwnedKsp& solver) {
  PetscInt code = 0, num_rows = 0;
  demand(MatGetSize(matrix, &num_rows, nullptr));
  const int order = num_rows < smallest_for_pord ? by_minimum_degree : by_pord;
  for (int room = 30; room <= 480; room *= 2) {  // % of memory more than estimated
    PC preconditioner = nullptr;
    Mat factor = nullptr;
    demand(KSPCreate(PETSC_COMM_WORLD, solver.address()));
    demand(KSPSetOperators(solver, matrix, matrix));
    demand(KSPSetType(solver, KSPPREONLY));
    demand(KSPGetPC(solver, &preconditioner));
    demand(PCSetType(preconditioner, PCCHOLESKY));
    demand(PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS));
    demand(PCFactorSetUpMatSolverType(preconditioner));
    demand(PCFactorGetMatrix(preconditioner, &factor));
    demand(MatMumpsSetIcntl(factor, 13, 1));  // the last front as all others: its negative pivots are counted
    demand(MatMumpsSetIcntl(factor, 14, room));
    demand(MatMumpsSetIcntl(factor, 7, order));
    demand(KSPSetUp(solver));
    demand(PCFactorGetMatrix(preconditioner, &factor));
    demand(MatMumpsGetInfog(factor, 1, &code));
    if (code != not_enough_work_space) break;
  }
  return std::min(0, static_cast<int>(code));
}

Mat factor_of(KSP solver) {
  PC preconditioner = nullptr;
  Mat factor = nullptr;
  demand(KSPGetPC(solver, &preconditioner));
  demand(PCFactorGetMatrix(preconditioner, &factor));
  return factor;
}

[[noreturn]] void fail_for_memory(int num_unknowns) {
  throw InputError(cat("not enough memory to factorise a matrix of ", num_unknowns,
                       " unknowns: use more processes, on more machines"));
}

}  // namespace

void begin_catching_petsc_errors() { demand(PetscPushErrorHandler(remember, nullptr)); }
void end_catching_petsc_errors() { PetscPopErrorHandler(); }
void demand_petsc(int code) {
  if (code != 0) throw std::runtime_error(cat("PETSc stopped with code ", code, " in ", words_of_petsc));
}

struct DistributedSystem::Parts {
  const Ranks* ranks = nullptr;
  const DofLayout* layout = nullptr;
  RowRange range;
  SplitMatrix stiffness, mass;
  OwnedKsp solver;

  DistributedColumns times(const SplitMatrix& matrix, const DistributedColumns& columns) const {
    DistributedColumns result{product(matrix.inner, columns.inner), {}};
    result.inner += matrix.coupling * columns.interface;
    result.interface = ranks->sum(matrix.coupling.transpose() * columns.inner) + matrix.interface * columns.interface;
    return result;
  }
};

DistributedSystem::DistributedSystem(const Ranks& ranks, const DofLayout& layout, MeshShare& share)
    : parts_(std::make_unique<Parts>()) {
  parts_->ranks = &ranks;
  parts_->layout = &layout;
  const auto rank = static_cast<std::size_t>(ranks.rank());
  RowRange& range = parts_->range;
  range = {layout.starts[rank], layout.starts[rank + 1], layout.num_inner()};
  std::vector<int> rows;
  for (const int dof : share.dofs) rows.push_back(layout.row[static_cast<std::size_t>(dof)]);
  const auto take = [&](SparseMatrix& from, SplitMatrix& to) {
    to.coupling = assemble_coupling(from, rows, range, layout.num_interface());
    to.interface = assemble_interface(ranks, from, rows, layout.num_interface());
    assemble_inner(from, rows, layout, range, to.inner);
    SparseMatrix().swap(from);
  };
  take(share.body.stiffness, parts_->stiffness);
  take(share.body.mass, parts_->mass);
}
DistributedSystem::~DistributedSystem() = default;

void DistributedSystem::factorise() {
  Mat matrix = parts_->stiffness.inner;
  demand(MatSetOption(matrix, MAT_SPD, PETSC_TRUE));  // pivots in the order of elimination
  const int code = factorise_by_mumps(matrix, parts_->solver);
  if (code == not_enough_work_space || code == no_memory) fail_for_memory(parts_->range.all);
  PetscInt num_negative = 0;
  PetscReal smallest = 0, largest = 1;
  if (code == 0) {
    Mat factor = factor_of(parts_->solver);
    demand(MatMumpsGetInfog(factor, 12, &num_negative));
    demand(MatMumpsGetRinfog(factor, 19, &smallest));
    demand(MatMumpsGetRinfog(factor, 20, &largest));
  } else if (code != singular) {
    throw std::runtime_error(cat("solver MUMPS stopped with code ", code));
  }
  if (code == singular || num_negative > 0 || !(smallest > 1e-14 * largest))
    throw InputError("the interface nodes do not hold the body: held there, it can still move without stress");
}

double DistributedSystem::factor_entries() const {
  PetscInt entries = 0;
  demand(MatMumpsGetInfo(factor_of(parts_->solver), 9, &entries));
  return entries < 0 ? -1e6 * entries : entries;
}

MatrixX DistributedSystem::static_shapes() const {
  const MatrixX& coupling = parts_->stiffness.coupling;
  if (coupling.cols() == 0) return MatrixX(coupling.rows(), 0);
  const RowRange& range = parts_->range;
  OwnedMat loads, shapes;
  MatrixX values = -coupling;
  // A process without rows has no array either: PETSc would make one of its own.
  demand(MatCreateDense(PETSC_COMM_WORLD, range.size(), PETSC_DECIDE, range.all, static_cast<PetscInt>(values.cols()),
                        values.data(), loads.address()));
  demand(MatAssemblyBegin(loads, MAT_FINAL_ASSEMBLY));
  demand(MatAssemblyEnd(loads, MAT_FINAL_ASSEMBLY));
  demand(MatDuplicate(loads, MAT_DO_NOT_COPY_VALUES, shapes.address()));
  demand(MatMatSolve(factor_of(parts_->solver), loads, shapes));
  return own_rows(shapes, range.size(), values.cols());
}

DistributedColumns DistributedSystem::times_stiffness(const DistributedColumns& columns) const {
  return parts_->times(parts_->stiffness, columns);
}
DistributedColumns DistributedSystem::times_mass(const DistributedColumns& columns) const {
  return parts_->times(parts_->mass, columns);
}

int DistributedSystem::count_below(double level) const {
  OwnedMat shifted;
  demand(MatDuplicate(parts_->stiffness.inner, MAT_COPY_VALUES, shifted.address()));
  demand(MatSetOption(shifted, MAT_SPD, PETSC_FALSE));
  demand(MatAXPY(shifted, -level, parts_->mass.inner, DIFFERENT_NONZERO_PATTERN));
  demand(MatSetOption(shifted, MAT_SYMMETRIC, PETSC_TRUE));
  OwnedKsp solver;
  const int code = factorise_by_mumps(shifted, solver);
  if (code == not_enough_work_space || code == no_memory) fail_for_memory(parts_->range.all);
  if (code != 0) throw std::runtime_error(cat("solver MUMPS stopped with code ", code));
  PetscInt num_negative = 0;
  demand(MatMumpsGetInfog(factor_of(solver), 12, &num_negative));
  return static_cast<int>(num_negative);
}

MatrixX DistributedSystem::at(const std::vector<int>& dofs, const DistributedColumns& columns) const {
  MatrixX result(static_cast<Eigen::Index>(dofs.size()), columns.inner.cols());
  std::vector<PetscInt> wanted;
  std::vector<Eigen::Index> places;
  for (std::size_t k = 0; k < dofs.size(); ++k) {
    const int row = parts_->layout->row[static_cast<std::size_t>(dofs[k])];
    const auto place = static_cast<Eigen::Index>(k);
    if (row < 0) {
      result.row(place) = columns.interface.row(-1 - row);
      continue;
    }
    wanted.push_back(row);
    places.push_back(place);
  }
  const auto count = static_cast<PetscInt>(wanted.size());
  OwnedIs rows;
  OwnedVec all, found;
  OwnedScatter scatter;
  demand(ISCreateGeneral(PETSC_COMM_SELF, count, wanted.data(), PETSC_USE_POINTER, rows.address()));
  demand(VecCreateMPI(PETSC_COMM_WORLD, parts_->range.size(), parts_->range.all, all.address()));
  demand(VecCreateSeq(PETSC_COMM_SELF, count, found.address()));
  demand(VecScatterCreate(all, rows, found, nullptr, scatter.address()));
  for (Eigen::Index k = 0; k < columns.inner.cols(); ++k) {
    PetscScalar* values = nullptr;
    demand(VecGetArrayWrite(all, &values));
    std::copy_n(columns.inner.col(k).data(), columns.inner.rows(), values);
    demand(VecRestoreArrayWrite(all, &values));
    demand(VecScatterBegin(scatter, all, found, INSERT_VALUES, SCATTER_FORWARD));
    demand(VecScatterEnd(scatter, all, found, INSERT_VALUES, SCATTER_FORWARD));
    const PetscScalar* arrived = nullptr;
    demand(VecGetArrayRead(found, &arrived));
    for (std::size_t i = 0; i < places.size(); ++i) result(places[i], k) = arrived[i];
    demand(VecRestoreArrayRead(found, &arrived));
  }
  return result;
}

int DistributedSystem::num_own_rows() const { return parts_->range.size(); }
int DistributedSystem::num_rows() const { return parts_->range.all; }

DistributedSystem::Objects DistributedSystem::objects() const {
  return {parts_->stiffness.inner, parts_->mass.inner, factor_of(parts_->solver)};
}

}  // namespace lithe
