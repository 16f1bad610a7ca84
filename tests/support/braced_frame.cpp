#include "support/braced_frame.h"

namespace lithe::testing {

Model braced_frame() {
  FlexibleBuilder b(7e9);
  const int frame = b.beam("frame", {{0, 0, 0}, {0.3, 0, 0}, {0.1, 0.2, 0.05}}, 1);
  BeamSegment bar;
  bar.from = 2;
  bar.to = 0;
  bar.num_elements = 1;
  bar.theory = BeamTheory::euler_bernoulli;
  b.model().links[frame].segments.push_back(bar);
  b.hinge("axle", JointType::revolute, -1, {0, 0, 0}, frame, {0, 0, 0}, Vector3(0, 1, 0.3).normalized(), {0.2}, {2.0});
  return b.model();
}

Model with_lumped_mass(Model model) {
  for (Link& link : model.links)
    for (BeamSegment& segment : link.segments) segment.mass_model = MassModel::lumped;
  return model;
}

}  // namespace lithe::testing
