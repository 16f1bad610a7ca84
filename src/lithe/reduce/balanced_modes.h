// Natural modes of small dense matrices, low and high ones equally accurate.
#pragma once

#include "lithe/reduce/solvers/eigensolver.h"

namespace lithe {

// K φ = ω² M φ has errors of eps ω_max², M φ = ω⁻² K φ of eps ω⁻²_min: each mode is taken from the problem that
// resolves it better, where both matrices are definite. As natural_modes otherwise. Without shapes they have no
// columns.
NaturalModes balanced_modes(const MatrixX& stiffness, const MatrixX& mass, bool with_shapes);

}  // namespace lithe
