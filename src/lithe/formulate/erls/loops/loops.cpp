// The equations of closed loops for numbers.
#include "lithe/formulate/erls/loops/loop_motion_inl.h"

namespace lithe {

LITHE_ERLS_LOOPS(, double)
template void loop_accelerations<double>(const std::vector<LoopJoint>&, const ErlsTree&, const TreeWork<double>&, bool,
                                         LoopMotion<double>&, VecX<double>&, VecX<double>&);

}  // namespace lithe
