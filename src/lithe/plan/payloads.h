// Which payloads a robot holds at a time, as masses of its links.
#pragma once

#include <vector>

#include "lithe/model/control_setup.h"

namespace lithe {

// The same model with the payloads that are held just after a time among the masses of its links.
Model with_payloads(Model model, double time);

// Times within an interval, its ends left out, at which payloads are taken or put down, ascending.
std::vector<double> payload_changes(const Model& model, double start, double end);

}  // namespace lithe
