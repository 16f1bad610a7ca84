// Rigid-body motions of a linear model at rest as integrators of their own. docs/theory/linearisation.md, section 6.
#pragma once

#include "lithe/analyse/linear/linearise.h"
#include "lithe/control/linear/separated_system.h"

namespace lithe {

// At rest; the rest is in coordinates of its modes, like modal_state_space_of(). `num_joint_coordinates`: how many of
// the model's coordinates come first and move links as rigid bodies (0: unknown), with which rigid-body motions are
// found to the rounding of gravity instead of that of the stiffness.
SeparatedSystem separate_integrators(const LinearModel& model, Eigen::Index num_joint_coordinates);

}  // namespace lithe
