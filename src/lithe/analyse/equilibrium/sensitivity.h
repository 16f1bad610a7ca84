// The matrix of sensitivity coefficients S(q) of [EVO] (3)-(5): motion of all nodes of the equivalent rigid-link system
// per unit of each free coordinate, dr = S dq, with the loops closed. docs/linearise.md.
#pragma once

#include <string>
#include <vector>

#include "lithe/control/linear/state_space.h"
#include "lithe/formulate/contract/equations.h"

namespace lithe {

// S of dr = S dq, by rows and columns with names.
struct Sensitivity {
  EvaluationStatus status = EvaluationStatus::ok;
  // Three translations and three rotations per node, of planar models x, y and the rotation about z: "arm:tip x" [m].
  std::vector<LinearSignal> rows;
  // Free coordinates, then freedoms whose motion a drive prescribes: "shoulder" [rad].
  std::vector<LinearSignal> columns;
  Eigen::Index num_free = 0;  // columns that are free coordinates
  MatrixX matrix;             // S
  VectorX rates;              // q̇ of the columns, at the state
  VectorX convective;         // Ṡ q̇, m/s² and rad/s²
  MatrixX positions;          // of the nodes, one row each, world axes, m
  std::vector<std::string> nodes;
};

// At a state of equations in independent coordinates, whose links are taken as rigid.
Sensitivity sensitivity(const Equations& equations, const State& state);

}  // namespace lithe
