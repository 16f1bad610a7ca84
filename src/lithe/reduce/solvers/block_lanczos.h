// Lowest natural modes of large bodies by block Lanczos iteration on the shifted inverse.
#pragma once

#include <functional>
#include <optional>

#include "lithe/reduce/solvers/eigensolver.h"
#include "lithe/reduce/solvers/sparse_factor.h"

namespace lithe {

// The modes nearest above the shift σ, from the factor of K - σ M, which must be definite. Blocks find frequencies that
// occur several times; all vectors are kept orthogonal (docs/theory/reduction.md). Nothing where it did not converge.
std::optional<NaturalModes> block_lanczos(const SparseFactor& shifted, const SparseMatrix& mass, int count,
                                          double shift);

// The lowest modes of a body that is held, from the factor of its stiffness. The stiffness itself is made only where it
// is needed: beside the factor of a large body it would be in the way.
NaturalModes lowest_modes_held(const SparseFactor& factor, const std::function<SparseMatrix()>& stiffness,
                               const SparseMatrix& mass, int count);

// An estimate from above of ω² of the eighth mode, after a few steps: the size of a good shift.
double estimated_squared_frequency(const SparseFactor& shifted, const SparseMatrix& mass, double shift);

}  // namespace lithe
