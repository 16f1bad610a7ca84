// Workspace of TransferFunctions. Private to this folder.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "lithe/formulate/transfer/tangent.h"
#include "lithe/formulate/transfer/transfer_functions.h"

namespace lithe {

struct TransferFunctions::Work final : Workspace {
  Work(const TransferTree& tree, const TransferLoops& loops, const TransferSplit& split, int num_charts);

  TransferWork tree;
  // Loops: J = ∂Ψ/∂y of the rows in use, factors of its unknown columns, and ∂(unknown)/∂(independent).
  MatrixX jacobian, unknown_columns, given_columns, tangent;
  Eigen::PartialPivLU<MatrixX> lu;
  LoopValues values;
  VectorX gap, step, multipliers, used_multipliers;
  // Reduced equations.
  MatrixX mass, damping_y, stiffness_y, unknown_block, row_block, column_block;
  VectorX rhs;
  Eigen::LLT<MatrixX> cholesky;
  TransferTangent tangents;
  std::size_t num_applied_loads = 0;
};

}  // namespace lithe
