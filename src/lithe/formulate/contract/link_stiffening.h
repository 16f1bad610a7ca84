// Geometric stiffening link by link: whether forces along a link change its bending stiffness. Links of beams may have
// it while those of meshes and of imported matrices in the same mechanism have not.
#pragma once

#include "lithe/formulate/contract/equations.h"

namespace lithe {

struct ModalLink;  // formulate/links/modal_link.h

class LinkStiffening {
 public:
  virtual ~LinkStiffening() = default;
  // Of links that bend; a rigid one lacks nothing.
  virtual bool stiffens_link(int link) const = 0;
  // The modes in which a link bends; null where it bends otherwise.
  virtual const ModalLink* bending_modes(int link) const = 0;
};

// Of formulations that do not tell link by link: all links or none.
bool stiffens_link(const Equations& equations, int link);
const ModalLink* bending_modes(const Equations& equations, int link);

}  // namespace lithe
