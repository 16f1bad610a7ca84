// Modes of a link with its interface held, and how they take part in motion of the interface
// (docs/theory/reduction.md).
#pragma once

#include <vector>

#include "lithe/model/finite_element_body.h"

namespace lithe {

struct FixedInterfaceModes {
  VectorX squared_frequencies;  // ω_k², ascending
  // L: modes x interface dofs (of each interface node those that move). An acceleration a_B of the interface, inner
  // points following statically, drives mode k as -L_k a_B.
  MatrixX participation;
  int num_available = 0;  // of the body; those above are the lowest of them
};

// All modes of small bodies, the lowest `max_of_large` of large ones. Throws InputError where the interface does not
// hold the body.
FixedInterfaceModes fixed_interface_modes(const FiniteElementBody& body, const std::vector<int>& interface_nodes,
                                          int max_of_large, Space space);

}  // namespace lithe
