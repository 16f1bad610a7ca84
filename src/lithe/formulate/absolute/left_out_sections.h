// Beside AbsoluteBody, for bodies of which modes were left out: their sections need what these carry at rest.
#pragma once

#include <vector>

#include "lithe/formulate/absolute/body.h"

namespace lithe {

// A wrench on a node, world axes, and its derivatives along motions (rows: force, torque; none where they are not asked
// for).
struct NodeWrench {
  int node = 0;
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
  MatrixX jacobians = MatrixX(6, 0);
};

class LeftOutSections {
 public:
  virtual ~LeftOutSections() = default;

  // Added to what section_load() and section_jacobians() of the body give; `wrenches`: of loads and joints on its
  // nodes.
  virtual void add_left_out(const Vector3& gravity, const AbsoluteBody::Work&, int node,
                            const Eigen::Ref<const VectorX>& accelerations, const std::vector<NodeWrench>& wrenches,
                            Vector3& force, Vector3& moment) const = 0;
  virtual void add_left_out_jacobians(const Vector3& gravity, const AbsoluteBody::Work&, int node,
                                      const Eigen::Ref<const VectorX>& accelerations, const BodyChanges&,
                                      const std::vector<NodeWrench>& wrenches, Matrix6X& jacobians) const = 0;
};

}  // namespace lithe
