#include "lithe/formulate/joints/ball_damper.h"

#include "lithe/formulate/joints/joint_values.h"

namespace lithe {
namespace {

bool has_three_angles(const Joint& joint) {
  return joint.type == JointType::spherical || joint.type == JointType::free;
}

}  // namespace

Vector3 turn_damping(const Joint& joint) {
  if (!has_three_angles(joint)) return Vector3::Zero();
  const int first = num_freedoms(joint.type) - 3;
  return {freedom_value(joint.damping, first), freedom_value(joint.damping, first + 1),
          freedom_value(joint.damping, first + 2)};
}

double freedom_damping(const Joint& joint, int freedom) {
  return has_three_angles(joint) && is_rotation(joint.type, freedom) ? 0.0 : freedom_value(joint.damping, freedom);
}

std::vector<BallDamper> ball_dampers(const Model& model, const Mechanism& mechanism) {
  std::vector<BallDamper> result;
  for (const Chart& chart : mechanism.charts())
    if (const Vector3 damping = turn_damping(model.joints[chart.joint]); !damping.isZero(0))
      result.push_back({chart.coordinates, damping});
  return result;
}

Matrix3 ball_damper_matrix(const BallDamper& damper, const Vector3& angles) {
  const Matrix3 E = ball_axes<double>(angles);
  return E.transpose() * damper.damping.asDiagonal() * E;
}

double ball_damper_power(const BallDamper& damper, const BallMotion<double>& motion) {
  return motion.rates.dot(ball_damper_force<double>(damper, motion));
}

}  // namespace lithe
