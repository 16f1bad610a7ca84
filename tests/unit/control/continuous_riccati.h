// The Riccati equation of continuous systems, from the matrix sign function and Lyapunov equations of the engine: what
// lightly damped modes over decades ask of them is more than reductions do.
#pragma once

#include "lithe/control/linear/riccati.h"

namespace lithe::testing {

// AᵀX + X A - X B R⁻¹ Bᵀ X + Q = 0, gain = R⁻¹ Bᵀ X: minimises ∫ xᵀQx + uᵀRu. By the sign function of the Hamiltonian
// matrix (Byers 1987), then Newton's method (Kleinman 1968). Q symmetric positive semidefinite, R positive definite.
RiccatiSolution solve_riccati(const MatrixX& a, const MatrixX& b, const MatrixX& q, const MatrixX& r);

// Largest entry of the equation's left side over that of its largest term.
double riccati_residual(const MatrixX& a, const MatrixX& b, const MatrixX& q, const MatrixX& r, const MatrixX& x);

}  // namespace lithe::testing
