#include "lithe/reduce/superelement.h"

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/reduce/static_condensation.h"

namespace lithe {

Superelement superelement(const FiniteElementBody& body, const std::vector<int>& nodes) {
  std::vector<int> block(body.num_dofs());
  for (int i = 0; i < body.num_dofs(); ++i) block[i] = i / body.dofs_per_node();
  const StaticCondensation condensed = condense_statically(body.stiffness, body.mass, MatrixX::Zero(body.num_dofs(), 0),
                                                           block, nodes, 0, 3e7, body.node_positions);
  if (condensed.unconstrained_unknown >= 0) {
    const int node = condensed.unconstrained_unknown / body.dofs_per_node();
    const Vector3& p = body.node_positions[node];
    throw InputError(
        std::vector<Diagnostic>{{body.place.file, body.place.line, body.place.column, cat("links.", body.name),
                                 cat("link '", body.name, "': its stiffness does not hold the node at (", p.x(), ", ",
                                     p.y(), ", ", p.z(), ") while the nodes at joints are at rest")}});
  }
  const VectorX diagonal = body.stiffness.diagonal();
  VectorX level(condensed.stiffness.rows());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    level.segment(static_cast<Eigen::Index>(i) * body.dofs_per_node(), body.dofs_per_node()) =
        diagonal.segment(nodes[i] * body.dofs_per_node(), body.dofs_per_node());
  return {nodes, body.dofs_per_node(), condensed.stiffness, condensed.mass, level};
}

Link statically_coarse(Link link) {
  for (BeamSegment& segment : link.segments)
    if (segment.theory != BeamTheory::linear_timoshenko && segment.mass_model == MassModel::consistent)
      segment.num_elements = 1;
  return link;
}

}  // namespace lithe
