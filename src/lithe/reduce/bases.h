// Spaces that a body's motion is reduced to, before orthonormalisation (docs/theory/reduction.md).
#pragma once

#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/reduce/eigensolver.h"

namespace lithe {

// The dofs that move: all of them, or in the plane ux, uy and the rotation about z of every node.
std::vector<int> moving_dofs(const FiniteElementBody& body, Space space);

// Rigid motions of the whole body, mass-orthonormal, as exact geometric fields: dofs x 6 (in the plane 3), or fewer
// columns where a rotation moves nothing (point masses on a line).
MatrixX rigid_modes(const FiniteElementBody& body, Space space = Space::spatial);

// The lowest natural modes of the free body, of the dofs that move; rows: all dofs.
NaturalModes free_modes(const FiniteElementBody& body, int count, Space space);

// A unit displacement of every dof that moves.
MatrixX unit_basis(const FiniteElementBody& body, Space space);

// Static shapes of unit displacements of the interface nodes: Guyan's basis.
MatrixX static_modes(const FiniteElementBody& body, const std::vector<int>& interface_nodes,
                     Space space = Space::spatial);

// Static shapes, then the lowest modes with the interface held; `num_internal` < 0: all of them.
MatrixX craig_bampton_basis(const FiniteElementBody& body, const std::vector<int>& interface_nodes, int num_internal,
                            Space space = Space::spatial);

// Rigid modes, the lowest free elastic modes (`num_internal` < 0: all) and the residual flexibility of the others to
// forces at the interface.
MatrixX rubin_basis(const FiniteElementBody& body, const std::vector<int>& interface_nodes, int num_internal,
                    Space space = Space::spatial);

}  // namespace lithe
