#include "lithe/control/linear/separated_system.h"

namespace lithe {

StateSpace sum(const StateSpace& one, const StateSpace& two) {
  const Eigen::Index n = one.num_states(), k = two.num_states();
  StateSpace result = two;
  result.states.clear();
  result.a = MatrixX::Zero(n + k, n + k);
  result.a.topLeftCorner(n, n) = one.a;
  result.a.bottomRightCorner(k, k) = two.a;
  result.b.resize(n + k, two.num_inputs());
  result.b << one.b, two.b;
  result.c.resize(two.num_outputs(), n + k);
  result.c << one.c, two.c;
  result.d = one.d + two.d;
  return result;
}

StateSpace SeparatedSystem::whole() const { return sum(integrators, rest); }

SeparatedSystem reachable_integrators(const SeparatedSystem& system) {
  const StateSpace& full = system.integrators;
  const Eigen::Index n = system.num_double;
  std::vector<Eigen::Index> doubles, kept;
  for (Eigen::Index k = 0; k < n; ++k)
    if (!full.b.row(n + k).isZero(0) && !(full.c.col(k).isZero(0) && full.c.col(n + k).isZero(0))) doubles.push_back(k);
  for (const Eigen::Index first : {Eigen::Index(0), n})
    for (const Eigen::Index k : doubles) kept.push_back(first + k);
  SeparatedSystem result = system;
  result.num_double = static_cast<Eigen::Index>(doubles.size());
  result.num_single = 0;
  for (Eigen::Index k = 2 * n; k < full.num_states(); ++k) {
    if (full.b.row(k).isZero(0) || full.c.col(k).isZero(0)) continue;
    kept.push_back(k);
    ++result.num_single;
  }
  result.integrators.a = full.a(kept, kept);
  result.integrators.b = full.b(kept, Eigen::all);
  result.integrators.c = full.c(Eigen::all, kept);
  return result;
}

}  // namespace lithe
