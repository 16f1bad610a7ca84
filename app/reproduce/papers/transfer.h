// The cases of [LIN]: for `lithe reproduce lin` and the tests of what the paper says.
#pragma once

#include <vector>

#include "app/reproduce/papers/network.h"
#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Section 5.1: a rhombus of four rigid trusses of this length at right angles, held at its lowest node and on the
// vertical through it, a spring across and a mass on top. Coordinates in the order of the paper's: indices into those
// of the network.
struct TrussFourBar {
  TransferNetwork network;
  std::vector<int> order;  // x1 y1 x4 | x2 y2 x3 y3 y4
};
TrussFourBar truss_four_bar(double length, double stiffness, double mass, double gravity);

// Section 5.2: squared frequencies of a straight arm that turns about the z axis of its first joint, ascending;
// in the plane of rotation (with the joint's own rotation when it is free) and out of it. Extension of the arm and its
// coupling by Coriolis forces are left out, as in the paper's (39).
struct ArmFrequencies {
  bool converged = false;
  VectorX in_plane, out_of_plane;
  MatrixX in_plane_shapes, in_plane_mass;  // shapes orthonormal in the mass
};
// Of the shapes of `other` in the plane, the one most like shape `mode` of `arm`.
int matching_mode(const ArmFrequencies& arm, int mode, const ArmFrequencies& other);
struct ArmOptions {
  bool bending_stiffness = true;  // without: the cord
  bool bending_shortens = true;   // the quadratic term of (49a)
};
ArmFrequencies arm_frequencies(const Model& model, double speed, const ArmOptions& options = {});

// Section 5.3: whirl of a shaft that turns about its own axis, seen from the shaft: squared frequencies of its bending,
// ascending by real part; negative or complex ones grow. The shaft's spin is the first prescribed motion of the model.
struct Whirl {
  bool converged = false;
  Eigen::VectorXcd squared_frequencies;
  bool stable() const;
};
Whirl shaft_whirl(const Equations& equations, double speed);
// Ends of the first unstable interval of speeds in [from, to], by bisection after a scan; empty: none wider than a
// step.
std::vector<double> unstable_interval(const Equations& equations, double from, double to, int steps);

}  // namespace lithe
