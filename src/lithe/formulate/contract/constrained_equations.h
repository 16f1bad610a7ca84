// Equations whose coordinates obey constraints g(x, t) = 0: M ν̇ + Jᵀ λ = f, g = 0. As `Equations` they are the index-1
// form with projection after every accepted step, which any integrator can follow; this contract beside it serves
// integrators that solve for coordinates and multipliers together.
#pragma once

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// Joint freedoms that stay where they are.
enum class HeldJoints {
  none,
  unsprung,  // those of the independent ones that no spring holds
  all,       // all independent ones
};

// Motions next to a nominal one in coordinates z of their own, as many as the constraints leave: small motions of the
// frames in their own axes as they move along, so that a steady motion has constant matrices.
//   M δz̈ + C δż + K δz = B δu,   δx = N δz,   δẋ = N δż + S δz,   δẍ = N δz̈ + A δż + P δz  in the chart of the state
struct ConstrainedLinearisation {
  MatrixX mass, damping, stiffness, input;
  MatrixX directions;  // N, orthonormal in the mass
  MatrixX onto;        // Nᵀ M: δz of a motion of all coordinates
  // How N moves on in the frames' axes, Nᵀ M being kept: δν = N δż + (velocity by place) δz.
  MatrixX directions_rate, directions_acceleration, velocity_by_place;
  MatrixX speed_by_place;                                // S
  MatrixX acceleration_by_speed, acceleration_by_place;  // A, P
  VectorX accelerations;                                 // ẍ about which, in the chart
  VectorX force;                                         // along z, that would have to act for these accelerations
  Inputs inputs;                                         // with the forces on joint freedoms that act for them
};

class ConstrainedEquations : public Equations {
 public:
  virtual int num_multipliers() const = 0;

  // Begins the charts at the state: rotations and positions are absorbed by the configuration, and speeds become body
  // velocities ν. The motion is unchanged.
  virtual void recentre(State& state) const = 0;
  // The state reached from a recentred one by the finite motion exp(step) of every frame, step = (ρ, θ, q) in the axes
  // of the start, with the body velocities given. The result has the chart of the start.
  virtual void move(const State& start, const VectorX& step, const VectorX& velocities, State& result) const = 0;

  // The small motion from one recentred state to another in the axes of the first: of frames as `move` takes it to
  // first order, of turning rotors without whole turns.
  virtual VectorX motion_between(const State& from, const State& to) const = 0;

  // ẍ in the state's chart from ν̇.
  virtual void chart_accelerations(const State&, const VectorX& body_accelerations, VectorX& result) const = 0;

  // ν̇ and λ at a state. Never throws or allocates.
  virtual EvaluationStatus body_accelerations(const State&, const Inputs&, Workspace&, VectorX& accelerations,
                                              VectorX& multipliers) const = 0;
  // M ν̇ - f + Jᵀ λ and g.
  virtual EvaluationStatus residual(const State&, const Inputs&, const VectorX& accelerations,
                                    const VectorX& multipliers, Workspace&, VectorX& dynamic,
                                    VectorX& constraint) const = 0;
  // Factors of [M + damping C + stiffness K, Jᵀ; J, 0] at the state of the last residual(). The bodies' part hardly
  // changes and may be kept (`bodies` false) while the joints' part follows the motion.
  virtual EvaluationStatus factorise_tangent(double damping, double stiffness, bool bodies, Workspace&) const = 0;
  // In place: right-hand sides in, ν̇ and λ out.
  virtual void solve_tangent(Workspace&, VectorX& dynamic, VectorX& constraint) const = 0;
  // M times values at the state of the last residual().
  virtual void mass_times(const Workspace&, const VectorX& values, VectorX& result) const = 0;

  // Directions of ν that the constraints allow at a state, orthonormal in the mass, one per column; with joints held,
  // those that move none of these freedoms either.
  virtual MatrixX admissible_directions(const State&, const Inputs&, HeldJoints held, Workspace&) const = 0;
  // About a recentred state and ν̇, which is brought onto the constraints. What keeps ν̇ from being the state's own are
  // constant forces on the independent joint freedoms as far as these can.
  virtual EvaluationStatus linearise_constrained(const State&, const Inputs&, const VectorX& accelerations, Workspace&,
                                                 ConstrainedLinearisation&) const = 0;
  // Velocities ν with which the bodies beyond a joint move steadily along one of its freedoms while the others rest.
  // False where there is no such motion: a body would have to do both.
  virtual bool steady_velocities(const State&, const Inputs&, int joint, int freedom, double speed, Workspace&,
                                 VectorX& velocities) const = 0;
  // Multiplies gravity in all that follows with this workspace.
  virtual void scale_gravity(double factor, Workspace&) const = 0;
  // The integrator that "automatic" stands for.
  virtual std::string preferred_integrator() const = 0;
  // Joint freedoms that place the rigid mechanism.
  virtual int mobility() const = 0;
  // Largest violation of g, m or rad.
  virtual double constraint_violation(const State&, const Inputs&, Workspace&) const = 0;
};

}  // namespace lithe
