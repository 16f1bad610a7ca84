// Flexible mechanisms as Model structs, for the laws that every formulation has to obey.
#pragma once

#include <string>
#include <vector>

#include "lithe/model/model.h"
#include "support/model_builder.h"

namespace lithe::testing {

inline Section rectangle(double width, double height) {
  Section section;
  section.name = "bar";
  section.shape = SectionShape::rectangle;
  section.dimensions = {width, height};
  section.area = width * height;
  section.second_moment_y = width * height * height * height / 12;
  section.second_moment_z = height * width * width * width / 12;
  section.torsion_constant = 0.14 * width * height * std::min(width, height) * std::max(width, height);
  return section;
}

// Builds mechanisms of beam links. One material and one section, set first.
class FlexibleBuilder : public ModelBuilder {
 public:
  explicit FlexibleBuilder(double young_modulus = 7e10, double density = 2700, double width = 0.008,
                           double height = 0.012) {
    model().materials.push_back({"metal", density, young_modulus, young_modulus / 2.66});
    model().sections.push_back(rectangle(width, height));
    model().gravity = {0, 0, -9.81};
  }

  // A polyline of beams through the points; node k of the link is point k.
  int beam(const std::string& name, const std::vector<Vector3>& points, int elements = 2, int kept_modes = -1) {
    Link link;
    link.name = name;
    link.place = {model().file, 100 + static_cast<int>(model().links.size()), 1};
    for (std::size_t i = 0; i < points.size(); ++i) {
      link.nodes.push_back({name + std::to_string(i), points[i]});
      if (i == 0) continue;
      BeamSegment segment;
      segment.from = static_cast<int>(i) - 1;
      segment.to = static_cast<int>(i);
      segment.num_elements = elements;
      link.segments.push_back(segment);
    }
    if (kept_modes >= 0) link.reduction.num_kept_modes = kept_modes;
    model().links.push_back(link);
    return static_cast<int>(model().links.size()) - 1;
  }

