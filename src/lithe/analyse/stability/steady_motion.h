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

// Eigenvalues over speed.
struct CampbellDiagram {
  std::vector<double> speeds;                                  // rad/s or m/s
  std::vector<std::vector<std::complex<double>>> eigenvalues;  // [speed][mode], modes followed by their shape
  std::vector<std::pair<double, double>> unstable;             // intervals of the speed within the range
  std::string message;                                         // where it ended early: why
};

// What turns, at which speeds.
struct CampbellOptions {
  SteadyFreedom freedom;
  std::vector<double> speeds;                 // ascending
  int count = 20;                             // modes followed: the lowest at the first speed
  std::function<void(double)> progress;       // the part that is done
  const std::atomic<bool>* cancel = nullptr;  // set: ends early with a message
};

CampbellDiagram campbell_diagram(const Equations& equations, const State& start, const CampbellOptions& options);

// Factors of all loads of the model at which the structure, with them acting, loses its stiffness; ascending, at most
// `count`. Empty with a message where no factor up to `largest` does.
struct Buckling {
  std::vector<double> factors;
  std::string message;
};
Buckling buckling_factors(const Equations& equations, const State& start, int count, double largest = 1e9);

}  // namespace lithe
