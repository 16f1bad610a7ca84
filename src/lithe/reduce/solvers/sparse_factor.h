// Factors L D Lᵀ of large sparse symmetric matrices. The core has Eigen's; an adaptor may put a faster one in its
// place.
#pragma once

#include <memory>

#include "lithe/model/finite_element_body.h"

namespace lithe {

class SparseFactor {
 public:
  virtual ~SparseFactor() = default;
  // Whether the matrix is positive definite beyond rounding: no pivot below 1e-14 of the largest.
  virtual bool definite() const = 0;
  // By Sylvester's law, the number of negative eigenvalues.
  virtual int num_negative() const = 0;
  // Solves for all columns in place.
  virtual void solve_in_place(MatrixX& columns) const = 0;
  virtual double num_entries() const = 0;  // of the factor

  MatrixX solve(MatrixX columns) const {
    solve_in_place(columns);
    return columns;
  }

 protected:
  SparseFactor() = default;
  SparseFactor(const SparseFactor&) = delete;
  SparseFactor& operator=(const SparseFactor&) = delete;
};

// Of a symmetric matrix of which the lower triangle is read. Nothing where a pivot is zero. The matrix may be emptied,
// so that a large one is gone before its factor is made: by reference all the way, since Eigen 3.4 moves by copying.
std::unique_ptr<SparseFactor> factorise(SparseMatrix&& matrix);

// Eigen's: the best one for small matrices, and the only one of the core.
std::unique_ptr<SparseFactor> factorise_simplicially(SparseMatrix&& matrix);

// From so many unknowns on, `factorise` calls the solver that was set.
inline constexpr int smallest_for_library = 3000;
using SparseFactoriser = std::unique_ptr<SparseFactor> (*)(SparseMatrix&& matrix);
// Not to be called while another thread reduces a body. A null pointer: Eigen's again.
void set_sparse_factoriser(SparseFactoriser factoriser);

}  // namespace lithe
