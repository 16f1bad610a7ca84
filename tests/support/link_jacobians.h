// Jacobians of all links with respect to the independent coordinates, and their rates, for tests and benchmarks of the
// maps between coordinates; the engine itself follows velocities link by link.
#pragma once

#include <vector>

#include "lithe/kinematics/independent.h"

namespace lithe::testing {

// (v, ω)_i = J_i θ̇ in the axes of frame i, rows v then ω. The matrix rate J̇_i is the derivative of the entries, so that
// (v̇, ω̇) = J θ̈ + J̇ θ̇ with v̇ = a - ω × v; the acceleration (a, α) itself comes from update_acceleration with β̈ = γ.
struct LinkJacobians {
  LinkJacobians(const Mechanism& mechanism, const IndependentCoordinates& coordinates);

  std::vector<Matrix6X> of_frame;       // 6 x θ
  std::vector<Matrix6X> rate_of_frame;  // 6 x θ
  // θ that can move each frame, ascending; other columns are zero.
  std::vector<std::vector<int>> support;
};

// After update_position, with Γ (15).
void update_jacobians(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                      const KinematicState& state, const MatrixX& map, LinkJacobians& jacobians);
// After update_jacobians and update_velocity, with Γ̇ (16).
void update_jacobian_rates(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                           const KinematicState& state, const MatrixX& map_rate, LinkJacobians& jacobians);

}  // namespace lithe::testing
