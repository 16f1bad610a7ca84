// The functions of constraints_inl.h and loop_motion_inl.h for one kind of number, as tree_instances.h.
#pragma once

#include "lithe/formulate/erls/loops/constraints.h"

#define LITHE_ERLS_LOOPS(EXTERN, S)                                                                                    \
  EXTERN template void update_displacement<S>(const ErlsTree&, TreeWork<S>&);                                          \
  EXTERN template void displace_frames<S>(const ErlsTree&, TreeWork<S>&);                                              \
  EXTERN template SidePlace<S> place_side<S>(const LoopSide&, const ErlsTree&, const TreeWork<S>&);                    \
  EXTERN template void loop_residuals<S>(const std::vector<LoopJoint>&, const ErlsTree&, const TreeWork<S>&, VecX<S>&, \
                                         VecX<S>&);                                                                    \
  EXTERN template void loop_elastic_jacobians<S>(const std::vector<LoopJoint>&, const ErlsTree&, const TreeWork<S>&,   \
                                                 MatX<S>&, MatX<S>&);                                                  \
  EXTERN template void loop_joint_jacobians<S>(const std::vector<LoopJoint>&, const ErlsTree&, const TreeWork<S>&,     \
                                               MatX<S>&);                                                              \
  EXTERN template void loop_jacobians<S>(const std::vector<LoopJoint>&, const ErlsTree&, const TreeWork<S>&, MatX<S>&, \
                                         MatX<S>&);                                                                    \
  EXTERN template void loop_closure<S>(const std::vector<LoopJoint>&, const ErlsTree&, const TreeWork<S>&, VecX<S>&,   \
                                       MatX<S>&);                                                                      \
  EXTERN template void displacement_momentum<S>(const ErlsTree&, const TreeWork<S>&, std::vector<Vec3<S>>&,            \
                                                std::vector<Vec3<S>>&, VecX<S>&);
