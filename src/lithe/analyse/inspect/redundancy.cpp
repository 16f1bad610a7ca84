#include "lithe/analyse/inspect/redundancy.h"

#include <algorithm>
#include <cmath>

#include "lithe/base/text.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/mechanism.h"
#include "lithe/kinematics/position.h"

namespace lithe {
namespace {

// Whether all joints along a loop keep its links in one plane: axes of rotation stand on it, slides lie in it.
bool moves_in_a_plane(const Model& model, const CutJoint& cut, const Mechanism& mechanism,
                      const KinematicState& state) {
  constexpr double parallel = 1e-9;
  std::vector<Vector3> normals, slides;
  for (const int index : cut.loop) {
    const Joint& joint = model.joints[static_cast<std::size_t>(index)];
    const Matrix3 R = state.pose(joint.parent < 0 ? -1 : mechanism.frame_of_link(joint.parent)).rotation;
    const Vector3 axis = R * joint.parent_frame.rotation.col(2);
    if (joint.type == JointType::revolute || joint.type == JointType::planar) {
      normals.push_back(axis);
    } else if (joint.type == JointType::prismatic) {
      slides.push_back(axis);
    } else if (joint.type != JointType::fixed) {
      return false;
    }
  }
  for (const Vector3& normal : normals)
    if (normal.cross(normals.front()).norm() > parallel) return false;
  for (const Vector3& slide : slides)
    if (normals.empty() || std::abs(slide.dot(normals.front())) > parallel) return false;
  return true;
}

}  // namespace

// A joint in a plane has three conditions out of it, which the other joints of the loop meet already.
Redundancy find_redundancy(const Model& model, const MechanismInfo& info) {
  Redundancy result;
  result.planar = model.space == Space::planar;
  result.num_redundant = info.redundancy;
  if (info.loops.empty()) return result;
  const Mechanism mechanism(model);
  KinematicState state(mechanism);
  update_position(mechanism, initial_configuration(mechanism, model), state);
  result.rigid_loops = true;
  for (const CutJoint& cut : mechanism.cuts()) {
    if (cut.couples()) continue;
    if (!result.planar && moves_in_a_plane(model, cut, mechanism, state)) result.out_of_plane += 3;
    for (const int index : cut.loop)
      for (const int link : {model.joints[index].parent, model.joints[index].child})
        if (link >= 0 && !model.links[static_cast<std::size_t>(link)].rigid) result.rigid_loops = false;
  }
  result.out_of_plane = std::min(result.out_of_plane, result.num_redundant);
  return result;
}

std::string Redundancy::sentence() const {
  if (num_redundant == 0) return "";
  const auto constraints = [](int count) {
    return cat(count, count == 1 ? " redundant constraint" : " redundant constraints");
  };
  std::string text =
      cat("overconstrained as a ", planar ? "planar" : "spatial", " mechanism: ", constraints(num_redundant));
  if (out_of_plane == num_redundant) {
    text += ", out of the plane in which the loops move; harmless for the motion and for reactions in that plane";
  } else {
    if (out_of_plane > 0) text += cat(", ", out_of_plane, " of them out of the plane of a loop");
    text += "; harmless for the motion";
  }
  return text + (rigid_loops ? ", but reactions along them are not unique between rigid links"
                             : ", and flexible links share the reactions along them by their stiffness");
}

}  // namespace lithe
