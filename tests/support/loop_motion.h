// Mechanisms with loops along a path of their independent coordinates: rates of the closure and of the maps, for tests.
// The engine itself needs Γ alone (lithe/kinematics/independent.h). docs/theory/kinematics.md.
#pragma once

#include "lithe/kinematics/independent.h"

namespace lithe::testing {

// Ψ̇, after update_velocity.
VectorX closure_rate(const Mechanism& mechanism, const KinematicState& state);
// Ψ̈, after update_acceleration; with β̈ = 0 it is the velocity product (∂Ψ/∂β)˙ β̇ (10).
VectorX closure_acceleration(const Mechanism& mechanism, const KinematicState& state);
// (∂Ψ/∂β)˙, after update_velocity (9).
MatrixX closure_jacobian_rate(const Mechanism& mechanism, const KinematicState& state);

// θ out of β, and into the configuration.
VectorX get_independent(const IndependentCoordinates& coordinates, const VectorX& beta);
void set_independent(const IndependentCoordinates& coordinates, const VectorX& theta, Configuration& configuration);

// Closes the loops by Newton on the dependent coordinates, from where they are, and leaves the poses in `state`.
ClosureStatus close_dependent(const Mechanism& mechanism, const IndependentCoordinates& coordinates,
                              Configuration& configuration, KinematicState& state, double tolerance = 1e-12);

// γ, after update_velocity (13).
VectorX map_bias(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state);
// Γ̇ of Γ, after update_velocity (14).
MatrixX map_rate(const Mechanism& mechanism, const IndependentCoordinates& coordinates, const KinematicState& state,
                 const MatrixX& map);

}  // namespace lithe::testing
