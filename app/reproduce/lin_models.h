// Variants of the models of [LIN] that its table and its figures share.
#pragma once

#include "lithe/model/model.h"

namespace lithe::app {

Model with_elements(Model model, int elements);
// sqrt(EI / (m l^4)) of the arm, rad/s.
double arm_unit(const Model& arm);
// The shaft of the example with another asymmetry.
Model shaft_of(double nu, int elements);
// With discs at both ends that have no inertia about the axis of the stiffer bending; `moment` in m l^3.
Model with_discs(Model shaft, double moment);
// Frequency of the symmetrical shaft, (47), rad/s.
double shaft_unit(const Model& shaft);

}  // namespace lithe::app
