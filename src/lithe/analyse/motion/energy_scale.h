// What the imbalance of a run's energy is judged by: docs/simulate.md, "Energy balance".
#pragma once

#include <algorithm>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Of one run, as seen at the ends of its steps.
struct EnergyScale {
  double largest_kinetic = 0, least_potential = 0, most_potential = 0;
  double turnover = 0;   // work of inputs and dampers, whatever their signs
  double inherited = 0;  // imbalance that a restarted run began with
  double least_elastic = 0, most_elastic = 0;
  bool damps_vibrations = false;  // steps of an integrator that takes out vibrations below its tolerance
  bool seen = false;

  double stored() const { return largest_kinetic + most_potential - least_potential; }
  void look(const Energies& now) {
    if (now.status != EvaluationStatus::ok) return;
    const double potential = now.gravity + now.elastic;
    largest_kinetic = std::max(largest_kinetic, now.kinetic);
    least_potential = seen ? std::min(least_potential, potential) : potential;
    most_potential = seen ? std::max(most_potential, potential) : potential;
    least_elastic = seen ? std::min(least_elastic, now.elastic) : now.elastic;
    most_elastic = seen ? std::max(most_elastic, now.elastic) : now.elastic;
    seen = true;
  }
};

}  // namespace lithe