  // A joint between two nodes; `axis` in the axes of both links, which are parallel at zero.
  int hinge(const std::string& name, JointType type, int parent, const Vector3& in_parent, int child,
            const Vector3& in_child, const Vector3& axis, std::vector<double> values = {},
            std::vector<double> speeds = {}) {
    const int j = joint(name, type, parent, {z_along(axis), in_parent}, child, {z_along(axis), in_child});
    Joint& added = model().joints[j];
    if (!values.empty()) {
      added.initial_value = values;
      added.initial_value_given.assign(values.size(), true);
    }
    if (!speeds.empty()) added.initial_speed = speeds;
    return j;
  }
};

// Two rods at a right angle, turning about y at the ground.
inline Model l_shape(double young_modulus = 7e10, int elements = 2, int kept_modes = -1) {
  FlexibleBuilder b(young_modulus);
  const int arm = b.beam("arm", {{0, 0, 0}, {0.5, 0, 0}, {0.5, 0.5, 0}}, elements, kept_modes);
  b.hinge("shoulder", JointType::revolute, -1, {0, 0, 0}, arm, {0, 0, 0}, Vector3::UnitY(), {0.7}, {1.5});
  b.model().joints[0].inertia = {0.0055};
  b.model().links[0].lumped_masses.push_back({1, 0.017, Matrix3::Zero()});
  return b.model();
}

// Two flexible links, the second bent, with skew axes: nothing is planar.
inline Model spatial_2r(double young_modulus = 7e10, int kept_modes = 6) {
  FlexibleBuilder b(young_modulus);
  const int upper = b.beam("upper", {{0, 0, 0}, {0.4, 0, 0.1}}, 2, kept_modes);
  const int fore = b.beam("fore", {{0.02, 0, 0}, {0.3, 0, 0}, {0.3, 0.2, 0}}, 2, kept_modes);
  b.hinge("shoulder", JointType::revolute, -1, {0.1, 0, 0.2}, upper, {0, 0, 0}, Vector3(0, 1, 0.2).normalized(), {0.4},
          {1.1});
  b.hinge("elbow", JointType::revolute, upper, {0.4, 0, 0.1}, fore, {0.02, 0, 0}, Vector3(0.3, 0, 1).normalized(),
          {-0.9}, {-2.0});
  return b.model();
}

// A tree with every kind of joint between flexible and rigid links, one of them traversed backwards.
inline Model mixed_tree(double young_modulus = 7e10) {
  FlexibleBuilder b(young_modulus);
  const int base = b.beam("base", {{0, 0, 0}, {0.3, 0, 0}, {0.3, 0.2, 0.1}}, 2, 5);
  const int slider = b.link("slider");
  b.model().links[slider].rigid_inertia = {0.2, {0.01, 0.02, 0}, Vector3(1e-3, 2e-3, 1.5e-3).asDiagonal()};
  const int ball = b.beam("ball", {{0, 0, 0}, {0, 0, -0.25}}, 2, 4);
  const int cross = b.beam("cross", {{0, 0, 0}, {0, 0.2, 0}}, 2, 4);
  const int disc = b.link("disc");
  b.model().links[disc].rigid_inertia = {0.1, {0, 0, 0.01}, Vector3(1e-4, 1e-4, 2e-4).asDiagonal()};
  const int puck = b.link("puck");
  b.model().links[puck].rigid_inertia = {0.05, {0, 0, 0}, Vector3(1e-4, 1e-4, 1e-4).asDiagonal()};
  b.hinge("base", JointType::revolute, -1, {0, 0, 0}, base, {0, 0, 0}, Vector3::UnitY(), {0.3}, {0.8});
  b.hinge("slide", JointType::prismatic, base, {0.3, 0, 0}, slider, {0, 0, 0}, Vector3(1, 0, 1).normalized(), {0.05},
          {0.3});
  b.hinge("ball", JointType::spherical, base, {0.3, 0.2, 0.1}, ball, {0, 0, 0}, Vector3::UnitZ(), {0.2, -0.3, 0.4},
          {0.5, 1, -0.7});
  b.hinge("cross", JointType::universal, cross, {0, 0, 0}, slider, {0.02, 0, 0}, Vector3::UnitX(), {0.3, 0.5}, {1, -1});
  b.hinge("disc", JointType::cylindrical, cross, {0, 0.2, 0}, disc, {0, 0, 0}, Vector3::UnitY(), {0.02, 0.1}, {0.1, 3});
  b.hinge("puck", JointType::planar, ball, {0, 0, -0.25}, puck, {0, 0, 0}, Vector3::UnitZ(), {0.01, 0.02, 0.3},
          {0.1, -0.1, 1});
  return b.model();
}

// A flexible four-bar: planar, so overconstrained when modelled in space, or with a spherical and a universal joint.
inline Model flexible_four_bar(double young_modulus = 7e10, bool overconstrained = true, int cut = -1) {
  FlexibleBuilder b(young_modulus);
  const int crank = b.beam("crank", {{0, 0, 0}, {0.15, 0, 0}}, 2, 4);
  const int coupler = b.beam("coupler", {{0, 0, 0}, {0.45, 0, 0}}, 2, 6);
  const int rocker = b.beam("rocker", {{0, 0, 0}, {0.35, 0, 0}}, 2, 5);
  const Vector3 z = Vector3::UnitZ();
  b.hinge("crank_pin", JointType::revolute, -1, {0, 0, 0}, crank, {0, 0, 0}, z, {1.0}, {4.0});
  b.hinge("coupler_pin", overconstrained ? JointType::revolute : JointType::universal, crank, {0.15, 0, 0}, coupler,
          {0, 0, 0}, z);
  b.hinge("rocker_pin", overconstrained ? JointType::revolute : JointType::spherical, coupler, {0.45, 0, 0}, rocker,
          {0.35, 0, 0}, z);
  b.hinge("ground_pin", JointType::revolute, -1, {0.5, 0, 0}, rocker, {0, 0, 0}, z);
  b.model().joints[0].inertia = {1e-3};
  b.model().joints[0].independent = true;
  b.model().joints[1].initial_value[0] = -0.7;
  b.model().joints[3].initial_value[0] = 1.3;
  b.model().gravity = {0, -9.81, overconstrained ? 0.0 : -2.0};
  if (cut >= 0) b.model().joints[cut].prefer_cut = true;
  return b.model();
}

// A frame of beams with three different principal inertias, free in space and spinning.
inline Model free_frame(double young_modulus = 7e10, int elements = 1, int kept_modes = -1) {
  FlexibleBuilder b(young_modulus);
  const int body = b.beam("frame", {{0, 0, 0}, {0.5, 0, 0}, {0.5, 0.3, 0}, {0.5, 0.3, 0.15}}, elements, kept_modes);
  b.hinge("free", JointType::free, -1, {0, 0, 0}, body, {0, 0, 0}, Vector3::UnitZ(), {0, 0, 0, 0.1, 0.2, -0.1},
          {0.1, -0.2, 0.3, 2.0, 3.0, 1.0});
  b.model().gravity.setZero();
  return b.model();
}

}  // namespace lithe::testing
