// Static condensation of sparse matrices: inner unknowns follow the kept ones as they would at rest (Guyan, Irons),
// front by front (docs/theory/condensation.md, section 2), so that no square matrix of the problem's size is ever
// dense.
#pragma once

#include <vector>

#include "lithe/model/finite_element_body.h"

namespace lithe {

struct StaticCondensation {
  MatrixX stiffness, mass;  // kept x kept
  MatrixX loads;            // kept x cases
  // An unknown that no stiffness holds while the kept ones are at rest; -1: all are held. The matrices are then empty.
  int unconstrained_unknown = -1;
};

// K_L = Ψᵀ K Ψ, M_L = Ψᵀ M Ψ, f_L = Ψᵀ f. `block` of an unknown: unknowns of one block are eliminated together (those
// of a node), blocks are numbered from 0; all unknowns of a kept block are kept, in the order of the blocks in
// `kept_blocks` and of the unknowns within. `loads` may have no columns. `least_pivot`: a pivot smaller than that part
// of its diagonal entry, or of its `level` where that is given and larger (stiffness before anything cancelled), counts
// as unconstrained. `positions` of the blocks, when given, may lead to a better order of elimination. Static shapes of
// up to `largest_shapes` numbers are held in memory; beyond that mass and loads are carried along, which costs three
// times as much work and no memory.
StaticCondensation condense_statically(const SparseMatrix& stiffness, const SparseMatrix& mass, const MatrixX& loads,
                                       const std::vector<int>& block, const std::vector<int>& kept_blocks,
                                       double least_pivot = 0, double largest_shapes = 3e7,
                                       const std::vector<Vector3>& positions = {}, const VectorX& level = {});

}  // namespace lithe
