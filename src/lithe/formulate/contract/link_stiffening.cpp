#include "lithe/formulate/contract/link_stiffening.h"

#include "lithe/formulate/contract/capabilities.h"

namespace lithe {

bool stiffens_link(const Equations& equations, int link) {
  const LinkStiffening* by_link = link_stiffening(equations);
  return by_link ? by_link->stiffens_link(link) : equations.has_geometric_stiffening();
}

const ModalLink* bending_modes(const Equations& equations, int link) {
  const LinkStiffening* by_link = link_stiffening(equations);
  return by_link ? by_link->bending_modes(link) : nullptr;
}

}  // namespace lithe
