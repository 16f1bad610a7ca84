// A model file with what it amounts to, for the verbs that report every mistake in it.
#pragma once

#include <string>

#include "lithe/analyse/inspect.h"
#include "lithe/formulate/equations.h"
#include "lithe/model/model.h"

namespace lithe::app {

struct InspectedModel {
  Model model;
  MechanismInfo info;
};

// Throws InputError with the mistakes of all stages at once: of reading, and of links, loops and posture as far as
// those of reading leave them alone.
InspectedModel inspect_file(const std::string& path);

// What a status of the start posture means, with the loops that are singular there.
std::string explain(const Model& model, EvaluationStatus status);

}  // namespace lithe::app
