#include "lithe/reduce/solvers/sparse_factor_mumps.h"

#include <dlfcn.h>
#include <dmumps_c.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/reduce/solvers/fill_order_metis.h"

namespace lithe {
namespace {

// The library keeps state of its own between the calls of one factorisation.
std::mutex& library_lock() {
  static std::mutex lock;
  return lock;
}

bool has_address_space(std::size_t bytes) {
  void* room = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

// OpenBLAS takes a work space of 128 MB at its first product, and asks for it without an end where it gets none. So it
// is asked for while there is room, and kept by it; without room the end is an orderly one. Under library_lock().
constexpr std::size_t room_of_blas = std::size_t{192} << 20;  // bytes
void make_room_for_blas() {
  static bool has_room = false;
  if (has_room) return;
  if (!has_address_space(room_of_blas)) throw std::bad_alloc();
  using Product = void (*)(const char*, const char*, const int*, const int*, const double*, const double*, const int*,
                           const double*, double*, const int*);
  const auto product = reinterpret_cast<Product>(dlsym(RTLD_DEFAULT, "dsyrk_"));
  const int one = 1;
  const double number = 1;
  double result = 0;
  if (product != nullptr) product("L", "N", &one, &one, &number, &number, &one, &number, &result, &one);
  has_room = true;
}

// The program's OpenBLAS begins with one thread. A large factor is worth one per processor, where each finds its work
// space and nobody has said how many there shall be. Under library_lock().
void let_blas_use_all_processors() {
  static bool is_done = false;
  if (is_done) return;
  is_done = true;
  for (const char* const name : {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"})
    if (std::getenv(name) != nullptr) return;
  const auto set_number = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  const unsigned processors = std::min(8u, std::thread::hardware_concurrency());
  if (set_number != nullptr && processors > 1 && has_address_space(processors * room_of_blas))
    set_number(static_cast<int>(processors));
}

class MumpsFactor final : public SparseFactor {
 public:
  explicit MumpsFactor(SparseMatrix&& matrix) : size_(matrix.rows()) {
    const std::lock_guard guard(library_lock());
    make_room_for_blas();
    constexpr Eigen::Index large = 30'000;
    if (size_ >= large) let_blas_use_all_processors();
    std::memset(&mumps_, 0, sizeof mumps_);
    mumps_.par = 1;
    mumps_.sym = 1;  // pivots in the order of elimination: negative ones are counted, not moved
    mumps_.comm_fortran = -987654;
    call(-1);
    for (const int stream : {1, 2, 3}) control(stream) = -1;
    control(4) = 0;    // no printing
    control(7) = 3;    // nested dissection of SCOTCH, where the order is not given
    control(14) = 30;  // % of memory more than estimated: with less it takes more beside its work space
    factorise(std::move(matrix));
  }
  ~MumpsFactor() override {
    const std::lock_guard guard(library_lock());
    call(-2);
  }
  bool good() const { return mumps_.infog[0] >= 0; }
  bool definite() const override {  // of the matrix scaled to a diagonal of one
    return num_negative() == 0 && mumps_.rinfog[18] > 1e-14 * mumps_.rinfog[19];
  }
  int num_negative() const override { return mumps_.infog[11]; }
  double num_entries() const override {
    return mumps_.infog[28] < 0 ? -1e6 * mumps_.infog[28] : static_cast<double>(mumps_.infog[28]);
  }
  void solve_in_place(MatrixX& columns) const override {
    if (columns.cols() == 0) return;
    const std::lock_guard guard(library_lock());
    mumps_.rhs = columns.data();
    mumps_.nrhs = static_cast<MUMPS_INT>(columns.cols());
    mumps_.lrhs = static_cast<MUMPS_INT>(size_);
    call(3);
    if (mumps_.infog[0] < 0) throw InputError(cat("solver MUMPS stopped with code ", mumps_.infog[0]));
  }

 private:
  MUMPS_INT& control(int number) { return mumps_.icntl[number - 1]; }
  void call(int job) const {
    mumps_.job = job;
    dmumps_c(&mumps_);
  }

  void factorise(SparseMatrix&& matrix) {
    std::vector<MUMPS_INT> rows, columns;
    std::vector<double> values;
    const auto about = static_cast<std::size_t>(matrix.nonZeros() + matrix.rows()) / 2;
    rows.reserve(about), columns.reserve(about), values.reserve(about);
    for (int column = 0; column < matrix.outerSize(); ++column)
      for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
        if (entry.row() < column) continue;
        rows.push_back(static_cast<MUMPS_INT>(entry.row()) + 1);
        columns.push_back(column + 1);
        values.push_back(entry.value());
      }
    mumps_.n = static_cast<MUMPS_INT>(size_);
    mumps_.nnz = static_cast<MUMPS_INT8>(values.size());
    mumps_.irn = rows.data();
    mumps_.jcn = columns.data();
    mumps_.a = values.data();
    std::vector<int> order = nested_dissection(matrix);
    SparseMatrix().swap(matrix);
    if (!order.empty()) {
      for (int& place : order) ++place;
      control(7) = 1;
      mumps_.perm_in = order.data();
    }
    call(1);
    mumps_.perm_in = nullptr;
    constexpr int not_enough_work_space = -9, no_memory = -13;
    if (good()) call(2);
    for (int attempt = 0; attempt < 4 && mumps_.infog[0] == not_enough_work_space; ++attempt) {
      control(14) *= 2;
      call(2);
    }
    if (mumps_.infog[0] == no_memory)
      throw InputError(cat("not enough memory to factorise a matrix of ", size_, " unknowns: about ", mumps_.infog[15],
                           " MB are needed"));
    mumps_.irn = mumps_.jcn = nullptr;
    mumps_.a = nullptr;
  }

  Eigen::Index size_;
  mutable DMUMPS_STRUC_C mumps_;
};

}  // namespace

std::unique_ptr<SparseFactor> factorise_by_mumps(SparseMatrix&& matrix) {
  auto factor = std::make_unique<MumpsFactor>(std::move(matrix));
  if (!factor->good()) return nullptr;
  return factor;
}

}  // namespace lithe
