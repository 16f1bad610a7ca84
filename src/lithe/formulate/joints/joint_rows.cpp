#include "lithe/formulate/joints/joint_rows.h"

#include "lithe/formulate/joints/joint_rows_inl.h"

namespace lithe {
namespace joint_row_parts {

Directions constrained(JointType type) {
  switch (type) {
    case JointType::fixed:
      return {3, {0, 1, 2}, 3};
    case JointType::revolute:
      return {3, {0, 1, 2}, 2};
    case JointType::prismatic:
      return {2, {0, 1, 2}, 3};
    case JointType::cylindrical:
      return {2, {0, 1, 2}, 2};
    case JointType::universal:
      return {3, {0, 1, 2}, 1};
    case JointType::spherical:
      return {3, {0, 1, 2}, 0};
    case JointType::planar:
      return {1, {2, 0, 1}, 2};
    case JointType::free:
      return {0, {0, 1, 2}, 0};
  }
  return {0, {0, 1, 2}, 0};
}

Freedoms freedoms(JointType type) {
  switch (type) {
    case JointType::fixed:
      return {0, {}, 0, {}};
    case JointType::revolute:
      return {0, {}, 1, {2}};
    case JointType::prismatic:
      return {1, {2}, 0, {}};
    case JointType::cylindrical:
      return {1, {2}, 1, {2}};
    case JointType::universal:
      return {0, {}, 2, {2, 0}};
    case JointType::spherical:
      return {0, {}, 3, {0, 1, 2}};
    case JointType::planar:
      return {2, {0, 1}, 1, {2}};
    case JointType::free:
      return {3, {0, 1, 2}, 3, {0, 1, 2}};
  }
  return {0, {}, 0, {}};
}

}  // namespace joint_row_parts

int num_constraint_rows(JointType type) {
  const joint_row_parts::Directions directions = joint_row_parts::constrained(type);
  return directions.num_translations + directions.num_rotations;
}

template RelativeJointMotion relative_motion<double, NodeFrame>(const NodeFrame&, const Matrix3&, const NodeFrame&,
                                                                const Matrix3&);
template JointRow constraint_row<double>(JointType, int, const RelativeJointMotion&);
template void freedom_rows<double>(JointType, const RelativeJointMotion&, FreedomRows&);
template void row_on_child<double>(const JointRow&, const RelativeJointMotion&, Vector3&, Vector3&);
template void row_on_parent<double>(const JointRow&, const RelativeJointMotion&, Vector3&, Vector3&);

}  // namespace lithe
