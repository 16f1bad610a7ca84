// From finite-element bodies to reduced bodies.
#pragma once

#include <optional>
#include <vector>

#include "lithe/model/finite_element_body.h"
#include "lithe/model/model.h"
#include "lithe/reduce/reduced_body.h"

namespace lithe {

// A model whose links are reduced; `bodies[i]` belongs to `model.links[i]`. Rigid links have a body without modes.
struct ReducedModel {
  Model model;
  std::vector<FiniteElementBody> meshes;  // empty mesh for rigid links
  std::vector<ReducedBody> bodies;
};

// Reduces one body, in the plane to motions in the plane. `interface_nodes` is used when the choice names none. Throws
// InputError for a choice that cannot be met (more modes than there are, unknown node, massless body).
ReducedBody reduce(const FiniteElementBody& body, const ReductionChoice& choice, const Damping& damping,
                   const std::vector<int>& interface_nodes, Space space = Space::spatial);

// The choice asks for all modes of a link that has too many unknowns to compute them. Static condensation needs none.
bool wants_too_many_modes(const Link& link);

ReducedBody rigid_body(const Link& link);

// All links, each with its own choice, or all beam links with `choice` when it is given.
ReducedModel reduce(const Model& model, const std::optional<ReductionChoice>& choice = std::nullopt);

}  // namespace lithe
