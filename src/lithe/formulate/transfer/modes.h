// Coordinates of a link's modes from the deformations of its beams, for damping of modes.
#pragma once

#include "lithe/formulate/transfer/tree.h"
#include "lithe/reduce/reduced_body.h"

namespace lithe {

// G with q = Gᵀ e, e the free deformations of `beams` one after the other, q coordinates of the link's free modes.
MatrixX modes_from_deformations(const ReducedBody& body, const std::vector<const TransferBeam*>& beams);

}  // namespace lithe
