// From a continuous linear system to a sampled one.
#pragma once

#include "lithe/control/linear/state_space.h"

namespace lithe {

// Exact at the samples for inputs held between them.
StateSpace zero_order_hold(const StateSpace& system, double sample_time);
// The bilinear rule s = 2 (z - 1) / (T (z + 1)), for filters and controllers.
StateSpace tustin(const StateSpace& system, double sample_time);
// A sampled system whose inputs act `steps` samples late: the waiting inputs become states, the oldest first.
StateSpace with_input_delay(const StateSpace& system, int steps);

}  // namespace lithe
