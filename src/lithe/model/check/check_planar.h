// Part of check_model(): what a planar model must keep to.
#pragma once

#include "lithe/model/model.h"

namespace lithe {

void check_planar(const Model& model, Diagnostics& diagnostics);

}  // namespace lithe
