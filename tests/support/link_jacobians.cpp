#include "support/link_jacobians.h"

#include <algorithm>

namespace lithe::testing {
namespace {

// θ that move each tree coordinate.
std::vector<std::vector<int>> influences(const Mechanism& mechanism, const IndependentCoordinates& coordinates) {
  std::vector<std::vector<int>> result(mechanism.num_coordinates());
  for (int i = 0; i < coordinates.mobility(); ++i) result[coordinates.independent[i]] = {i};
  for (const GroupSplit& split : coordinates.groups)
    for (int c : split.dependent)
      for (int independent : split.independent) result[c].push_back(coordinates.position[independent]);
  return result;
}

// What a frame adds to its parent's motion: the unit velocities times row c of Γ (or Γ̇).
void add_own_motion(const TreeFrame& frame, const IndependentCoordinates& coordinates, const MatrixX& map,
                    const std::vector<int>& support, Matrix6X& J) {
  const int c = frame.coordinate;
  if (coordinates.position[c] >= 0) {
    J.col(coordinates.position[c]).head<3>() += frame.unit_velocity;
    J.col(coordinates.position[c]).tail<3>() += frame.unit_angular_velocity;
    return;
  }
  for (int i : support) {
    J.col(i).head<3>() += frame.unit_velocity * map(c, i);
    J.col(i).tail<3>() += frame.unit_angular_velocity * map(c, i);
  }
}

}  // namespace

LinkJacobians::LinkJacobians(const Mechanism& mechanism, const IndependentCoordinates& coordinates)
    : of_frame(mechanism.num_frames(), Matrix6X::Zero(6, coordinates.mobility())),
      rate_of_frame(of_frame),
      support(mechanism.num_frames()) {
  const std::vector<std::vector<int>> influence = influences(mechanism, coordinates);
  for (int i = 0; i < mechanism.num_frames(); ++i) {
    const TreeFrame& frame = mechanism.frames()[i];
    std::vector<int> inherited = frame.parent >= 0 ? support[frame.parent] : std::vector<int>{};
    if (frame.coordinate < 0) {
      support[i] = std::move(inherited);
      continue;
    }
    const std::vector<int>& own = influence[frame.coordinate];
    std::set_union(inherited.begin(), inherited.end(), own.begin(), own.end(), std::back_inserter(support[i]));
  }
}

void update_jacobians(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                      const KinematicState& state, const MatrixX& map, LinkJacobians& jacobians) {
  for (int i = 0; i < mechanism.num_frames(); ++i) {
    const TreeFrame& frame = mechanism.frames()[i];
    const Pose& X_PC = state.in_parent[i];
    const Matrix3 R_CP = X_PC.rotation.transpose();
    Matrix6X& J = jacobians.of_frame[i];
    for (int c : jacobians.support[i]) J.col(c).setZero();
    if (frame.parent >= 0) {
      const Matrix6X& J_P = jacobians.of_frame[frame.parent];
      for (int c : jacobians.support[frame.parent]) {
        const Vector3 omega = J_P.col(c).tail<3>();
        J.col(c).head<3>() = R_CP * (J_P.col(c).head<3>() + omega.cross(X_PC.position));
        J.col(c).tail<3>() = R_CP * omega;
      }
    }
    if (frame.coordinate >= 0) add_own_motion(frame, coordinates, map, jacobians.support[i], J);
  }
}

void update_jacobian_rates(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                           const KinematicState& state, const MatrixX& map_rate, LinkJacobians& jacobians) {
  for (int i = 0; i < mechanism.num_frames(); ++i) {
    const TreeFrame& frame = mechanism.frames()[i];
    const Pose& X_PC = state.in_parent[i];
    const Matrix3 R_CP = X_PC.rotation.transpose();
    const double rate = frame.coordinate >= 0 ? state.rates[frame.coordinate] : 0.0;
    const Vector3 spin = frame.unit_angular_velocity * rate;                     // of C in P, axes C
    const Vector3 p_rate = X_PC.rotation * Vector3(frame.unit_velocity * rate);  // ṗ, axes P
    Matrix6X& J_rate = jacobians.rate_of_frame[i];
    for (int c : jacobians.support[i]) J_rate.col(c).setZero();
    if (frame.parent >= 0) {
      const Matrix6X &J_P = jacobians.of_frame[frame.parent], &J_P_rate = jacobians.rate_of_frame[frame.parent];
      for (int c : jacobians.support[frame.parent]) {
        const Vector3 omega = J_P.col(c).tail<3>(), omega_rate = J_P_rate.col(c).tail<3>();
        const Vector3 v = J_P.col(c).head<3>() + omega.cross(X_PC.position);
        const Vector3 v_rate = J_P_rate.col(c).head<3>() + omega_rate.cross(X_PC.position) + omega.cross(p_rate);
        J_rate.col(c).head<3>() = R_CP * v_rate - spin.cross(R_CP * v);
        J_rate.col(c).tail<3>() = R_CP * omega_rate - spin.cross(R_CP * omega);
      }
    }
    const bool depends = frame.coordinate >= 0 && coordinates.position[frame.coordinate] < 0;
    if (depends) add_own_motion(frame, coordinates, map_rate, jacobians.support[i], J_rate);
  }
}

}  // namespace lithe::testing
