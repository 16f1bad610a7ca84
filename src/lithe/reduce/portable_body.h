// A part reduced once, to be handed on without its mesh: docs/howto/reduced_bodies.md has the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/model.h"
#include "lithe/reduce/reduced_body.h"

namespace lithe {

// Coordinates: three or six of each node, then one of each mode that leaves all nodes at rest.
struct PortableBody {
  std::string name;
  std::vector<Node> nodes;
  std::vector<int> node_dofs;  // 3 or 6 of each node
  MatrixX stiffness, mass;
  InertiaInvariants inertia;   // with the displacement of the part for a unit of each coordinate
  long long num_unknowns = 0;  // before the reduction

  int num_node_coordinates() const;
  int num_modes() const { return static_cast<int>(stiffness.rows()) - num_node_coordinates(); }
};

// The part in a basis of Craig and Bampton with its first `nodes.size()` nodes held: columns are the static shapes of
// their dofs, in order, then modes that leave them at rest.
PortableBody portable_body(const FiniteElementBody& body, const std::vector<Node>& nodes, const MatrixX& basis);

// A flexible link with its lumped masses, without its damping. `num_modes`: vibrations with all named nodes held;
// unset: what the link's reduction says, or 20.
PortableBody portable_body(const Model& model, int link, std::optional<int> num_modes);

// Takes out of the stiffness what only rounding leaves there: strain energy of rigid motions of the nodes, and of a
// mode of the held part with a static shape.
void remove_rounding(PortableBody& part);

// In Hz: of its vibrations with all nodes held, and of the elastic ones of the free part in its coordinates.
VectorX held_frequencies(const PortableBody& part);
VectorX free_frequencies(const PortableBody& part);

// What is wrong with one that was read; empty: nothing. Shapes must fit already.
std::string fault_of(const PortableBody& part);

// The body that a link is made of. Its mass is that of points whose integrals are those of the part, all of them.
FiniteElementBody body_of(const PortableBody& part);

}  // namespace lithe
