// What sensors read on motions next to a given one: exact derivatives, without difference quotients.
// docs/theory/linearisation.md, section 3.
#pragma once

#include <vector>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Changes of x, ẋ and ẍ, one motion per column. Together they obey what ties the coordinates to each other.
struct NearbyMotions {
  MatrixX coordinates, speeds, accelerations;

  Eigen::Index size() const { return coordinates.cols(); }
};

// Beside Equations, for formulations that have them.
class ObservedJacobians {
 public:
  virtual ~ObservedJacobians() = default;

  // One matrix per sensor with a column per motion: three rows where the quantity is a vector (all its components),
  // otherwise one; NaN where the formulation does not provide the quantity. Inputs are those of the given motion; a
  // joint's force is that of its prescribed motion.
  virtual EvaluationStatus sensor_jacobians(const State&, const Inputs&, const Accelerations&, const NearbyMotions&,
                                            const std::vector<Sensor>&, Workspace&,
                                            std::vector<MatrixX>& jacobians) const = 0;
  // Whether positions are explicit functions F of the coordinates, so that with accelerations zero the derivatives of
  // positions, velocities and accelerations by one coordinate are its transfer functions DF, D²F ẋ and (D³F ẋ) ẋ.
  virtual bool has_transfer_functions() const { return false; }
};

// Matrices of that form, all NaN.
std::vector<MatrixX> unknown_jacobians(const std::vector<Sensor>& sensors, Eigen::Index num_motions);
// Whether a sensor needs more than the motion of coordinates: forces in joints.
bool reads_joint_loads(const Sensor& sensor);
bool reads_energy(const Sensor& sensor);
// Of the rows kinetic, gravity, elastic: the one of such a sensor, or their sum.
MatrixX energy_row(const MatrixX& energies, Quantity quantity);

}  // namespace lithe
