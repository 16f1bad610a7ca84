// Damping of elastic links: of each link as its joint holds it, and of the mechanism's modes as assembled.
// docs/theory/modal_body.md, "Damping".
#pragma once

#include "lithe/formulate/links/modal_link.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/reduce/reduce.h"

namespace lithe {

// Where the frame of a link is fixed: at the node of its joint towards the ground, or nowhere (a free joint).
struct LinkMount {
  bool held = false;
  int node = 0;
  Vector3 origin = Vector3::Zero();
};
LinkMount link_mount(const Model& model, const Mechanism& mechanism, int link);

// Has any of the three.
bool is_damped(const Damping& damping);

// α + β ω_k² + 2 ζ_k ω_k of modes k = 1, 2, ... by their squared frequencies.
VectorX modal_damping(const Damping& damping, const VectorX& squared_frequencies);

// In the coordinates of the reduced body: diagonal in the modes of the link held at its mount, or of the free link.
MatrixX mounted_damping(const ReducedBody& body, const Damping& damping, const LinkMount& mount);

// Damping of Model::damping on the coordinates of all reduced bodies, link after link: α + β ω² + 2 ζ ω on each mode of
// the mechanism in its initial configuration. Empty where the model has none.
MatrixX assembled_damping(const ReducedModel& reduced);

}  // namespace lithe
