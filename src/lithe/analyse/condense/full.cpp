#include "lithe/analyse/condense/full.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/analyse/condense/sets.h"
#include "lithe/fem/assemble.h"
#include "lithe/reduce/balanced_modes.h"

namespace lithe {
namespace {

// Matrices over z and the inner unknowns of all links.
struct FullSystem {
  SparseMatrix stiffness, mass;
  MatrixX loads;
  std::vector<int> blocks;
};

// u = T (z, inner): a mesh's unknowns, link axes.
struct MeshMap {
  CondenseTriplets triplets;
  std::vector<int> inner_nodes;
};

class FullSink : public CondenseSink {
 public:
  void add(CondensePart part, const std::vector<int>& columns, const MatrixX& block) override {
    append_block(columns, block, part == CondensePart::mass ? mass : stiffness);
  }
  void add_load(int load_case, const std::vector<int>& columns, const VectorX& force) override {
    for (std::size_t i = 0; i < columns.size(); ++i)
      loads.emplace_back(columns[i], load_case, force[static_cast<Eigen::Index>(i)]);
  }
  CondenseTriplets stiffness, mass, loads;
};

void append(const SparseMatrix& matrix, CondenseTriplets& triplets) {
  for (int k = 0; k < matrix.outerSize(); ++k)
    for (SparseMatrix::InnerIterator entry(matrix, k); entry; ++entry)
      triplets.emplace_back(static_cast<int>(entry.row()), static_cast<int>(entry.col()), entry.value());
}

MeshMap mesh_map(const Condenser& condenser, const CondenseGeometry& geometry, int link, const FiniteElementBody& mesh,
                 int first_inner) {
  const std::vector<int>& boundary = condenser.topology().boundary(link);
  std::vector<int> rows, dofs;
  for (std::size_t b = 0; b < boundary.size(); ++b)
    for (int dof = mesh.first_dof(boundary[b]); dof < mesh.first_dof(boundary[b] + 1); ++dof) {
      rows.push_back(6 * static_cast<int>(b) + mesh.component(dof));
      dofs.push_back(dof);
    }
  const StackedMap nodes = nodes_map(condenser.parts(), geometry, link, boundary, rows);
  MeshMap map;
  for (std::size_t k = 0; k < dofs.size(); ++k)
    for (std::size_t c = 0; c < nodes.columns.size(); ++c) {
      const double value = nodes.matrix(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c));
      if (value != 0) map.triplets.emplace_back(dofs[k], nodes.columns[c], value);
    }
  int next = first_inner;
  for (int node = 0; node < mesh.num_nodes(); ++node) {
    if (std::binary_search(boundary.begin(), boundary.end(), node)) continue;
    for (int dof = mesh.first_dof(node); dof < mesh.first_dof(node + 1); ++dof)
      map.triplets.emplace_back(dof, next++, 1.0);
    map.inner_nodes.push_back(node);
  }
  return map;
}

FullSystem full_system(const Condenser& condenser, const CondenseGeometry& geometry) {
  const Model& model = condenser.model();
  std::vector<FiniteElementBody> meshes(model.links.size());
  std::vector<int> first_inner(model.links.size(), 0);
  FullSystem system;
  system.blocks = geometry.blocks();
  int next_block = system.blocks.empty() ? 0 : 1 + *std::max_element(system.blocks.begin(), system.blocks.end());
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (model.links[i].rigid) continue;
    meshes[i] = assemble(model, model.links[i]);
    first_inner[i] = static_cast<int>(system.blocks.size());
    const std::vector<int>& boundary = condenser.topology().boundary(static_cast<int>(i));
    for (int node = 0; node < meshes[i].num_nodes(); ++node) {
      if (std::binary_search(boundary.begin(), boundary.end(), node) || meshes[i].num_dofs(node) == 0) continue;
      system.blocks.insert(system.blocks.end(), static_cast<std::size_t>(meshes[i].num_dofs(node)), next_block++);
    }
  }
  const auto size = static_cast<int>(system.blocks.size());
  FullSink sink;
  add_rigid_links(condenser.parts(), geometry, sink);
  add_joints(condenser.parts(), geometry, sink);
  add_loads(condenser.parts(), geometry, sink);
  system.loads = MatrixX::Zero(size, num_load_cases);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (model.links[i].rigid) continue;
    const FiniteElementBody& mesh = meshes[i];
    SparseMatrix T(mesh.num_dofs(), size);
    const MeshMap map = mesh_map(condenser, geometry, static_cast<int>(i), mesh, first_inner[i]);
    T.setFromTriplets(map.triplets.begin(), map.triplets.end());
    const SparseMatrix T_t = T.transpose();
    append(T_t * SparseMatrix(mesh.stiffness * T), sink.stiffness);
    append(T_t * SparseMatrix(mesh.mass * T), sink.mass);
    VectorX fall = VectorX::Zero(mesh.num_dofs());
    const Vector3 g = geometry.link_pose(static_cast<int>(i)).rotation.transpose() * model.gravity;
    for (int dof = 0; dof < mesh.num_dofs(); ++dof)
      if (mesh.component(dof) < 3) fall(dof) = g(mesh.component(dof));
    system.loads.col(case_gravity) += T_t * (mesh.mass * fall);
  }
  system.stiffness.resize(size, size);
  system.stiffness.setFromTriplets(sink.stiffness.begin(), sink.stiffness.end());
  system.mass.resize(size, size);
  system.mass.setFromTriplets(sink.mass.begin(), sink.mass.end());
  for (const auto& load : sink.loads) system.loads(load.row(), load.col()) += load.value();
  return system;
}

