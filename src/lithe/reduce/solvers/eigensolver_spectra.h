// Shift-invert Lanczos of the Spectra library as the solver for large bodies.
#pragma once

#include "lithe/reduce/solvers/eigensolver.h"

namespace lithe {

NaturalModes spectra_lanczos(const SparseMatrix& stiffness, const SparseMatrix& mass, int count, double shift);

// From now on large bodies are solved by Spectra instead of the core's subspace iteration.
inline void use_spectra() { set_sparse_eigensolver(&spectra_lanczos); }

}  // namespace lithe
