// What an integrator asks of equations with constraints between its steps: docs/theory/integrators.md, section 4.
#pragma once

#include "lithe/formulate/contract/equations.h"

namespace lithe {

class StageProjection {
 public:
  virtual ~StageProjection() = default;

  // Whether the constraints contain deformations, or paths in time of flexible mechanisms. Then what the constraints
  // forbid vibrates as fast as the links do, and must follow from the constraints at every stage.
  virtual bool constrains_deformations() const = 0;
  // Onto the constraints, coordinates and speeds, with least kinetic norm. Never throws or allocates.
  virtual void project(State& state, const Inputs& inputs, Workspace& workspace) const = 0;
  // Of a small change of the state of the last evaluation, the part that the constraints allow.
  virtual void keep_admissible(const State& state, Workspace& workspace, VectorX& change) const = 0;
  // K of all coordinates: forces of deformed links and joint springs for small changes of them, whatever the
  // constraints allow. A rigid motion has none.
  virtual void whole_stiffness(const State& state, const Inputs& inputs, Workspace& workspace,
                               MatrixX& result) const = 0;
};

}  // namespace lithe
