// Jacobians of all links with respect to the independent coordinates, and their rates.
#pragma once

#include <vector>

#include "lithe/kinematics/independent.h"

namespace lithe {

// (v, ω)_i = J_i θ̇ in the axes of frame i, rows v then ω. The matrix rate J̇_i is the derivative of the entries, so that
// (v̇, ω̇) = J θ̈ + J̇ θ̇ with v̇ = a - ω × v; the acceleration (a, α) itself comes from update_acceleration with β̈ = γ.
struct LinkJacobians {
  LinkJacobians(const Mechanism& mechanism, const IndependentCoordinates& coordinates);

  std::vector<Matrix6X> of_frame;       // 6 x θ
  std::vector<Matrix6X> rate_of_frame;  // 6 x θ
  // θ that can move each frame, ascending; other columns are zero.
  std::vector<std::vector<int>> support;
};

inline const Matrix6X& link_jacobian(const Mechanism& mechanism, const LinkJacobians& jacobians, int link) {
  return jacobians.of_frame[mechanism.frame_of_link(link)];
}
inline const Matrix6X& link_jacobian_rate(const Mechanism& mechanism, const LinkJacobians& jacobians, int link) {
  return jacobians.rate_of_frame[mechanism.frame_of_link(link)];
}

// After update_position and update_map (15).
void update_jacobians(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                      const KinematicState& state, const VelocityMap& map, LinkJacobians& jacobians);
// After update_jacobians, update_velocity and update_map_rate (16).
void update_jacobian_rates(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                           const KinematicState& state, const VelocityMap& map, LinkJacobians& jacobians);

}  // namespace lithe
