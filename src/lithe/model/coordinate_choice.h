// Which coordinates shall be degrees of freedom, beyond the joints' own `independent`: nodal coordinates and
// deformations of beams, each independent, dependent, fixed or prescribed, [LIN] (3). Formulation transfer-functions.
// And links whose number of modes is left to the program: `reduction = "auto"`.
#pragma once

#include <string>
#include <vector>

#include "lithe/model/model.h"

namespace lithe {

enum class CoordinateRole { independent, dependent, fixed, prescribed };

constexpr int node_rotation = 3;  // a component, beside x, y and z

// One coordinate of a node, or some deformations of some elements of a link.
struct ChosenCoordinate {
  SourcePlace place;
  CoordinateRole role = CoordinateRole::independent;
  int link = 0;
  int node = -1;      // -1: deformations
  int component = 0;  // of the node's position in world axes; node_rotation: its angle in a planar model
  // Elongation, torsion, bending about y at the start and at the end of an element, about z likewise: [LIN] (49).
  std::vector<int> deformations;
  std::vector<int> elements;  // from 0, in the order of the segments; empty: all
  Signal motion;              // of a prescribed one
};

// A link whose modes each analysis chooses: analyse/reduction/choose_modes.h.
struct AutomaticReduction {
  int link = 0;             // index into Model::links
  double tolerance = 1e-3;  // of what an analysis tells, relative to its range
};

struct CoordinateChoice {
  std::vector<ChosenCoordinate> items;
  Damping damping = {};  // of the mechanism's modes: mechanism_damping.h
  std::vector<AutomaticReduction> automatic = {};
};

// None where the model leaves the choice to the program.
const std::vector<ChosenCoordinate>& chosen_coordinates(const Model& model);
// "x of node 'tip' of link 'arm'", "deformations of link 'arm'".
std::string describe(const Model& model, const ChosenCoordinate& chosen);
// For formulations with coordinates of their own: throws InputError where the model chooses any.
void refuse_chosen_coordinates(const Model& model, const std::string& formulation);
// Indices, components and elements; what is said twice.
void check_chosen_coordinates(const Model& model, Diagnostics& diagnostics);

// Until an analysis has chosen, these links have no number of modes, and reduce() refuses them.
const std::vector<AutomaticReduction>& automatic_reductions(const Model& model);
void set_automatic_reductions(Model& model, std::vector<AutomaticReduction> links);
// The same model with all modes of these links.
Model with_all_modes(Model model);

}  // namespace lithe
