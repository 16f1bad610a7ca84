// Spaces that a body's motion is reduced to, before orthonormalisation (docs/theory/reduction.md).
#pragma once

#include <vector>

#include "lithe/model/finite_element_body.h"

namespace lithe {

// Rigid motions of the whole body, mass-orthonormal, as exact geometric fields: dofs x 6, or fewer columns where a
// rotation moves nothing (point masses on a line).
MatrixX rigid_modes(const FiniteElementBody& body);

// Static shapes of unit displacements of the interface nodes: Guyan's basis.
MatrixX static_modes(const FiniteElementBody& body, const std::vector<int>& interface_nodes);

// Static shapes, then the lowest modes with the interface held; `num_internal` < 0: all of them.
MatrixX craig_bampton_basis(const FiniteElementBody& body, const std::vector<int>& interface_nodes, int num_internal);

// Rigid modes, the lowest free elastic modes (`num_internal` < 0: all) and the residual flexibility of the others to
// forces at the interface.
MatrixX rubin_basis(const FiniteElementBody& body, const std::vector<int>& interface_nodes, int num_internal);

}  // namespace lithe
