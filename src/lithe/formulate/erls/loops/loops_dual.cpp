// The equations of closed loops for numbers with derivatives.
#include "lithe/formulate/erls/loops/loop_motion_inl.h"

namespace lithe {

LITHE_ERLS_LOOPS(, ErlsDual)
template void loop_accelerations<ErlsDual>(const std::vector<LoopJoint>&, const ErlsTree&, const TreeWork<ErlsDual>&,
                                           bool, LoopMotion<ErlsDual>&, VecX<ErlsDual>&, VecX<ErlsDual>&);

}  // namespace lithe
