// A link reduced to a few elastic modes, with everything the equations of motion need, and nothing of the mesh's size.
#pragma once

#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/finite_element_body.h"
#include "lithe/model/inertia_invariants.h"

namespace lithe {

// Elastic part of a reduced link: u(node) = translation_shapes q, ψ(node) = rotation_shapes q, mass-orthonormal and
// orthogonal to the rigid motions (free-body modes of the kept space), so that the modal mass is the identity and the
// stiffness diagonal. The six rigid modes are exact and are not stored.
struct ReducedBody {
  std::string name;
  std::vector<Vector3> node_positions;  // as in the finite-element body
  MatrixX translation_shapes;           // 3 num_nodes x d
  MatrixX rotation_shapes;              // 3 num_nodes x d; zero rows where nodes carry no rotations
  VectorX squared_frequencies;          // Ω_d, (rad/s)^2
  MatrixX damping;                      // d x d modal damping matrix, N s/m per unit modal mass
  InertiaInvariants invariants;
  MatrixX nodal_shapes;  // all finite-element dofs x d, for section forces and drawing
  int num_finite_element_dofs = 0;
  int num_available_modes = 0;  // elastic modes of the reduction before selection

  int num_modes() const { return static_cast<int>(squared_frequencies.size()); }
  int num_nodes() const { return static_cast<int>(node_positions.size()); }
  bool rigid() const { return num_modes() == 0; }
};

}  // namespace lithe
