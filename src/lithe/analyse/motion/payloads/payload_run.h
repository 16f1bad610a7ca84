// A run in which payloads are taken and put down: in parts, each with the equations of what is held then.
#pragma once

#include "lithe/analyse/motion/simulate.h"

namespace lithe {

// A run from a checkpoint, or a fresh one from its state.
using RunPart = Trajectory (*)(const Equations&, const Checkpoint&, const SimulateOptions&, bool fresh);

// Coordinates and speeds go on from part to part; energies that payloads bring and take count as work of inputs. Throws
// InputError where the equations cannot be made anew.
Trajectory run_with_payloads(const Equations& equations, const Checkpoint& start, const SimulateOptions& options,
                             bool fresh, RunPart run);

}  // namespace lithe
