#include "lithe/reduce/superelement.h"

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/reduce/solvers/static_condensation.h"

namespace lithe {

Superelement superelement(const FiniteElementBody& body, const std::vector<int>& nodes) {
  std::vector<int> block(body.num_dofs());
  for (int i = 0; i < body.num_dofs(); ++i) block[i] = body.node_of_dof(i);
  const StaticCondensation condensed = condense_statically(body.stiffness, body.mass, MatrixX::Zero(body.num_dofs(), 0),
                                                           block, nodes, 0, 3e7, body.node_positions);
  if (condensed.unconstrained_unknown >= 0) {
    const Vector3& p = body.node_positions[body.node_of_dof(condensed.unconstrained_unknown)];
    throw InputError(
        std::vector<Diagnostic>{{body.place.file, body.place.line, body.place.column, cat("links.", body.name),
                                 cat("link '", body.name, "': its stiffness does not hold the node at (", p.x(), ", ",
                                     p.y(), ", ", p.z(), ") while the nodes at joints are at rest")}});
  }
  const VectorX diagonal = body.stiffness.diagonal();
  Superelement result{nodes, {}, condensed.stiffness, condensed.mass, VectorX(condensed.stiffness.rows())};
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (int dof = body.first_dof(nodes[i]); dof < body.first_dof(nodes[i] + 1); ++dof) {
      result.level(static_cast<Eigen::Index>(result.rows.size())) = diagonal(dof);
      result.rows.push_back(6 * static_cast<int>(i) + body.component(dof));
    }
  return result;
}

Link statically_coarse(Link link) {
  for (BeamSegment& segment : link.segments)
    if (segment.theory != BeamTheory::linear_timoshenko && segment.mass_model == MassModel::consistent)
      segment.num_elements = 1;
  return link;
}

}  // namespace lithe
