#include <algorithm>
#include <numbers>

#include "lithe/analyse/modes/modes.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/fem/assemble_mesh.h"
#include "lithe/model/check/check_rotations.h"
#include "lithe/reduce/bases.h"
#include "lithe/reduce/interface_nodes.h"
#include "lithe/reduce/reduce.h"
#include "lithe/reduce/solvers/eigensolver.h"

namespace lithe {
namespace {

InputError error(const Link& link, const std::string& message) {
  return InputError(std::vector<Diagnostic>{{.file = link.place.file,
                                             .line = link.place.line,
                                             .column = link.place.column,
                                             .path = {},
                                             .message = cat("link '", link.name, "': ", message)}});
}

VectorX hertz(const VectorX& squared_frequencies) {
  return squared_frequencies.cwiseMax(0.0).cwiseSqrt() / (2 * std::numbers::pi);
}

// Elastic modes of the free mesh. The rigid motions are split off exactly by the reduction, so that slow elastic modes
// cannot be errorn for the rounding of a zero.
ReducedBody free_body(const FiniteElementBody& mesh, const std::optional<int>& count, Space space) {
  ReductionChoice all;
  const int num_moving = static_cast<int>(moving_dofs(mesh, space).size());
  if (count && num_moving > largest_dense_problem) all.num_kept_modes = std::min(*count, num_moving - 6);
  return reduce(mesh, all, Damping{}, {}, space);
}

std::vector<int> free_dofs(const FiniteElementBody& mesh, const std::vector<int>& clamped_nodes, Space space) {
  std::vector<int> dofs = moving_dofs(mesh, space);
  std::erase_if(dofs, [&](int dof) {
    return std::find(clamped_nodes.begin(), clamped_nodes.end(), mesh.node_of_dof(dof)) != clamped_nodes.end();
  });
  return dofs;
}

SparseMatrix selection(const FiniteElementBody& mesh, const std::vector<int>& dofs) {
  SparseMatrix result(mesh.num_dofs(), static_cast<Eigen::Index>(dofs.size()));
  for (std::size_t k = 0; k < dofs.size(); ++k) result.insert(dofs[k], static_cast<Eigen::Index>(k)) = 1;
  return result;
}

// Modes with nodes held: rows and columns of their dofs are left out.
NaturalModes clamped_modes(const FiniteElementBody& mesh, const LinkModesOptions& options, Space space) {
  const SparseMatrix keep = selection(mesh, free_dofs(mesh, options.clamped_nodes, space));
  const SparseMatrix stiffness = keep.transpose() * mesh.stiffness * keep;
  const SparseMatrix mass = keep.transpose() * mesh.mass * keep;
  const bool large = keep.cols() > largest_dense_problem && options.count;
  NaturalModes modes = large
                           ? lowest_modes(stiffness, mass, std::min<int>(*options.count, static_cast<int>(keep.cols())))
                           : natural_modes(MatrixX(stiffness), MatrixX(mass));
  modes.shapes = keep * modes.shapes;
  return modes;
}

void keep_lowest(int count, LinkModes& modes) {
  const Eigen::Index kept = std::min<Eigen::Index>(count, modes.frequencies.size());
  modes.frequencies.conservativeResize(kept);
  modes.translations.conservativeResize(Eigen::NoChange, kept);
  modes.rotations.conservativeResize(Eigen::NoChange, kept);
}

void split_shapes(const FiniteElementBody& mesh, const MatrixX& shapes, LinkModes& modes) {
  NodeShapes nodes = node_shapes(mesh, shapes);
  modes.translations = std::move(nodes.translations);
  modes.rotations = std::move(nodes.rotations);
}

void check_options(const Link& link, const LinkModesOptions& options) {
  if (link.rigid) throw error(link, "it is rigid, so it has no elastic modes");
  if (options.count && *options.count < 1) throw error(link, cat("cannot give ", *options.count, " modes"));
  if (options.reduced && !options.clamped_nodes.empty()) {
    throw error(link, "modes of the reduced link are those of the free link; clamp nodes of the full one");
  }
  for (const int node : options.clamped_nodes) {
    if (node < 0 || node >= static_cast<int>(link.nodes.size())) throw error(link, cat("it has no node number ", node));
    if (!has_rotation(link, node))
      throw error(link, cat("node '", link.nodes[static_cast<std::size_t>(node)].name,
                            "' cannot be clamped: ", without_rotations));
  }
}

}  // namespace

LinkModes link_modes(const Model& model, int link_index, const LinkModesOptions& options) {
  const Link& link = model.links.at(static_cast<std::size_t>(link_index));
  check_options(link, options);
  const FiniteElementBody mesh = assemble(model, link);
  LinkModes modes;
  modes.link = link.name;
  modes.node_positions = mesh.node_positions;
  modes.node_names.resize(mesh.node_positions.size());
  for (std::size_t node = 0; node < link.nodes.size(); ++node) modes.node_names[node] = link.nodes[node].name;
  if (options.clamped_nodes.empty()) {
    const ReducedBody body = !options.reduced        ? free_body(mesh, options.count, model.space)
                             : link.from_elsewhere() ? reduce_link(model, link_index, mesh, link.reduction)
                                                     : reduce(model).bodies.at(static_cast<std::size_t>(link_index));
    modes.num_rigid = static_cast<int>(rigid_modes(mesh, model.space).cols());
    modes.frequencies = hertz(body.squared_frequencies);
    modes.translations = body.translation_shapes;
    modes.rotations = body.rotation_shapes;
  } else {
    const NaturalModes natural = clamped_modes(mesh, options, model.space);
    modes.frequencies = hertz(natural.squared_frequencies);
    split_shapes(mesh, natural.shapes, modes);
  }
  if (options.count) keep_lowest(*options.count, modes);
  return modes;
}

}  // namespace lithe
