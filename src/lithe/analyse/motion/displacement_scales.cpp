#include <cmath>

#include "lithe/analyse/motion/simulate.h"

namespace lithe {

VectorX displacement_scales(const Equations& equations, const State& state, const Inputs& inputs) {
  const auto workspace = equations.make_workspace();
  VectorX scales = equations.coordinate_scales(state, inputs, *workspace);
  for (double& scale : scales)
    if (!(scale > 0) || !std::isfinite(scale)) scale = 1;
  return scales;
}

}  // namespace lithe
