#include "lithe/analyse/motion/speed_jumps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/base/text.h"
#include "lithe/formulate/contract/capabilities.h"
#include "lithe/model/coordinate_choice.h"

namespace lithe {
namespace {

bool speed_jumps_at(const Signal& signal, double time) {
  constexpr double rounding = 1e-9;  // relative, and of the end of a smooth move in rad/s or m/s
  const double before = evaluate(signal, std::nextafter(time, -std::numeric_limits<double>::infinity())).rate,
               after = evaluate(signal, time).rate;
  return std::abs(after - before) > rounding * (1 + std::abs(before) + std::abs(after));
}

}  // namespace

std::vector<std::string> speed_jumps(const Model& model, double time) {
  std::vector<std::string> names;
  for (const Drive& drive : model.drives)
    if (drive.prescribes_motion && speed_jumps_at(drive.signal, time)) names.push_back(drive.name);
  for (const ChosenCoordinate& item : chosen_coordinates(model))
    if (item.role == CoordinateRole::prescribed && speed_jumps_at(item.motion, time))
      names.push_back(describe(model, item));
  return names;
}

// Accelerations are linear in the prescribed ones, as speeds after an impact are in the prescribed jumps, with the same
// matrices. Equations with constraints bring the speeds onto the new ones by the least change in kinetic norm, which is
// the same law.
bool speeds_after_jump(const Equations& equations, const Inputs& before, const Inputs& after, Workspace& workspace,
                       State& state) {
  if (as_constrained(equations)) {
    equations.accept(state, after, workspace);
    return true;
  }
  Accelerations without, with;
  without.values.setZero(equations.num_coordinates());
  with = without;
  Inputs jumping = before;
  for (std::size_t j = 0; j < jumping.prescribed_motion.size(); ++j)
    for (std::size_t f = 0; f < jumping.prescribed_motion[j].size(); ++f)
      jumping.prescribed_motion[j][f].acceleration +=
          after.prescribed_motion[j][f].rate - before.prescribed_motion[j][f].rate;
  if (equations.evaluate(state, before, workspace, without) != EvaluationStatus::ok) return false;
  if (equations.evaluate(state, jumping, workspace, with) != EvaluationStatus::ok) return false;
  state.speeds += with.values - without.values;
  return state.speeds.allFinite();
}

}  // namespace lithe
