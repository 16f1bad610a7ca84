// Spaces that a body's motion is reduced to, before orthonormalisation (docs/theory/reduction.md).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/reduce/solvers/eigensolver.h"

namespace lithe {

// The dofs that move: all of them, or in the plane ux, uy and the rotation about z of every node.
std::vector<int> moving_dofs(const FiniteElementBody& body, Space space);

// How many of them are left where these nodes are held.
int num_inner_dofs(const FiniteElementBody& body, const std::vector<int>& held_nodes, Space space);

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

// How many dynamic modes join the static ones: so many (all where unset), and none with ω² above the limit.
struct DynamicModes {
  std::optional<int> count;
  std::optional<double> squared_limit;
};

// Static shapes, then the lowest modes with the interface held.
MatrixX craig_bampton_basis(const FiniteElementBody& body, const std::vector<int>& interface_nodes,
                            const DynamicModes& inner, Space space = Space::spatial);

// ω² of the lowest `count` modes with the interface held, ascending.
VectorX held_squared_frequencies(const FiniteElementBody& body, const std::vector<int>& interface_nodes, int count,
                                 Space space);

// Rigid modes, the lowest free elastic modes and the residual flexibility of the others to forces at the interface.
MatrixX rubin_basis(const FiniteElementBody& body, const std::vector<int>& interface_nodes, const DynamicModes& free,
                    Space space = Space::spatial);

// Static deformation of the free body under unit forces on dofs, balanced by inertia forces of rigid motion: (4)-(6).
MatrixX attachment_shapes(const FiniteElementBody& body, const std::vector<int>& dofs, Space space);

// Static deformation of a body that is held at one node with rotations.
class HeldBody {
 public:
  // Throws InputError where the body has parts that move without stress.
  HeldBody(const FiniteElementBody& body, int node, Space space);
  ~HeldBody();
  // Displacements under nodal forces, one case per column; rows: all dofs. Forces on the held node are its support's.
  MatrixX displacements(const MatrixX& forces) const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

}  // namespace lithe
