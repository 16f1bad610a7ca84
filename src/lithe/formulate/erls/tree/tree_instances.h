// The recursions of tree_inl.h for one kind of number. Compiling them takes long, so that one file each has those for
// double and ErlsDual (tree.cpp, tree_dual.cpp) and the others are told that it has: LITHE_ERLS_TREE(extern, double).
#pragma once

#include "lithe/formulate/erls/tree/tree.h"

#define LITHE_ERLS_TREE(EXTERN, S)                                                                                   \
  EXTERN template TreeWork<S>::TreeWork(const ErlsTree&, int);                                                       \
  EXTERN template void place_frame<S>(const ErlsFrame&, TreeWork<S>&, FrameWork<S>&);                                \
  EXTERN template void displace_frame<S>(const ErlsTree&, const ErlsFrame&, TreeWork<S>&, FrameWork<S>&);            \
  EXTERN template void place_carriers<S>(const ErlsTree&, TreeWork<S>&);                                             \
  EXTERN template void update_moments<S>(const ErlsTree&, TreeWork<S>&);                                             \
  EXTERN template void update_position<S>(const ErlsTree&, TreeWork<S>&);                                            \
  EXTERN template void update_velocity<S>(const ErlsTree&, TreeWork<S>&);                                            \
  EXTERN template void update_acceleration<S>(const ErlsTree&, TreeWork<S>&);                                        \
  EXTERN template void update_linear_acceleration<S>(const ErlsTree&, TreeWork<S>&);                                 \
  EXTERN template AccelerationField<S> acceleration_field<S>(const ErlsTree&, const ErlsFrame&, const TreeWork<S>&,  \
                                                             const FrameWork<S>&, bool);                             \
  EXTERN template void inertia_forces<S>(const ErlsTree&, TreeWork<S>&, bool);                                       \
  EXTERN template void elastic_forces<S>(const ErlsTree&, TreeWork<S>&);                                             \
  EXTERN template Vec3<S> node_offset<S>(const ErlsTree&, const TreeWork<S>&, int, int);                             \
  EXTERN template void apply_nodal_load<S>(const ErlsTree&, TreeWork<S>&, int, int, const Vec3<S>&, const Vec3<S>&); \
  EXTERN template void collect_forces<S>(const ErlsTree&, TreeWork<S>&, bool);
