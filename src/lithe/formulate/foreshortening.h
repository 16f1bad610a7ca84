// Second-order displacements of beam structures (docs/theory/floating_frame.md, section 6).
#pragma once

#include <vector>

#include "lithe/formulate/bending_map.h"
#include "lithe/formulate/modal_link.h"
#include "lithe/model/finite_element_body.h"

namespace lithe {

// A field ½ G(q, q) that is quadratic in a link's coordinates. Blocks are symmetric d x d, stacked by component.
// Empty: none.
struct Foreshortening {
  std::vector<MatrixX> nodes;  // per node 3d x d: G
  MatrixX momentum;            // 3d x d: ∫ρ G
  MatrixX position;            // 9d x d: block 3a+b is ∫ρ s_a G_b
  bool empty() const { return momentum.size() == 0; }
};

// What bending takes from the length of a link's beams, along the way from the inboard node: what the modes can show of
// it, and the rest.
struct SecondOrder {
  BendingMap map;
  Foreshortening rest;
  double rest_part = 1;  // of the whole, as the centrifugal forces see it
};

// Links of beams without closed frames; of other bodies nothing is known of the way that a force takes.
bool can_shorten(const FiniteElementBody& mesh);
// Empty where it cannot be known.
SecondOrder second_order(const FiniteElementBody& mesh, const ModalLink& link, int inboard_node);

}  // namespace lithe
