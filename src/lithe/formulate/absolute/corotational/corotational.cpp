#include "lithe/formulate/absolute/corotational/corotational.h"

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/formulate/absolute/floating/floating_frame.h"
#include "lithe/formulate/erls/link_damping.h"
#include "lithe/model/mechanism_damping.h"
#include "lithe/reduce/reduce.h"

namespace lithe {

namespace {

// Damping of modes, of each link as mounted and of the mechanism, on the coordinates of all links' free modes; gives
// those to the bodies. Empty where there is none.
MatrixX mode_damping(const Model& model, const Mechanism& mechanism, const std::vector<FiniteElementBody>& meshes,
                     std::vector<std::unique_ptr<AbsoluteBody>>& bodies) {
  const bool assembled = is_damped(mechanism_damping(model));
  std::vector<MatrixX> blocks(model.links.size());
  Eigen::Index size = 0;
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    const Link& link = model.links[k];
    Damping damping = link.damping;
    damping.stiffness_factor = 0;  // the elements' own
    if (link.rigid || !(assembled || is_damped(damping))) continue;
    const ReducedBody body = reduce(meshes[k], {}, {}, {}, model.space);
    static_cast<CorotationalBody&>(*bodies[k]).set_damped_modes(body);
    blocks[k] = mounted_damping(body, damping, link_mount(model, mechanism, static_cast<int>(k)));
    size += blocks[k].rows();
  }
  MatrixX result = MatrixX::Zero(size, size);
  if (assembled) result = assembled_damping(reduce(model, ReductionChoice{}));
  Eigen::Index first = 0;
  for (const MatrixX& block : blocks) {
    result.block(first, first, block.rows(), block.cols()) += block;
    first += block.rows();
  }
  return result;
}

}  // namespace

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
    bodies.push_back(std::make_unique<CorotationalBody>(model, link, meshes[k], link.damping.stiffness_factor));
  }
  MatrixX damping = mode_damping(model, mechanism, meshes, bodies);
  return std::make_unique<AbsoluteEquations>("corotational", model, std::move(bodies), nodes.of_joint,
                                             std::move(damping));
}

}  // namespace lithe
