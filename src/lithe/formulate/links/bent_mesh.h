// Second-order displacement of links of solids and shells (docs/theory/solid_elements.md, "Second order").
#pragma once

#include <optional>

#include "lithe/formulate/links/second_order.h"

namespace lithe {

// Nothing where the link's inboard node does not hold it.
std::optional<SecondOrderParts> bent_mesh(const Link& of, const FiniteElementBody& mesh, const ModalLink& link,
                                          int inboard_node, Space space);

}  // namespace lithe
