// What an equilibrium means to a user: sensors, joint values with the forces that hold them, deflections of the links.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/observe/deformation.h"

namespace lithe {

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
