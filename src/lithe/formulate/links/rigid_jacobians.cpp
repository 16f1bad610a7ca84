#include "lithe/formulate/links/rigid_jacobians.h"

#include <Eigen/LU>

#include "lithe/base/decompositions.h"
#include "lithe/formulate/numerics/rotation_vector.h"
#include "lithe/kinematics/closure.h"

namespace lithe {
namespace {

// Dependent coordinates from Ψ_d δβ_d = -Ψ_i δβ_i.
void follow_closure(const Mechanism& mechanism, const std::vector<bool>& independent, const KinematicState& state,
                    MatrixX& changes) {
  std::vector<Eigen::Index> free, tied;
  for (Eigen::Index c = 0; c < changes.rows(); ++c) (independent[c] ? free : tied).push_back(c);
  if (tied.empty()) return;
  MatrixX jacobians(mechanism.num_closure_rows(), changes.rows());
  closure_jacobian(mechanism, state, jacobians);
  const MatrixX of_tied = jacobians(Eigen::all, tied), gap = jacobians(Eigen::all, free) * changes(free, Eigen::all);
  changes(tied, Eigen::all) = -PivotedQr(of_tied).solve(gap);
}

}  // namespace

Matrix6X rigid_link_jacobians(const Mechanism& mechanism, const std::vector<bool>& independent, MatrixX changes,
                              int link, KinematicState& state) {
  if (!mechanism.cuts().empty()) follow_closure(mechanism, independent, state, changes);
  const int frame = mechanism.frame_of_link(link);
  const Matrix3 R = state.in_world[frame].rotation;
  Matrix6X result(6, changes.cols());
  for (Eigen::Index k = 0; k < changes.cols(); ++k) {
    update_velocity(mechanism, changes.col(k), state);
    for (int i = 0; i < 3; ++i) {
      result(i, k) = R.row(i).dot(state.velocity[frame]);
      result(3 + i, k) = R.row(i).dot(state.angular_velocity[frame]);
    }
  }
  return result;
}

// With A = F Rᵀ = exp(θ×): Aᵀ δA = (Aᵀ δF - δR)×, δθ = T(θ)⁻¹ of it.
Matrix6X displacement_jacobians(const Matrix3& R, const Vector3& arm, const Matrix6X& link, const Matrix3& F,
                                const Matrix6X& node) {
  const Matrix3 A = F * R.transpose();
  const Matrix3 inverse = rate_map(rotation_vector(A)).inverse();
  Matrix6X result(6, node.cols());
  result.topRows<3>() = node.topRows<3>() - link.topRows<3>() + skew(arm) * link.bottomRows<3>();
  result.bottomRows<3>() = inverse * (A.transpose() * node.bottomRows<3>() - link.bottomRows<3>());
  return result;
}

}  // namespace lithe
