#include "support/loop_motion.h"

#include "lithe/base/decompositions.h"
#include "lithe/kinematics/closure_rows.h"

namespace lithe::testing {
namespace {

// Columns of (∂Ψ/∂β)˙ of one cut joint, handed to `put(k, rows)` (9).
template <class Put>
void each_column_rate(const Mechanism& mechanism, const CutJoint& cut, const KinematicState& state, const Put& put) {
  const WorldMotion F = side_motion(state, cut.parent_frame, cut.frame_in_parent);
  const WorldMotion M = side_motion(state, cut.child_frame, cut.frame_in_child);
  const Matrix3 R_FW = F.orientation.transpose();
  const Matrix3 R_FM = R_FW * M.orientation;
  const Vector3 relative = R_FW * (M.angular_velocity - F.angular_velocity);
  const Matrix3 W = sine_rows(cut.type, R_FM);
  const Matrix3 W_rate = sine_rows(cut.type, skew(relative) * R_FM);
  for (const LoopCoordinate& member : cut.coordinates) {
    const TreeFrame& frame = mechanism.frames()[member.frame];
    const WorldMotion C = motion_of_point(state, member.frame, Vector3::Zero());
    const UnitTwist twist = unit_twist(mechanism, member.frame, state, M.position);
    const Vector3& w = twist.angular_velocity;
    const Vector3 w_rate = C.angular_velocity.cross(w);
    const Vector3 u_rate = C.angular_velocity.cross(C.orientation * frame.unit_velocity) +
                           w_rate.cross(M.position - C.position) + w.cross(M.velocity - C.velocity);
    const Vector3 translation = R_FW * (u_rate - F.angular_velocity.cross(twist.velocity));
    const Vector3 rotation = W_rate * (R_FW * w) + W * (R_FW * (w_rate - F.angular_velocity.cross(w)));
    Vector6 rows;
    put_rows(cut.type, member.sign * translation, member.sign * rotation, rows);
    put(member.coordinate, rows);
  }
}

// 1/length for translations, so that residuals of all rows compare.
VectorX row_scales(const Mechanism& mechanism) {
  VectorX scales = VectorX::Ones(mechanism.num_closure_rows());
  for (const CutJoint& cut : mechanism.cuts())
    for (int i = 0; i < cut.num_rows; ++i)
      if (mechanism.is_length(cut, i)) scales[cut.first_row + i] = 1 / mechanism.length_scale();
  return scales;
}

// -Ψ_d⁻¹ times the right side, in the rows of the dependent coordinates; zero in the others.
MatrixX dependent_part(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                       const KinematicState& state, const MatrixX& right) {
  MatrixX result = MatrixX::Zero(mechanism.num_coordinates(), right.cols());
  if (coordinates.trivial()) return result;
  MatrixX jacobian(mechanism.num_closure_rows(), mechanism.num_coordinates());
  closure_jacobian(mechanism, state, jacobian);
  const VectorX scales = row_scales(mechanism);
  const MatrixX dependent = scales.asDiagonal() * jacobian(Eigen::all, coordinates.dependent);
  result(coordinates.dependent, Eigen::all) = -PivotedQr(dependent).solve(scales.asDiagonal() * right);
  return result;
}

}  // namespace

VectorX closure_rate(const Mechanism& mechanism, const KinematicState& state) {
  VectorX rate(mechanism.num_closure_rows());
  for (const CutJoint& cut : mechanism.cuts()) {
    if (cut.couples()) {
      rate[cut.first_row] = coupled_sum(cut, state.rates);
      continue;
    }
    const RelativeMotion m = relative_motion(cut, state);
    put_rows(cut.type, m.velocity, sine_rows(cut.type, m.pose.rotation) * m.angular_velocity,
             rate.segment(cut.first_row, cut.num_rows));
  }
  return rate;
}

VectorX closure_acceleration(const Mechanism& mechanism, const KinematicState& state) {
  VectorX acceleration(mechanism.num_closure_rows());
  for (const CutJoint& cut : mechanism.cuts()) {
    if (cut.couples()) {
      acceleration[cut.first_row] = coupled_sum(cut, state.accelerations);
      continue;
    }
    const RelativeMotion m = relative_motion(cut, state);
    const Matrix3 R_rate = skew(m.angular_velocity) * m.pose.rotation;
    const Vector3 rotation = sine_rows(cut.type, m.pose.rotation) * m.angular_acceleration +
                             sine_rows(cut.type, R_rate) * m.angular_velocity;
    put_rows(cut.type, m.acceleration, rotation, acceleration.segment(cut.first_row, cut.num_rows));
  }
  return acceleration;
}

MatrixX closure_jacobian_rate(const Mechanism& mechanism, const KinematicState& state) {
  MatrixX rate = MatrixX::Zero(mechanism.num_closure_rows(), mechanism.num_coordinates());
  for (const CutJoint& cut : mechanism.cuts()) {
    if (cut.couples() || cut.num_rows == 0) continue;
    each_column_rate(mechanism, cut, state, [&](int coordinate, const Vector6& rows) {
      rate.col(coordinate).segment(cut.first_row, cut.num_rows) = rows.head(cut.num_rows);
    });
  }
  return rate;
}

VectorX get_independent(const IndependentCoordinates& coordinates, const VectorX& beta) {
  return beta(coordinates.independent);
}

void set_independent(const IndependentCoordinates& coordinates, const VectorX& theta, Configuration& configuration) {
  configuration.coordinates(coordinates.independent) = theta;
}

ClosureStatus close_dependent(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                              Configuration& configuration, KinematicState& state, double tolerance) {
  constexpr int max_iterations = 25;
  const VectorX scales = row_scales(mechanism);
  VectorX residual(mechanism.num_closure_rows());
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    update_position(mechanism, configuration, state);
    closure_residual(mechanism, state, residual);
    if (residual.size() == 0 || scales.cwiseProduct(residual).cwiseAbs().maxCoeff() <= tolerance)
      return ClosureStatus::closed;
    configuration.coordinates += dependent_part(mechanism, coordinates, state, residual);
  }
  return ClosureStatus::stalled;
}

VectorX map_bias(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state) {
  return dependent_part(mechanism, coordinates, state, closure_jacobian_rate(mechanism, state) * state.rates);
}

MatrixX map_rate(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state,
                 const MatrixX& map) {
  return dependent_part(mechanism, coordinates, state, closure_jacobian_rate(mechanism, state) * map);
}

}  // namespace lithe::testing
