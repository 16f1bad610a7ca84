// Steady motions and what happens to vibrations about them when they get faster: Campbell diagram, stability; and
// loads that make a structure buckle. docs/theory/linearisation.md, sections 4 and 5.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lithe/analyse/linear/linear_modes.h"

namespace lithe {

// A freedom that turns or slides steadily.
struct SteadyFreedom {
  int joint = 0;
  int freedom = 0;
};

// A state that keeps its speeds.
struct SteadyMotion {
  bool found = false;
  State state;
  Inputs inputs;
  std::string message;  // where there is none: why
};

// The state in which all coordinates rest while the freedom moves at a constant speed: prescribed where the model
// prescribes its motion, free (and then kept up by itself) otherwise. Coordinates that no stiffness holds stay where
// `start` has them; drives hold them there. Without a freedom: the mechanism at rest.
SteadyMotion steady_motion(const Equations& equations, const State& start, const Inputs& inputs,
                           const std::optional<SteadyFreedom>& freedom, double speed);

// What turns, at which speeds.
struct CampbellOptions {
  SteadyFreedom freedom;
  std::vector<double> speeds;                 // ascending
  int count = 20;                             // modes followed: the lowest at the first speed
  std::function<void(double)> progress;       // the part that is done
  const std::atomic<bool>* cancel = nullptr;  // set: ends early with a message
};

CampbellDiagram campbell_diagram(const Equations& equations, const State& start, const CampbellOptions& options);

// At most `count`. Empty with a message where no factor up to `largest` does.
Buckling buckling_factors(const Equations& equations, const State& start, int count, double largest = 1e9);

}  // namespace lithe
