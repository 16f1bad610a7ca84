// Riccati equations of sampled systems, for regulators, observers and norm bounds. docs/theory/control.md.
#pragma once

#include <optional>
#include <string>

#include "lithe/base/math.h"

namespace lithe {

struct RiccatiSolution {
  bool solved = false;
  MatrixX x;            // symmetric, stabilising
  MatrixX gain;         // u = -gain x
  double residual = 0;  // of the equation, relative to its largest term
  std::string message;  // why it was not solved
};

// AᵀXA - X - AᵀXB (R + BᵀXB)⁻¹ BᵀXA + Q = 0, gain = (R + BᵀXB)⁻¹ BᵀXA: minimises Σ xᵀQx + uᵀRu. By structure-preserving
// doubling, then Newton's method of Hewer. Q symmetric positive semidefinite, R positive definite.
RiccatiSolution solve_discrete_riccati(const MatrixX& a, const MatrixX& b, const MatrixX& q, const MatrixX& r);

// X = Q + AᵀX (1 + G X)⁻¹ A with a symmetric G that need not be definite: of games, whose G is B R⁻¹Bᵀ less what a
// disturbance reaches. By doubling, then Newton's method; nothing where no positive semidefinite X makes (1 + G X)⁻¹A
// stable.
std::optional<MatrixX> solve_game_riccati(const MatrixX& a, const MatrixX& g, const MatrixX& q);

// Largest entry of the equation's left side over that of its largest term.
double discrete_riccati_residual(const MatrixX& a, const MatrixX& b, const MatrixX& q, const MatrixX& r,
                                 const MatrixX& x);

}  // namespace lithe
