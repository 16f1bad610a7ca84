// The contract between formulations and everything that uses them: M v̇ + Jᵀ λ = f,  J v̇ = γ.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/kinematics/mechanism.h"

namespace lithe {

// What can be copied to restart bit-identically. Nothing derived.
struct State {
  double time = 0;
  VectorX coordinates;          // x: free independent joint coordinates, then elastic coordinates link by link
  VectorX speeds;               // ẋ
  Configuration configuration;  // tree configuration at the last accepted step: where loop closure starts from, and the
                                // chart references
  VectorX controller_memory;
};

// A force and a torque on a node.
struct NodalLoad {
  int link = 0;
  int node = 0;
  bool follows_link = false;  // components in link axes instead of world axes
  Vector3 force = Vector3::Zero();
  Vector3 torque = Vector3::Zero();
};

// Everything that acts from outside at one instant.
struct Inputs {
  std::vector<std::vector<double>> joint_forces;  // [joint][freedom]
  std::vector<std::vector<SignalValue>>
      prescribed_motion;  // [joint][freedom], where prescribed; one list more: of the model's chosen coordinates
  std::vector<NodalLoad> nodal_loads;
};
Inputs make_inputs(const Model& model);  // right sizes, all zero
void evaluate_inputs(const Model& model, double time,
                     Inputs& inputs);  // drives and loads of the model; allocates nothing

// Every intermediate of a formulation; one per thread.
class Workspace {
 public:
  virtual ~Workspace() = default;
};

// Whether equations could be evaluated at a state, and if not, why.
enum class EvaluationStatus {
  ok,
  loop_not_closed,  // Newton did not converge: unreachable or singular configuration
  singular_mass,    // mass matrix not positive definite
  not_finite,
  singular_angles,  // a spherical or free joint's angles, on which something acts, at a right angle of the second
};
std::string describe(EvaluationStatus status);

// Second derivatives of the coordinates.
struct Accelerations {
  VectorX values;  // ẍ
};

// M δẍ + C δẋ + K δx = B δu about a state; exact derivatives. u: joint forces of all freedoms in model order.
// With the residual r(x, ẋ, ẍ) = M(x) ẍ - f(x, ẋ): mass = ∂r/∂ẍ, damping = ∂r/∂ẋ, stiffness = ∂r/∂x, all at the ẍ that
// evaluate() finds for the same state, so that stiffness contains the derivative of M(x) ẍ.
struct LinearBlocks {
  MatrixX mass, damping, stiffness, input;
};

// Energies of a state, J.
struct Energies {
  double kinetic = 0, gravity = 0, elastic = 0;    // elastic includes joint springs
  EvaluationStatus status = EvaluationStatus::ok;  // not ok: all are NaN, and this is why
  double total() const { return kinetic + gravity + elastic; }
};
Energies unknown_energies(EvaluationStatus status);

// Motion of a node in world axes.
struct NodeMotion {
  Vector3 position, velocity, acceleration;
  Matrix3 orientation;  // of the node's material axes, to first order in the deformation
  Vector3 angular_velocity, angular_acceleration;
  Vector3 displacement, rotation;                  // elastic: from the rigid mechanism's position
  EvaluationStatus status = EvaluationStatus::ok;  // not ok: what is NaN is not known, and this is why
};
NodeMotion unknown_motion(EvaluationStatus status);
// Of a joint whose motion is not known: NaN.
SignalValue unknown_value();

// Equations of motion of a model in one formulation.
class Equations {
 public:
  virtual ~Equations() = default;

  virtual std::string name() const = 0;
  virtual const Model& model() const = 0;
  virtual int num_coordinates() const = 0;        // size of x
  virtual int num_joint_coordinates() const = 0;  // the first so many of x are joint coordinates
  virtual std::vector<std::string> coordinate_names() const = 0;
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;
  // Whether forces along beams change their bending stiffness, as rotation stiffens an arm.
  virtual bool has_geometric_stiffening() const { return false; }
  // Nodes of a link that node_motion() knows: the named ones first, then those of its mesh.
  virtual int num_nodes(int link) const { return static_cast<int>(model().links[link].nodes.size()); }

  // A state with the model's initial configuration and speeds and no deformation. Throws InputError when the loops
  // cannot be closed.
  virtual State initial_state() const = 0;

