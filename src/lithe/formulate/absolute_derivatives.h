// Derivatives of the equations of bodies joined by multipliers; shared by the sources that implement them.
#pragma once

#include "lithe/formulate/absolute_work.h"

namespace lithe {

// About a state, ν̇ and λ: of r = M ν̇ - f + Jᵀ λ and of the rows' rates and accelerations, by small motions of the
// frames in their own axes and of the elastic coordinates ("place"), and by ν ("speed").
struct AbsoluteDerivatives {
  MatrixX mass, by_place, by_speed;                                     // of r; ∂r/∂ν̇ is the mass
  MatrixX rows;                                                         // J: of the rows' values
  MatrixX rate_by_place, acceleration_by_place, acceleration_by_speed;  // of the rows
};

}  // namespace lithe
