// What linear models tell: matrices, eigenvalues, sensitivities, Campbell diagrams, buckling, Floquet
// multipliers. docs/linearise.md, docs/theory/linearisation.md.
#pragma once

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "lithe/control/linear/state_space.h"
#include "lithe/formulate/contract/equations.h"

namespace lithe {

using MatrixXc = Eigen::MatrixXcd;

// M δẍ + C δẋ + K δx = B δu,  δy = P δx + S δẋ + D δu.
struct LinearModel {
  State state;  // about which
  MatrixX mass, damping, stiffness, input;
  MatrixX position_output, speed_output, feedthrough;
  std::vector<Channel> coordinates, inputs, outputs;
  VectorX nominal_outputs;  // y of the state
  VectorX nominal_force;    // on the coordinates at the state, were they held: zero at an equilibrium
  // Of constrained equations, else empty: δx, δẋ and δẍ of all coordinates from those here (ConstrainedLinearisation).
  MatrixX directions, speed_by_place, acceleration_by_speed, acceleration_by_place;

  Eigen::Index size() const { return mass.rows(); }
};

// One eigenvalue of each conjugate pair (the one with positive imaginary part), and every real one; ascending in size.
struct LinearModes {
  std::vector<std::complex<double>> eigenvalues;  // 1/s
  MatrixXc shapes;                                // of the coordinates, one column each
  // Coordinates in which the length of displacements (times weights) and speeds is energy, from those of the model: Φᵀ
  // M.
  MatrixX energy_coordinates;
  VectorX energy_weights;
  // Directions in which a symmetric stiffness is negative by more than rounding; -1 where K is not symmetric. Where
  // their number is odd, det(λ² M + λ C + K) is negative at λ = 0 and positive for large λ: one λ is real and positive,
  // however small.
  int negative_stiffness = -1;
  bool diverges() const { return negative_stiffness > 0 && negative_stiffness % 2 == 1; }

  double frequency(std::size_t k) const;      // |λ| / 2π, Hz
  double damping_ratio(std::size_t k) const;  // -Re λ / |λ|; 0 where that is rounding
};

// The matrices of [LIN] (22) one by one, and the geometric transfer functions of the nodes:
// M0 δq̈ + C0 δq̇ + (K0 + G0) δq = ...; a unit of an entry (i, j) is that of its matrix over the units of coordinates
// i and j.
struct TransferMatrices {
  std::vector<Channel> coordinates;  // q with their units: rad or m
  VectorX velocities;                // q̇
  MatrixX M0, C0, K0, G0;            // J s^2, J s, J, J: inertia, velocities and dampers, stiffness, stress and motion
  std::vector<std::string> rows;     // of the following: "link:node.x", m
  MatrixX DF;                        // m: positions by q
  MatrixX D2F;                       // m/s: D²F q̇, contracted with the velocities
  MatrixX D3F;                       // m/s^2: (D³F q̇) q̇, contracted twice
};

// S(q) of [EVO] (3)-(5), dr = S dq: motion of all nodes of the equivalent rigid-link system per unit of each free
// coordinate, by rows and columns with names.
struct Sensitivity {
  EvaluationStatus status = EvaluationStatus::ok;
  // Three translations and three rotations per node, of planar models x, y and the rotation about z: "arm:tip x" [m].
  std::vector<Channel> rows;
  // Free coordinates, then freedoms whose motion a drive prescribes: "shoulder" [rad].
  std::vector<Channel> columns;
  Eigen::Index num_free = 0;  // columns that are free coordinates
  MatrixX matrix;             // S
  VectorX rates;              // q̇ of the columns, at the state
  VectorX convective;         // Ṡ q̇, m/s² and rad/s²
  MatrixX positions;          // of the nodes, one row each, world axes, m
  std::vector<std::string> nodes;
};

// Eigenvalues over speed.
struct CampbellDiagram {
  std::vector<double> speeds;                                  // rad/s or m/s
  std::vector<std::vector<std::complex<double>>> eigenvalues;  // [speed][mode], modes followed by their shape
  std::vector<std::pair<double, double>> unstable;             // intervals of the speed within the range
  std::string message;                                         // where it ended early: why
};

// Factors of all loads of the model at which the structure, with them acting, loses its stiffness; ascending.
struct Buckling {
  std::vector<double> factors;
  std::string message;
};

enum class FloquetVerdict {
  stable,    // every multiplier is inside the unit circle by more than the accuracy
  neutral,   // the largest lies on it within the accuracy: vibrations neither grow nor decay
  unstable,  // one is outside by more than the accuracy
};

// The periodic motion and its multipliers.
struct FloquetResult {
  bool found = false;
  std::string message;  // where there is none: why
  double period = 0;
  State start;         // of the periodic motion
  double closure = 0;  // how far the motion is from closing after a period, relative to its size
  int iterations = 0, steps = 0;
  std::vector<std::complex<double>> multipliers;  // largest first
  double accuracy = 0;                            // of the multipliers' sizes, at least 1e-5

  double largest() const { return multipliers.empty() ? 0 : std::abs(multipliers.front()); }
  double margin() const { return 1 - largest(); }  // negative where a motion grows
  double growth() const;                           // of the fastest, ln|μ| / period, 1/s
  FloquetVerdict verdict() const;
};

}  // namespace lithe
