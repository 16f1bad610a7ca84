#include "lithe/formulate/joints/ball_motion.h"

#include "lithe/kinematics/charts.h"

namespace lithe {

int angle_in_chart(const Chart& chart, int coordinate) {
  for (int k = 0; k < 3; ++k)
    if (chart.coordinates[k] == coordinate) return k;
  return -1;
}

int moved_chart(const Mechanism& mechanism, const Configuration& configuration, int coordinate) {
  for (int k = 0; k < mechanism.num_charts(); ++k)
    if (angle_in_chart(mechanism.charts()[k], coordinate) >= 0)
      return configuration.references[k].coeffs() == Quaternion::Identity().coeffs() ? -1 : k;
  return -1;
}

SignalValue whole_motion(const Configuration& configuration, int chart, int angle, const BallMotion<double>& in_chart) {
  const Matrix3 reference = configuration.references[chart].toRotationMatrix();
  Vector3 rates, accelerations;
  whole_rates<double>(reference, in_chart, rates, accelerations);
  return {angles_of_rotation(reference * chart_rotation(in_chart.angles))[angle], rates[angle], accelerations[angle]};
}

}  // namespace lithe
