#include "lithe/formulate/contract/observed_jacobians.h"

#include <limits>

namespace lithe {

std::vector<MatrixX> unknown_jacobians(const std::vector<Sensor>& sensors, Eigen::Index num_motions) {
  std::vector<MatrixX> jacobians;
  for (const Sensor& sensor : sensors)
    jacobians.push_back(
        MatrixX::Constant(is_vector(sensor.quantity) ? 3 : 1, num_motions, std::numeric_limits<double>::quiet_NaN()));
  return jacobians;
}

bool reads_joint_loads(const Sensor& sensor) {
  return sensor.quantity == Quantity::joint_force || sensor.quantity == Quantity::reaction_force ||
         sensor.quantity == Quantity::reaction_torque;
}

bool reads_energy(const Sensor& sensor) {
  return sensor.quantity == Quantity::kinetic_energy || sensor.quantity == Quantity::gravity_energy ||
         sensor.quantity == Quantity::elastic_energy || sensor.quantity == Quantity::total_energy;
}

MatrixX energy_row(const MatrixX& energies, Quantity quantity) {
  if (quantity == Quantity::total_energy) return energies.colwise().sum();
  return energies.row(quantity == Quantity::kinetic_energy ? 0 : quantity == Quantity::gravity_energy ? 1 : 2);
}

}  // namespace lithe
