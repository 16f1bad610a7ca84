// The forces, stresses and accelerations that the sensors of a model read, for integrators that would take out the
// vibrations in them. docs/theory/integrators.md, section 7.
#pragma once

#include "lithe/integrate/integrator.h"
#include "lithe/integrate/watches_outputs.h"

namespace lithe {

// Where the integrator asks for it: at a tolerance of positions, in m/s, in a run that takes so many seconds.
void watch_outputs(const Equations& equations, double tolerance, double duration, Integrator& integrator);

}  // namespace lithe
