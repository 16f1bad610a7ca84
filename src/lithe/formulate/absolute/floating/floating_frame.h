// Floating frame of reference: each link with an absolute frame and modes: docs/theory/floating_frame.md.
#pragma once

#include <memory>

#include "lithe/formulate/absolute/absolute_equations.h"
#include "lithe/formulate/absolute/floating/body.h"
#include "lithe/reduce/reduce.h"

namespace lithe {

struct FloatingFrameOptions {
  ReferenceCondition reference = ReferenceCondition::tangent;
  bool geometric_stiffening = false;
  std::string name = "floating-frame";
};

std::unique_ptr<AbsoluteEquations> make_floating_frame(const ReducedModel& reduced,
                                                       const FloatingFrameOptions& options = {});

// Nodes of the joints' sides; bodies have nodes for points that the links do not name.
struct JointNodes {
  std::vector<std::pair<int, int>> of_joint;        // parent, child
  std::vector<std::vector<Vector3>> extra_of_link;  // positions of further nodes, link frame
};
JointNodes joint_nodes(const Model& model, const std::vector<int>& num_nodes);

// A rigid link as a floating body without modes.
std::unique_ptr<AbsoluteBody> rigid_floating_body(const Link& link, const Mechanism& mechanism, int index,
                                                  const JointNodes& nodes);

}  // namespace lithe
