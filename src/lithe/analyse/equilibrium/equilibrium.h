// Static equilibrium by damped Newton on the accelerations at rest, and of constrained equations the rest of everything
// else while one joint turns or slides steadily. What an equilibrium
// means to a user. docs/simulate.md, docs/theory/corotational.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lithe/formulate/contract/equations.h"

namespace lithe {

// A joint's freedom that moves at a constant speed.
struct SteadyTurn {
  int joint = 0, freedom = 0;
  double speed = 0;
};

// Of analyses at rest: whether joints that no spring holds have their brakes on where nothing else is said.
inline constexpr bool brakes_are_on = true;

// What is held at rest, and when a residual counts as zero.
struct EquilibriumOptions {
  bool hold_all_joints = false;  // joint coordinates stay where they are (brakes) and their torques are reported
  bool hold_unsprung = false;    // the same of those joints alone that no spring holds; springs settle
  std::optional<SteadyTurn> steady = {};  // of constrained equations
  // Of equations in independent coordinates, instead of hold_all_joints: an input matrix B. The displacements Bᵀ δx
  // that belong to its columns are held (motors with their brakes on), everything else settles.
  MatrixX held_inputs = {};
  double tolerance = 1e-10;  // residual force relative to the largest force on a coordinate at the start
  int max_iterations = 100;
  double time = 0;                 // at which drives and loads act
  const Inputs* inputs = nullptr;  // what acts instead of those
};

// A state at rest and what holds it.
struct Equilibrium {
  bool converged = false;
  State state;          // at rest; the best one found
  double residual = 0;  // largest residual force on a free coordinate, in the coordinates' units
  int iterations = 0;
  bool stable = false;     // the stiffness there is positive definite on the free coordinates
  VectorX holding_forces;  // one per joint coordinate: what a brake must exert; zeros when nothing is held
  VectorX holding_inputs;  // one per column of held_inputs
  std::string message;     // one sentence
};

// Prescribed motions stand still where they are.
void bring_to_rest(Inputs& inputs);

// From `start`, whose speeds are ignored.
Equilibrium equilibrium(const Equations& equations, const State& start, const EquilibriumOptions& options = {});

// Where a motion starts: the initial state, or the equilibrium that the model asks for: joints that controllers drive
// are held there, others settle. Throws InputError when there is none.
State start_state(const Equations& equations);

// What a sensor reads.
struct SensorAtRest {
  std::string name, unit;
  double value = 0;  // NaN where the formulation does not tell
};

// Where a degree of freedom of a joint stands, and what holds it there.
struct JointAtRest {
  std::string name, unit, force_unit;
  double value = 0;  // as an encoder reads it
  bool held = false;
  double holding_force = 0;  // of the brake, or of the drive that prescribes the motion; besides what drives exert
};

// Largest values over the nodes of a flexible link, in the axes of its first node.
struct LinkAtRest {
  std::string name;
  double deflection = 0, relative_deflection = 0;  // m, and over the length of its beams
  double rotation = 0;                             // rad
};

// Sensors, joints and links at rest.
struct EquilibriumSummary {
  std::vector<SensorAtRest> sensors;
  std::vector<JointAtRest> joints;  // one entry per degree of freedom of a joint
  std::vector<LinkAtRest> links;
};

// With the inputs that act at the equilibrium, prescribed motions at rest. Sensors see the forces that hold the joints
// as well, where these are held.
EquilibriumSummary summarise(const Equations& equations, const Equilibrium& found, const Inputs& inputs,
                             bool joints_held);

}  // namespace lithe
