// Equations whose coordinates obey constraints g(x, t) = 0: M ν̇ + Jᵀ λ = f, g = 0. As `Equations` they are the index-1
// form with projection after every accepted step, which any integrator can follow; this contract beside it serves
// integrators that solve for coordinates and multipliers together.
#pragma once

#include "lithe/formulate/equations.h"

namespace lithe {

class ConstrainedEquations : public Equations {
 public:
  virtual int num_multipliers() const = 0;

  // Begins the charts at the state: rotations and positions are absorbed by the posture, and speeds become body
  // velocities ν. The motion is unchanged.
  virtual void recentre(State& state) const = 0;
  // The state reached from a recentred one by the finite motion exp(step) of every frame, step = (ρ, θ, q) in the axes
  // of the start, with the body velocities given. The result has the chart of the start.
  virtual void move(const State& start, const VectorX& step, const VectorX& velocities, State& result) const = 0;

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
  // those that move no independent freedom of a joint either.
  virtual MatrixX admissible_directions(const State&, const Inputs&, bool hold_joints, Workspace&) const = 0;
  // The integrator that "automatic" stands for.
  virtual std::string preferred_integrator() const = 0;
  // Joint freedoms that place the rigid mechanism.
  virtual int mobility() const = 0;
  // Metres that the fastest node moves per unit of each coordinate.
  virtual VectorX coordinate_scales(const State&) const = 0;
  // Largest violation of g, m or rad.
  virtual double constraint_violation(const State&, const Inputs&, Workspace&) const = 0;
};

}  // namespace lithe
