// Where a robot stands before its moves: at rest under its weight.
#pragma once

#include <string>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// The initial configuration with links, gearboxes and other springs as gravity and loads bend them, joints without
// springs held. Where there is no such equilibrium, and in models with controllers or initial speeds, that of
// start_state().
State settled_start(const Equations& equations);
// Why settled_start() is another state than an equilibrium, though something bends: a sentence; empty: it is one.
std::string why_not_settled(const Equations& equations);

}  // namespace lithe