  // ẍ. Never throws or allocates.
  virtual EvaluationStatus evaluate(const State&, const Inputs&, Workspace&, Accelerations&) const = 0;
  virtual EvaluationStatus linearise(const State&, const Inputs&, Workspace&, LinearBlocks&) const = 0;
  // The same with the derivatives at given accelerations instead of the state's own: with zeros, the mechanism as its
  // drives hold it at rest in a configuration that is no equilibrium by itself. Default: linearise(), right where the
  // accelerations are the state's own.
  virtual EvaluationStatus linearise_about(const State& state, const Inputs& inputs, const Accelerations&,
                                           Workspace& workspace, LinearBlocks& blocks) const {
    return linearise(state, inputs, workspace, blocks);
  }

  // Mass, and the stiffness and damping of elastic links and joint springs alone: the stiff part of the motion, cheaper
  // than linearise() and all that an integrator needs that solves it exactly. Default: linearise().
  virtual EvaluationStatus linearise_elastic(const State& state, const Inputs& inputs, Workspace& workspace,
                                             LinearBlocks& blocks) const {
    return linearise(state, inputs, workspace, blocks);
  }

  // To be called after every accepted step: moves configuration guess and charts along. Returns true when coordinates
  // were renamed (a chart moved), so that multistep history or a dense-output interpolant across this point is void.
  virtual bool accept(State&, const Inputs&, Workspace&) const = 0;

  // Observation. `accelerations` is what evaluate() returned for the same state and inputs. Of a state at which the
  // mechanism cannot be placed, energies and motions are NaN and say why.
  virtual Energies energies(const State&, const Inputs&, Workspace&) const = 0;
  virtual NodeMotion node_motion(const State&, const Inputs&, const Accelerations&, int link, int node,
                                 Workspace&) const = 0;
  // node_motion() of all nodes of a link at once; default: one by one.
  virtual void node_motions(const State&, const Inputs&, const Accelerations&, int link,
                            std::vector<NodeMotion>& motions, Workspace&) const;
  // What not every formulation can tell. Defaults: not provided (NaN, or false with the results untouched).
  // Force or torque that keeps a freedom on its prescribed motion; `joint` one past the last: a chosen coordinate.
  virtual double prescribed_force(const State&, const Inputs&, const Accelerations&, int joint, int freedom,
                                  Workspace&) const;
  // That the parent exerts on the child at a joint, world axes, at the joint point.
  virtual bool reaction(const State&, const Inputs&, const Accelerations&, int joint, Vector3& force, Vector3& torque,
                        Workspace&) const;
  // In a beam element next to a node, beam axes.
  virtual bool section_load(const State&, const Inputs&, const Accelerations&, int link, int node, Vector3& force,
                            Vector3& moment, Workspace&) const;
  // The displacements that strain a link: of all freedoms of its finite-element mesh, link axes, up to a rigid motion.
  virtual bool strained_shape(const State&, const Inputs&, int link, VectorX& displacements, Workspace&) const;
  // Power lost in dampers, friction and damped modes, positive.
  virtual double dissipated_power(const State&, const Inputs&, Workspace&) const;

  // Value, rate and acceleration of a joint freedom as an encoder would read it; NaN where the mechanism cannot be
  // placed.
  virtual SignalValue joint_motion(const State&, const Inputs&, const Accelerations&, int joint, int freedom,
                                   Workspace&) const = 0;

  // What follows from the functions above in every formulation; overridden where it is had for less.
  // The frame of a link: displacements of its nodes are counted from the places that they have at rest in it. NaN where
  // the mechanism cannot be placed. Default: from the motion of the link's first node.
  virtual Pose link_pose(const State&, const Inputs&, int link, Workspace&) const;
  // M of all coordinates. Default: that of linearise_elastic().
  virtual EvaluationStatus mass_matrix(const State&, const Inputs&, Workspace&, MatrixX& mass) const;
  // Velocity and angular velocity of a node per unit speed of each coordinate, 6 x n, world axes. Default: n motions.
  virtual EvaluationStatus node_jacobian(const State&, const Inputs&, int link, int node, Workspace&,
                                         MatrixX& jacobian) const;
  // Metres that the fastest named node moves per unit of each coordinate, prescribed joints at rest; zero where that is
  // not known. Default: n motions of all nodes.
  virtual VectorX coordinate_scales(const State&, const Inputs&, Workspace&) const;
  // Forces on the coordinates, beside drives and loads, that give these accelerations: M (ẍ - ẍ₀), with ẍ₀ of drives
  // and loads alone. For independent coordinates.
  virtual EvaluationStatus inverse_dynamics(const State&, const Inputs&, const Accelerations& wanted, Workspace&,
                                            VectorX& forces) const;
};

}  // namespace lithe
