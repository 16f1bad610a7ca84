// Flexible mechanisms as Model structs, for the laws that every formulation has to obey.
#pragma once

#include <string>
#include <vector>

#include "lithe/model/model.h"
#include "support/model_builder.h"

namespace lithe::testing {

Section rectangle(double width, double height);

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
      segment.theory = BeamTheory::euler_bernoulli;
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
Model l_shape(double young_modulus = 7e10, int elements = 2, int kept_modes = -1);

// Two flexible links, the second bent, with skew axes: nothing is planar.
Model spatial_2r(double young_modulus = 7e10, int kept_modes = 6);

// A tree with every kind of joint between flexible and rigid links, one of them traversed backwards.
Model mixed_tree(double young_modulus = 7e10);

// A flexible four-bar: planar, so overconstrained when modelled in space, or with a spherical and a universal joint.
Model flexible_four_bar(double young_modulus = 7e10, bool overconstrained = true, int cut = -1);

// With springs and motors at every freedom of every joint, and dampers and friction where it may lose energy; planar,
// or with a ball and a cardan joint that leave one freedom, so that its encoder is the only one to choose.
Model active_four_bar(double young_modulus, bool overconstrained, int cut, bool loses_energy = true);

// A frame of beams with three different principal inertias, free in space and spinning.
Model free_frame(double young_modulus = 7e10, int elements = 1, int kept_modes = -1);

}  // namespace lithe::testing
