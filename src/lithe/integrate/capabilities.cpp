#include "lithe/integrate/capabilities.h"

namespace lithe {

WatchesOutputs* watches_outputs(Integrator& integrator) { return dynamic_cast<WatchesOutputs*>(&integrator); }

const WatchesOutputs* watches_outputs(const Integrator& integrator) {
  return dynamic_cast<const WatchesOutputs*>(&integrator);
}

const SmoothedSteps* smoothed_steps(const Integrator& integrator) {
  return dynamic_cast<const SmoothedSteps*>(&integrator);
}

const KnowsInstants* knows_instants(const Integrator& integrator) {
  return dynamic_cast<const KnowsInstants*>(&integrator);
}

}  // namespace lithe
