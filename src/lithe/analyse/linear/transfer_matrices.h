// The matrices of [LIN] (22) one by one, and the geometric transfer functions of the nodes, at a state of a model with
// the formulation transfer-functions. docs/theory/transfer_functions.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/control/linear/state_space.h"
#include "lithe/formulate/contract/equations.h"

namespace lithe {

// M0 δq̈ + C0 δq̇ + (K0 + G0) δq = ...; a unit of an entry (i, j) is that of its matrix over the units of coordinates
// i and j.
struct TransferMatrices {
  std::vector<LinearSignal> coordinates;  // q with their units: rad or m
  VectorX velocities;                     // q̇
  MatrixX M0, C0, K0, G0;         // J s^2, J s, J, J: inertia, velocities and dampers, stiffness, stress and motion
  std::vector<std::string> rows;  // of the following: "link:node.x", m
  MatrixX DF;                     // m: positions by q
  MatrixX D2F;                    // m/s: D²F q̇, contracted with the velocities
  MatrixX D3F;                    // m/s^2: (D³F q̇) q̇, contracted twice
};

// Nothing for other formulations. `accelerations`: about which M0 to G0 are taken.
std::optional<TransferMatrices> transfer_matrices(const Equations& equations, const State& state, const Inputs& inputs,
                                                  const VectorX& accelerations);

}  // namespace lithe
