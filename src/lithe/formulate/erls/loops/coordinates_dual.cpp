// The constraints solved with derivatives: for the minimum-norm gauge, whose own derivatives are nested ones.
#include "lithe/formulate/erls/loops/coordinates_inl.h"

namespace lithe {

template ConstraintScratch<ErlsDual>::ConstraintScratch(const ErlsTree&, const ErlsConstraints&);
template class ConstraintSolver<ErlsDual>;

}  // namespace lithe
