// The SI unit of what a sensor reads.
#pragma once

#include <string_view>

#include "lithe/model/model.h"

namespace lithe {

std::string_view unit_of(const Model& model, const Sensor& sensor);

}  // namespace lithe
