// Large deflections: the finite elements of the model file as corotational beams, joints by multipliers
// (docs/theory/corotational.md).
#pragma once

#include <memory>

#include "lithe/formulate/absolute/absolute_equations.h"
#include "lithe/formulate/absolute/corotational/body.h"

namespace lithe {

// Throws InputError for a flexible link that is not made of beams.
std::unique_ptr<AbsoluteEquations> make_corotational(const Model& model);

}  // namespace lithe
