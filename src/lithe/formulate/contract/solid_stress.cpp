#include "lithe/formulate/contract/solid_stress.h"

#include "lithe/formulate/contract/capabilities.h"

namespace lithe {

bool solid_stresses(const Equations& equations, const State& state, const Inputs& inputs,
                    const Accelerations& accelerations, int link, int num_points, Matrix6X& values,
                    Workspace& workspace) {
  if (const SolidStress* all = solid_stress(equations))
    return all->stresses(state, inputs, accelerations, link, values, workspace);
  values.resize(6, num_points);
  for (int point = 0; point < num_points; ++point) {
    Vector3 normal, shear;
    if (!equations.section_load(state, inputs, accelerations, link, point, normal, shear, workspace)) return false;
    values.col(point).head<3>() = normal;
    values.col(point).tail<3>() = shear;
  }
  return true;
}

}  // namespace lithe
