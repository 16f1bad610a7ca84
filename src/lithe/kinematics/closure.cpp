#include "lithe/kinematics/closure.h"

#include "lithe/kinematics/closure_rows.h"

namespace lithe {

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

void closure_jacobian(const Mechanism& mechanism, const KinematicState& state, Eigen::Ref<MatrixX> jacobian) {
  jacobian.setZero();
  for (const CutJoint& cut : mechanism.cuts()) {
    if (cut.num_rows == 0) continue;  // a free joint
    each_column(mechanism, cut, state, sine_rows, [&](int k, const Vector6& rows) {
      for (int i = 0; i < cut.num_rows; ++i) jacobian(cut.first_row + i, cut.coordinates[k].coordinate) = rows[i];
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
