#include "lithe/formulate/corotational.h"

#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/floating_frame.h"
#include "lithe/reduce/reduce.h"

namespace lithe {

// 2 ζ ω = α + β ω² + 2 ζ_1 ω at the first frequency of the free link.
double equivalent_damping_factor(const FiniteElementBody& mesh, const Damping& damping) {
  const double ratio = damping.modal_ratios.empty() ? 0.0 : damping.modal_ratios.front();
  if (damping.mass_factor == 0 && ratio == 0) return damping.stiffness_factor;
  ReductionChoice first;
  first.num_kept_modes = 1;
  const double squared = reduce(mesh, first, {}, {}).squared_frequencies(0);
  return damping.stiffness_factor + damping.mass_factor / squared + 2 * ratio / std::sqrt(squared);
}

std::unique_ptr<AbsoluteEquations> make_corotational(const Model& model) {
  const Mechanism mechanism(model);
  std::vector<int> num_nodes;
  std::vector<FiniteElementBody> meshes;
  for (const Link& link : model.links) {
    meshes.push_back(link.rigid ? FiniteElementBody{} : assemble(model, link));
    num_nodes.push_back(link.rigid ? static_cast<int>(link.nodes.size()) : meshes.back().num_nodes());
    if (!link.rigid && meshes.back().elements.empty())
      throw InputError(cat("link '", link.name, "': the corotational formulation needs beams, the link has none"));
  }
  const JointNodes nodes = joint_nodes(model, num_nodes);
  std::vector<std::unique_ptr<AbsoluteBody>> bodies;
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    const Link& link = model.links[k];
    if (link.rigid) {
      bodies.push_back(rigid_floating_body(link, mechanism, static_cast<int>(k), nodes));
      continue;
    }
    bodies.push_back(
        std::make_unique<CorotationalBody>(model, link, meshes[k], equivalent_damping_factor(meshes[k], link.damping)));
  }
  return std::make_unique<AbsoluteEquations>("corotational", model, std::move(bodies), nodes.of_joint);
}

}  // namespace lithe
