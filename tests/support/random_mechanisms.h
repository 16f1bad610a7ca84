// Seeded flexible mechanisms of many kinds, for benchmarks and for laws that should hold on mechanisms nobody chose.
#pragma once

#include "support/flexible_models.h"

namespace lithe::testing {

enum class MechanismKind { serial, branched, closed, geared, sliding };
const char* describe(MechanismKind kind);

struct RandomMechanism {
  MechanismKind kind = MechanismKind::serial;
  unsigned seed = 0;
  int links = 3;         // of a closed one: legs, loops + 1
  int elements = 2;      // per beam, six modes each
  double stiffness = 1;  // of steel tubes
  double damping = 0;    // ratio of all modes of the links
};

// Beams of random lengths and directions with a load of gravity, initial speeds and a torque that comes and goes; a
// sensor of position at the last node of each link. Closed ones are a platform on legs of two beams, with ball joints
// at one end and hinges elsewhere, so that every leg after the first closes a loop.
Model random_mechanism(const RandomMechanism& choice);

}  // namespace lithe::testing
