#include "app/reproduce/papers/condensation.h"

#include <algorithm>

#include "lithe/kinematics/configuration.h"

namespace lithe {
namespace {

CondensedModel condensed(const Model& model, const CondenseOptions& options) {
  const Condenser condenser(model, options);
  CondenseGeometry geometry = condenser.make_geometry();
  return condenser.condense(initial_configuration(condenser.mechanism(), condenser.model()), geometry);
}

// Where most of a shape's energy lies, measured by the diagonal of the stiffness.
FrameFamily family_of(const CondensedModel& model, const VectorX& shape) {
  double share[4] = {0, 0, 0, 0};
  static constexpr FrameFamily families[6] = {FrameFamily::axial,        FrameFamily::in_plane,
                                              FrameFamily::out_of_plane, FrameFamily::torsion,
                                              FrameFamily::out_of_plane, FrameFamily::in_plane};
  for (Eigen::Index i = 0; i < shape.size(); ++i)
    share[static_cast<int>(families[i % 6])] += shape[i] * shape[i] * model.stiffness(i, i);
  return static_cast<FrameFamily>(std::max_element(share, share + 4) - share);
}

}  // namespace

CondenseOptions ragnar_options(const Model& model) {
  CondenseOptions options;
  for (const char* node : {"elbow 1:B", "elbow 2:B", "elbow 3:B", "elbow 4:B", "platform:E"})
    options.independent.push_back(find_node(model, node));
  options.tool = options.independent.back();
  return options;
}

std::vector<FrameMode> frame_modes(const Model& model, const std::vector<std::string>& nodes) {
  CondenseOptions options;
  for (const std::string& node : nodes) options.independent.push_back(find_node(model, node));
  const CondensedModel reduced = condensed(model, options);
  const CondensedModes modes = condensed_modes(reduced, 6 * static_cast<int>(nodes.size()));
  std::vector<FrameMode> result;
  for (Eigen::Index k = 0; k < modes.frequencies.size(); ++k)
    result.push_back({modes.frequencies[k], family_of(reduced, modes.shapes.col(k))});
  return result;
}

Model with_theory(Model model, BeamTheory theory) {
  for (Link& link : model.links)
    for (BeamSegment& segment : link.segments) segment.theory = theory;
  return model;
}

ToolMatrices ragnar_at_home(const Model& model) { return *condensed(model, ragnar_options(model)).tool; }

ToolMatrices printed_ragnar(Model model) {
  constexpr double printed_length = 0.83263;
  const NodeOfLink platform = find_node(model, "platform:E");
  double stretch = 1;
  for (Link& link : model.links) {
    if (!link.name.starts_with("left") && !link.name.starts_with("right")) continue;
    Vector3& end = link.nodes[1].position;
    stretch = printed_length / end.norm();
    end *= stretch;
  }
  for (Material& material : model.materials) {  // axial stiffness and mass as before
    if (material.name != "distal") continue;
    material.young_modulus *= stretch;
    material.shear_modulus *= stretch;
    material.density /= stretch;
  }
  for (Joint& joint : model.joints) {  // joints at the ends that moved
    const Link* parent = joint.parent < 0 ? nullptr : &model.links[static_cast<std::size_t>(joint.parent)];
    if (parent) joint.parent_frame.position = parent->nodes[static_cast<std::size_t>(joint.parent_node)].position;
  }
  PoseTarget target;
  target.link = platform.link;
  target.node = platform.node;
  target.position = Vector3(0, 0, -0.5);
  model.initial_configuration.targets = {target};
  CondenseOptions options = ragnar_options(model);
  options.spring_energy = false;
  return *condensed(model, options).tool;
}

}  // namespace lithe
