#include "lithe/reduce/distributed/distributed_reduction.h"

#include <algorithm>
#include <numbers>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/fem/mesh_stress.h"
#include "lithe/model/error_at.h"
#include "lithe/model/mesh/mesh.h"
#include "lithe/reduce/distributed/distributed_modes.h"
#include "lithe/reduce/distributed/distributed_system.h"
#include "lithe/reduce/distributed/dof_layout.h"
#include "lithe/reduce/distributed/element_partition.h"
#include "lithe/reduce/distributed/mesh_share.h"
#include "lithe/reduce/invariants.h"

namespace lithe {
namespace {

[[noreturn]] void fail(const Link& link, const std::string& message) {
  throw InputError(std::vector{error_at(link.place, cat("link '", link.name, "': ", message))});
}

// All named nodes of the link.
std::vector<int> interface_of(const Link& link, const FiniteElementBody& nodes) {
  std::vector<int> interface;
  for (int node = 0; node < static_cast<int>(link.nodes.size()); ++node) {
    const int dofs = nodes.num_dofs(node);
    if (dofs != 3 && dofs != 6)
      fail(link, cat("its node '", link.nodes[static_cast<std::size_t>(node)].name, "' follows a spider"));
    interface.push_back(node);
  }
  return interface;
}

// With the interface held: as many as are wanted, else those of the link's own choice, else 20.
int num_modes(const Link& link, std::optional<int> wanted, const DistributedSystem& system) {
  const int available = system.num_rows();
  if (wanted && *wanted > available) fail(link, cat(*wanted, " modes wanted, but there are only ", available));
  if (wanted) return *wanted;
  const ReductionChoice& choice = link.reduction;
  constexpr int default_num_modes = 20;
  int count =
      std::min(available, choice.num_internal_modes.value_or(choice.max_frequency ? available : default_num_modes));
  if (choice.max_frequency) {
    const double limit = 2 * std::numbers::pi * *choice.max_frequency;
    count = std::min(count, system.count_below(limit * limit));
  }
  return count;
}

MatrixX beside(const MatrixX& a, const MatrixX& b) {
  MatrixX result(a.rows(), a.cols() + b.cols());
  result << a, b;
  return result;
}

// V = [static shapes, modes]: (2) and (3) of the theory page.
DistributedColumns basis_of(const DistributedSystem& system, int num_interface, const MatrixX& modes) {
  const MatrixX interface = MatrixX::Identity(num_interface, num_interface);
  return {beside(system.static_shapes(), modes), beside(interface, MatrixX::Zero(num_interface, modes.cols()))};
}

// Vᵀ A V from V and A V.
MatrixX product(const Ranks& ranks, const DistributedColumns& v, const DistributedColumns& av) {
  const MatrixX whole = ranks.sum(v.inner.transpose() * av.inner) + v.interface.transpose() * av.interface;
  return 0.5 * (whole + whole.transpose());
}

// Numbers of the invariants one after the other: sums over processes are sums of them.
template <class Action>
void each_number(InertiaInvariants& inertia, const Action& action) {
  action(&inertia.mass, 1);
  action(inertia.first_moment.data(), 3);
  action(inertia.second_moment.data(), 9);
  action(inertia.mode_momentum.data(), inertia.mode_momentum.size());
  for (auto& row : inertia.position_mode)
    for (VectorX& values : row) action(values.data(), values.size());
  for (auto& row : inertia.mode_mode)
    for (MatrixX& values : row) action(values.data(), values.size());
}

InertiaInvariants summed(const Ranks& ranks, InertiaInvariants inertia) {
  Eigen::Index count = 0;
  each_number(inertia, [&](double*, Eigen::Index size) { count += size; });
  VectorX numbers(count);
  Eigen::Index next = 0;
  each_number(inertia, [&](double* values, Eigen::Index size) {
    numbers.segment(next, size) = Eigen::Map<VectorX>(values, size);
    next += size;
  });
  const VectorX sum = ranks.sum(numbers);
  next = 0;
  each_number(inertia, [&](double* values, Eigen::Index size) {
    Eigen::Map<VectorX>(values, size) = sum.segment(next, size);
    next += size;
  });
  return inertia;
}

// The part in its basis, as portable_body() makes it of whole matrices.
PortableBody part_of(const Ranks& ranks, const Link& link, const FiniteElementBody& nodes,
                     const DistributedSystem& system, const DistributedColumns& basis) {
  PortableBody part;
  part.name = link.name;
  part.nodes = link.nodes;
  for (std::size_t k = 0; k < link.nodes.size(); ++k) part.node_dofs.push_back(nodes.num_dofs(static_cast<int>(k)));
  part.stiffness = product(ranks, basis, system.times_stiffness(basis));
  part.mass = product(ranks, basis, system.times_mass(basis));
  remove_rounding(part);
  part.num_unknowns = nodes.num_dofs();
  return part;
}

std::vector<RankUse> uses_of(const Ranks& ranks, int num_elements, const DistributedSystem& system) {
  constexpr double bytes_per_entry = 8;
  const std::vector<double> elements = ranks.all(num_elements), unknowns = ranks.all(system.num_own_rows()),
                            factors = ranks.all(bytes_per_entry * system.factor_entries()),
                            peaks = ranks.all(peak_memory());
  std::vector<RankUse> uses;
  for (std::size_t k = 0; k < elements.size(); ++k)
    uses.push_back({static_cast<int>(elements[k]), static_cast<int>(unknowns[k]), factors[k], peaks[k]});
  return uses;
}

}  // namespace

DistributedReduction reduce_distributed(const Ranks& ranks, const Link& link, std::optional<int> wanted_modes,
                                        const ReductionStage& stage) {
  if (!link.mesh) fail(link, "only links of type mesh can be reduced by several processes; start lithe without mpirun");
  stage("assembling");
  const std::vector<int> part_of_element = partition_elements(*link.mesh, ranks.size());
  MeshShare share = mesh_share(link, part_of_element, ranks.rank());
  const FiniteElementBody nodes = mesh_nodes_of(link);
  const DofLayout layout = lay_out_dofs(nodes, *link.mesh, part_of_element, ranks.size(), interface_of(link, nodes));
  if (layout.num_inner() == 0) fail(link, "there is nothing to reduce: all its nodes have names");
  DistributedSystem system(ranks, layout, share);
  stage("factorising");
  system.factorise();
  stage("modes");
  const DistributedModes modes = lowest_modes(system, num_modes(link, wanted_modes, system));
  stage("static shapes and inertia");
  const DistributedColumns basis = basis_of(system, layout.num_interface(), modes.shapes);
  DistributedReduction result{part_of(ranks, link, nodes, system, basis), {}};
  result.part.inertia = summed(ranks, inertia_invariants(share.body, system.at(share.dofs, basis)));
  result.ranks = uses_of(ranks, share.num_elements, system);
  return result;
}

}  // namespace lithe
