// What a condensation finds: reduced mass and stiffness, natural frequencies, the tool, and what was counted on the
// way. docs/theory/condensation.md.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "lithe/model/model.h"

namespace lithe {

// A node by link and index.
struct NodeOfLink {
  int link = -1;
  int node = -1;
  bool operator==(const NodeOfLink&) const = default;
};

// Whether a mechanism could be condensed.
enum class CondenseStatus {
  ok,
  unconstrained,  // something moves that no stiffness holds while the independent nodes are at rest
  unreachable     // no such configuration (sweeps)
};

// Load cases: what the columns of loads and displacements are.
enum LoadCase { case_gravity = 0, case_loads = 1, case_imposed = 2, num_load_cases = 3 };

// The second reduction, to one node. World axes; translations, then rotations.
struct ToolMatrices {
  CondenseStatus status = CondenseStatus::ok;
  std::string message;  // a sentence where something is not there
  std::optional<Matrix6> stiffness,
      mass;                           // not there where the tool cannot move in all six directions, or moves freely
  std::optional<Matrix6> compliance;  // not there where the tool moves freely
  Eigen::Matrix<double, 6, num_load_cases> displacements =
      Eigen::Matrix<double, 6, num_load_cases>::Constant(std::nan(""));  // NaN where the tool moves freely
};

// Mass and stiffness of the independent nodes, and what loads and gravity do to them.
struct CondensedModel {
  CondenseStatus status = CondenseStatus::ok;
  std::string message;             // a sentence when not ok
  std::vector<std::string> notes;  // redundant constraints and the like
  std::vector<NodeOfLink> nodes;   // independent ones, six coordinates each
  std::vector<Vector3> positions;  // of those
  MatrixX stiffness, mass;         // K_L, M_L
  MatrixX loads;                   // reduced, per load case
  MatrixX displacements;           // of the independent nodes per load case; empty where stiffness is singular
  std::optional<ToolMatrices> tool;
  int num_redundant = 0;    // constraints of loops of rigid links and joints
  int num_coordinates = 0;  // before the reduction, with links as superelements
};

// Natural frequencies (Hz) and mass-orthonormal shapes of the reduced model; the first `count`.
struct CondensedModes {
  VectorX frequencies;  // rigid motions 0
  MatrixX shapes;       // coordinates of the independent nodes x modes
};
CondensedModes condensed_modes(const CondensedModel& model, int count);
// The frequencies alone; quicker.
VectorX condensed_frequencies(const CondensedModel& model, int count);

// Of the uncondensed mesh: natural frequencies and compliance of the tool.
struct FullModel {
  int num_unknowns = 0;
  VectorX frequencies;                     // Hz, the first `count`
  std::optional<Matrix6> tool_compliance;  // not there without a tool, or where the mechanism moves freely
};
enum class SubsystemRole {
  grounded,   // moves by joint freedoms alone
  kept,       // its root is an independent node of the result
  imposed,    // its root is held at a given displacement
  condensed,  // follows statically
};

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

// Stiffness along and about each axis: with the tool locked in the five other directions (K_ii), and with it free in
// them (1/C_ii), which is what a force and a dial gauge measure. NaN where it is not there, infinite where the tool
// cannot move.
struct ToolStiffness {
  Vector6 locked = Vector6::Constant(std::nan("")), free = Vector6::Constant(std::nan(""));
};
ToolStiffness stiffness_by_direction(const ToolMatrices& tool);

}  // namespace lithe
