// The sets of nodes of [SC] section 3.1 and its connection rule (8), n_O = n_J - n_c, counted for a condensation.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/condense/condense.h"

namespace lithe {

// Nodes and connections of a group that joints and rigid links tie together.
struct SubsystemCount {
  std::string name;  // its links
  SubsystemRole role = SubsystemRole::condensed;
  NodeOfLink root;          // whose motion stands for the group
  int num_joint_nodes = 0;  // n_J
  int mobile = 0, rigid = 0,
      imposed = 0;  // joints; nodes of a rigid link beyond its first; nodes on the ground or held
  int loops = 0;    // connections beyond a tree, for which the rule does not hold
  int connections() const { return mobile + rigid + imposed; }  // n_c
  int by_rule() const { return num_joint_nodes - connections(); }
  int num_independent() const { return by_rule() + loops; }  // n_O
};

// The sets of nodes and what they count.
struct NodeSets {
  int num_inner = 0;                    // I: mesh nodes of flexible links that nothing outside sees
  std::vector<NodeOfLink> boundary;     // B: nodes of flexible links that are seen
  std::vector<std::string> joint;       // J: nodes subject to connections, "ground at 'joint'" on the ground
  std::vector<NodeOfLink> independent;  // O
  std::vector<SubsystemCount> subsystems;
  SubsystemCount total;
};

NodeSets node_sets(const Condenser& condenser);

// Stiffness along and about each axis: with the tool locked in the five other directions (K_ii), and with it free in
// them (1/C_ii), which is what a force and a dial gauge measure. NaN where it is not there, infinite where the tool
// cannot move.
struct ToolStiffness {
  Vector6 locked = Vector6::Constant(std::nan("")), free = Vector6::Constant(std::nan(""));
};
ToolStiffness stiffness_by_direction(const ToolMatrices& tool);

// Displacement and rotation of an imposed node; NaN: that component is free.
inline Vector6 imposed_components(const ImposedDisplacement& imposed) {
  return (Vector6() << imposed.displacement, imposed.rotation).finished();
}

}  // namespace lithe
