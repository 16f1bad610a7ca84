// Configurations along the references of a controller, for gain scheduling.
#pragma once

#include <string>
#include <vector>

#include "lithe/control/reference.h"
#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Values of the references at points as far from each other as possible along their path: one column per point, the
// start first. One column for references that stand still; none where one of them never ends.
MatrixX path_points(const std::vector<ReferenceFunction>& references, int num_points);

struct ConfigurationPath {
  bool found = false;
  std::string message;
  std::vector<State> states;  // at rest
};

// The mechanism moved from `start` through configurations where the sensors read the columns of `values`, loops closed.
// Joint coordinates move, as little as possible where sensors leave some of them free; links stay as they are. Where
// there are more joint coordinates than columns of `along`, only combinations of these columns move: springs of elastic
// gearboxes stay as they are, too.
ConfigurationPath configurations_along(const Equations& equations, const State& start, const std::vector<int>& sensors,
                                       const MatrixX& values, const MatrixX& along = {});

}  // namespace lithe
