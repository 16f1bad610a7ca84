// The recursions of the tree for numbers with derivatives.
#include "lithe/formulate/erls/tree/tree_inl.h"

namespace lithe {

LITHE_ERLS_TREE(, ErlsDual)

}  // namespace lithe
