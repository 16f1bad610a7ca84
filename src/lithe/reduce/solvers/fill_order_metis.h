// Order of elimination with little fill, by nested dissection of METIS.
#pragma once

#include <vector>

#include "lithe/model/finite_element_body.h"

namespace lithe {

// The place of every unknown in the order, of a symmetric matrix of which the lower triangle is read. Neighbouring
// unknowns with the same neighbours (those of a node) are one vertex of the graph: a mesh is ordered by its nodes.
// Empty where METIS gives up.
std::vector<int> nested_dissection(const SparseMatrix& matrix);

}  // namespace lithe