// Unknowns that may move: all but the imposed components of roots.
std::vector<int> moving_unknowns(const Condenser& condenser, const CondenseGeometry& geometry, int size) {
  std::vector<bool> held(size, false);
  for (std::size_t s = 0; s < condenser.topology().subsystems().size(); ++s) {
    const Subsystem& subsystem = condenser.topology().subsystems()[s];
    if (subsystem.role != SubsystemRole::imposed) continue;
    const Vector6 imposed = imposed_components(condenser.options().imposed[subsystem.imposed]);
    for (int k = 0; k < 6; ++k) held[geometry.root_column(static_cast<int>(s)) + k] = !std::isnan(imposed[k]);
  }
  std::vector<int> moving;
  for (int i = 0; i < size; ++i)
    if (!held[i]) moving.push_back(i);
  return moving;
}

SparseMatrix part_of(const SparseMatrix& matrix, const std::vector<int>& rows) {
  std::vector<int> place(matrix.rows(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<int>(i);
  CondenseTriplets triplets;
  for (int k = 0; k < matrix.outerSize(); ++k)
    for (SparseMatrix::InnerIterator entry(matrix, k); entry; ++entry)
      if (place[entry.row()] >= 0 && place[entry.col()] >= 0)
        triplets.emplace_back(place[entry.row()], place[entry.col()], entry.value());
  const auto n = static_cast<Eigen::Index>(rows.size());
  SparseMatrix result(n, n);
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

VectorX lowest_frequencies(const SparseMatrix& stiffness, const SparseMatrix& mass, int count) {
  constexpr int largest_dense = 1000;
  const auto n = static_cast<int>(stiffness.rows());
  VectorX squared = n <= largest_dense || 3 * count >= n
                        ? balanced_modes(MatrixX(stiffness), MatrixX(mass), false).squared_frequencies
                        : lowest_modes(stiffness, mass, count).squared_frequencies;
  squared.conservativeResize(std::min<Eigen::Index>(count, squared.size()));
  return squared.cwiseMax(0.0).cwiseSqrt() / (2 * std::numbers::pi);
}

}  // namespace

CondensedModel condense_directly(const Condenser& condenser, const Configuration& configuration) {
  CondenseGeometry geometry = condenser.make_geometry();
  CondensedModel failed =
      condenser.condense(configuration, geometry);  // whether something is unconstrained shows better there
  if (failed.status != CondenseStatus::ok) return failed;
  const FullSystem full = full_system(condenser, geometry);
  const std::optional<RetainedSystem> system =
      condenser.condense_sparse(geometry, full.stiffness, full.mass, full.loads, full.blocks, failed);
  return system ? condenser.finish(geometry, *system) : failed;
}

FullModel full_model(const Condenser& condenser, const Configuration& configuration, int count) {
  CondenseGeometry geometry = condenser.make_geometry();
  geometry.update(configuration);
  const FullSystem full = full_system(condenser, geometry);
  const std::vector<int> moving = moving_unknowns(condenser, geometry, static_cast<int>(full.stiffness.rows()));
  const SparseMatrix stiffness = part_of(full.stiffness, moving), mass = part_of(full.mass, moving);
  FullModel result;
  result.num_unknowns = static_cast<int>(moving.size());
  result.frequencies = lowest_frequencies(stiffness, mass, count);
  if (!condenser.options().tool) return result;
  const PointMap map = condenser.tool_map(geometry);
  MatrixX T = MatrixX::Zero(full.stiffness.rows(), 6);
  for (std::size_t k = 0; k < map.columns.size(); ++k)
    T.row(map.columns[k]) = map.matrix.col(static_cast<Eigen::Index>(k)).transpose();
  const MatrixX T_m = T(moving, Eigen::all);
  const Eigen::SimplicialLDLT<SparseMatrix> factor(stiffness);
  if (factor.info() != Eigen::Success || !(factor.vectorD().array() > 0).all()) return result;
  const Matrix6 C = T_m.transpose() * factor.solve(T_m);
  if (C.allFinite()) result.tool_compliance = 0.5 * (C + C.transpose());
  return result;
}

}  // namespace lithe
