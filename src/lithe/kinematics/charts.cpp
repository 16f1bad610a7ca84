#include "lithe/kinematics/charts.h"

#include <cmath>

namespace lithe {
namespace {

Vector3 angles_of(const Chart& chart, const VectorX& coordinates) {
  return {coordinates[chart.coordinates[0]], coordinates[chart.coordinates[1]], coordinates[chart.coordinates[2]]};
}

}  // namespace

Matrix3 chart_rotation(const Vector3& angles) {
  return (Eigen::AngleAxisd(angles.x(), Vector3::UnitX()) * Eigen::AngleAxisd(angles.y(), Vector3::UnitY()) *
          Eigen::AngleAxisd(angles.z(), Vector3::UnitZ()))
      .toRotationMatrix();
}

Matrix3 chart_rate_map(const Vector3& angles) {
  const double c2 = std::cos(angles.y()), s2 = std::sin(angles.y());
  const double c3 = std::cos(angles.z()), s3 = std::sin(angles.z());
  Matrix3 E;
  E << c2 * c3, s3, 0, -c2 * s3, c3, 0, s2, 0, 1;
  return E;
}

bool charts_need_recentring(const Mechanism& mechanism, const Configuration& configuration, double limit) {
  for (const Chart& chart : mechanism.charts())
    if (!chart.fixed && std::abs(configuration.coordinates[chart.coordinates[1]]) > limit) return true;
  return false;
}

bool fixed_charts_are_singular(const Mechanism& mechanism, const VectorX& coordinates) {
  for (const Chart& chart : mechanism.charts())
    if (chart.fixed && std::cos(coordinates[chart.coordinates[1]]) < least_cosine_of_second_angle) return true;
  return false;
}

bool recentre_charts(const Mechanism& mechanism, Configuration& configuration, Eigen::Ref<VectorX> rates,
                     double limit) {
  bool moved = false;
  for (int k = 0; k < mechanism.num_charts(); ++k) {
    const Chart& chart = mechanism.charts()[k];
    const Vector3 angles = angles_of(chart, configuration.coordinates);
    if (chart.fixed || !(std::abs(angles.y()) > limit)) continue;
    moved = true;
    configuration.references[k] = (configuration.references[k] * Quaternion(chart_rotation(angles))).normalized();
    const Vector3 old_rates(rates[chart.coordinates[0]], rates[chart.coordinates[1]], rates[chart.coordinates[2]]);
    const Vector3 new_rates = chart_rate_map(angles) * old_rates;
    for (int i = 0; i < 3; ++i) {
      configuration.coordinates[chart.coordinates[i]] = 0;
      rates[chart.coordinates[i]] = new_rates[i];
    }
  }
  return moved;
}

Vector3 angles_of_rotation(const Matrix3& R) {
  // R(0,2) = s2, R(1,2) = -s1 c2, R(2,2) = c1 c2, R(0,1) = -c2 s3, R(0,0) = c2 c3
  return {std::atan2(-R(1, 2), R(2, 2)), std::atan2(R(0, 2), std::hypot(R(0, 0), R(0, 1))),
          std::atan2(-R(0, 1), R(0, 0))};
}

Vector3 whole_angles(const Mechanism& mechanism, const Configuration& configuration, int chart) {
  return angles_of_rotation(configuration.references[chart].toRotationMatrix() *
                            chart_rotation(angles_of(mechanism.charts()[chart], configuration.coordinates)));
}

}  // namespace lithe
