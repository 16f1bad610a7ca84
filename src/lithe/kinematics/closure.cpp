#include "lithe/kinematics/closure.h"

#include "lithe/kinematics/closure_rows.h"

namespace lithe {
namespace {

void copy_rows(const CutJoint& cut, const Vector6& rows, double* column) {
  for (int i = 0; i < cut.num_rows; ++i) column[i] = rows[i];
}

}  // namespace

RelativePose relative_pose(const CutJoint& cut, const KinematicState& state) {
  const Pose X_FM = (state.pose(cut.parent_frame) * cut.frame_in_parent).inverse() *
                    (state.pose(cut.child_frame) * cut.frame_in_child);
  return {X_FM.rotation, X_FM.position};
}

void closure_residual(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<VectorX> residual) {
  for (const CutJoint& cut : mechanism.cuts()) {
    put_residual(cut, state, sines, residual.segment(cut.first_row, cut.num_rows));
  }
}

void closure_rate(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<VectorX> rate) {
  for (const CutJoint& cut : mechanism.cuts()) {
    if (cut.couples()) {
      rate[cut.first_row] = coupled_sum(cut, state.rates);
      continue;
    }
    const RelativeMotion m = relative_motion(cut, state);
    put_rows(cut.type, m.velocity, sine_rows(cut.type, m.pose.rotation) * m.angular_velocity,
             rate.segment(cut.first_row, cut.num_rows));
  }
}

void closure_acceleration(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<VectorX> acceleration) {
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
}

void closure_velocity_product(const Mechanism& mechanism, const CutJoint& cut, const KinematicState& state,
                              double* rows) {
  for (int i = 0; i < cut.num_rows; ++i) rows[i] = 0;
  each_column_rate(mechanism, cut, state, [&](int k, const Vector6& column) {
    const double rate = state.rates[cut.coordinates[k].coordinate];
    for (int i = 0; i < cut.num_rows; ++i) rows[i] += column[i] * rate;
  });
}

void closure_jacobian(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<MatrixX> jacobian) {
  jacobian.setZero();
  for (const CutJoint& cut : mechanism.cuts()) {
    if (cut.num_rows == 0) continue;  // a free joint
    each_column(mechanism, cut, state, sine_rows, [&](int k, const Vector6& rows) {
      copy_rows(cut, rows, &jacobian(cut.first_row, cut.coordinates[k].coordinate));
    });
  }
}

void closure_jacobian_rate(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<MatrixX> rate) {
  rate.setZero();
  for (const CutJoint& cut : mechanism.cuts()) {
    if (cut.num_rows == 0) continue;
    each_column_rate(mechanism, cut, state, [&](int k, const Vector6& rows) {
      copy_rows(cut, rows, &rate(cut.first_row, cut.coordinates[k].coordinate));
    });
  }
}

std::string describe_loop(const Mechanism& mechanism, const CutJoint& cut) {
  if (cut.couples()) return "coupling '" + mechanism.coupling_name(cut.coupling) + "'";
  std::string names;
  for (int joint : cut.loop) names += (names.empty() ? "'" : ", '") + mechanism.joint_name(joint) + "'";
  return "the loop of joints " + names;
}

}  // namespace lithe
