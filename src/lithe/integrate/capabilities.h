// What only some integrators can do: a pointer, or nothing. Nobody else casts integrators or asks for their name.
#pragma once

#include "lithe/integrate/exponential/smoothed_steps.h"
#include "lithe/integrate/integrator.h"
#include "lithe/integrate/known_instants.h"
#include "lithe/integrate/watches_outputs.h"

namespace lithe {

// Steps that keep vibrations which show in what is read.
WatchesOutputs* watches_outputs(Integrator& integrator);
const WatchesOutputs* watches_outputs(const Integrator& integrator);
// Steps that may be longer than the vibrations in them.
const SmoothedSteps* smoothed_steps(const Integrator& integrator);
// What is known of the motion inside the last step.
const KnowsInstants* knows_instants(const Integrator& integrator);

}  // namespace lithe
