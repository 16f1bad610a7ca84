#include "lithe/reduce/distributed/distributed_reduction.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/base/decompositions.h"
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
#include "lithe/reduce/solvers/eigensolver.h"

namespace lithe {
namespace {

[[noreturn]] void fail(const Link& link, const std::string& message) {
  throw InputError(std::vector{error_at(link.place, cat("link '", link.name, "': ", message))});
}

std::vector<int> checked_interface(const Link& link, const ReductionChoice& choice, std::vector<int> nodes) {
  if (!link.mesh) fail(link, "only links of type mesh can be reduced by several processes; start lithe without mpirun");
  if (choice.method != ReductionMethod::craig_bampton && choice.method != ReductionMethod::guyan)
    fail(link,
         "several processes reduce by craig_bampton and guyan alone; start lithe without mpirun for other methods");
  if (!choice.interface_nodes.empty()) nodes = choice.interface_nodes;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (nodes.empty()) fail(link, "this reduction needs interface nodes");
  return nodes;
}

// Modes with the interface held that the choice asks for.
int num_modes(const Link& link, const ReductionChoice& choice, const DistributedSystem& system) {
  if (choice.method == ReductionMethod::guyan) return 0;
  const int available = system.num_rows();
  if (!choice.num_internal_modes && !choice.max_frequency)
    fail(link, "all modes are too many: give a number of them (internal_modes) or a highest frequency (max_frequency)");
  if (choice.num_internal_modes.value_or(0) > available)
    fail(link, cat("Craig-Bampton: ", *choice.num_internal_modes, " fixed-interface modes wanted, but there are only ",
                   available));
  int count = choice.num_internal_modes.value_or(available);
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

// Rigid motions in the coordinates of the basis: those of the interface nodes, about the first of them.
MatrixX rigid_coordinates(const FiniteElementBody& nodes, const DofLayout& layout, Eigen::Index num_coordinates) {
  MatrixX rigid = MatrixX::Zero(num_coordinates, 6);
  const auto position = [&](int dof) { return nodes.node_positions[static_cast<std::size_t>(nodes.node_of_dof(dof))]; };
  double size = 0;
  const Vector3 origin = position(layout.interface_dofs.front());
  for (const int dof : layout.interface_dofs) size = std::max(size, (position(dof) - origin).norm());
  if (size == 0) size = 1;
  for (std::size_t k = 0; k < layout.interface_dofs.size(); ++k) {
    const int dof = layout.interface_dofs[k], component = nodes.component(dof);
    const auto row = static_cast<Eigen::Index>(k);
    if (component >= 3)
      rigid(row, component) = 1 / size;
    else {
      rigid(row, component) = 1;
      rigid.block<1, 3>(row, 3) = -skew(position(dof) - origin).row(component) / size;  // u = e × s
    }
  }
  return rigid;
}

// Elastic frequencies of the free reduced body: of its motions orthogonal to the rigid ones, as (9) and (10).
VectorX free_frequencies(const MatrixX& stiffness, const MatrixX& mass, const MatrixX& rigid) {
  const VectorX scale = mass.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixX coupling = scale.asDiagonal() * mass * rigid;
  const MatrixX elastic = scale.asDiagonal() * orthogonal_factor(coupling).rightCols(mass.rows() - rigid.cols());
  return natural_modes(elastic.transpose() * stiffness * elastic, elastic.transpose() * mass * elastic)
      .squared_frequencies;
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

DistributedReduction reduce_distributed(const Ranks& ranks, const Link& link, const ReductionChoice& choice,
                                        const std::vector<int>& interface_nodes, const ReductionStage& stage) {
  DistributedReduction result;
  result.interface_nodes = checked_interface(link, choice, interface_nodes);
  stage("assembling");
  const std::vector<int> part_of_element = partition_elements(*link.mesh, ranks.size());
  MeshShare share = mesh_share(link, part_of_element, ranks.rank());
  const FiniteElementBody nodes = mesh_nodes_of(link);
  const DofLayout layout = lay_out_dofs(nodes, *link.mesh, part_of_element, ranks.size(), result.interface_nodes);
  DistributedSystem system(ranks, layout, share);
  if (layout.num_inner() == 0) fail(link, "there is nothing to reduce: all its nodes are interfaces");
  stage("factorising");
  system.factorise();
  stage("computing modes");
  const DistributedModes modes = lowest_modes(system, num_modes(link, choice, system));
  result.squared_frequencies = modes.squared_frequencies;
  stage("computing static shapes");
  const DistributedColumns basis = basis_of(system, layout.num_interface(), modes.shapes);
  result.stiffness = product(ranks, basis, system.times_stiffness(basis));
  result.mass = product(ranks, basis, system.times_mass(basis));
  result.inertia = summed(ranks, inertia_invariants(share.body, system.at(share.dofs, basis)));
  result.num_interface_dofs = layout.num_interface();
  result.num_unknowns = nodes.num_dofs();
  result.free_squared_frequencies =
      free_frequencies(result.stiffness, result.mass, rigid_coordinates(nodes, layout, result.mass.rows()));
  result.ranks = uses_of(ranks, share.num_elements, system);
  for (const RankUse& use : result.ranks) result.num_elements += use.num_elements;
  return result;
}

}  // namespace lithe
