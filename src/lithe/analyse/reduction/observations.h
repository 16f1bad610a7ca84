// What analyses tell, as numbers to compare two choices of modes by.
#pragma once

#include <vector>

#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/reduction/choose_modes.h"
#include "lithe/control/linear/state_space.h"

namespace lithe {

// Of a motion: its sensors, each relative to its range; without sensors the energies. `equations`: that moved.
Observation observe_motion(const Trajectory& motion, const Equations& equations);

// The first `count` frequencies that are not of free motion, each relative to itself. Negative ones are of motions that
// grow.
void add_frequencies(const VectorX& frequencies, int count, Observation& observation);

// The response of an output to an input as a function of frequency, relative to its largest magnitude.
Observed reading_of(const Channel& output, const Channel& input, const Eigen::VectorXcd& response);

// Readings that are next to nothing beside others of their unit are judged by those: they may be rounding errors.
void judge_by_unit(std::vector<Observed>& readings);

}  // namespace lithe
