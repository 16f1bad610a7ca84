// The recursions of the tree for numbers.
#include "lithe/formulate/erls/tree/tree_inl.h"

namespace lithe {

LITHE_ERLS_TREE(, double)

}  // namespace lithe
