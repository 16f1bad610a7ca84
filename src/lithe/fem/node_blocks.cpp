#include "lithe/fem/node_blocks.h"

#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

// A compressed matrix of zeros with room for so many entries in each column; row numbers follow.
SparseMatrix with_columns(Eigen::Index rows, const std::vector<int>& sizes) {
  const auto columns = static_cast<Eigen::Index>(sizes.size());
  SparseMatrix matrix(rows, columns);
  std::int64_t total = 0;
  for (const int size : sizes) total += size;
  if (total > 2'000'000'000) throw InputError(cat("the mesh is too large: its matrix has ", total, " entries"));
  matrix.resizeNonZeros(total);
  int* const outer = matrix.outerIndexPtr();
  outer[0] = 0;
  for (Eigen::Index column = 0; column < columns; ++column)
    outer[column + 1] = outer[column] + sizes[static_cast<std::size_t>(column)];
  std::fill_n(matrix.valuePtr(), total, 0.0);
  return matrix;
}

}  // namespace

NodeBlocks::NodeBlocks(const MeshPart& part, const std::vector<int>& place, const FiniteElementBody& body) {
  for (int node = 0; node < body.num_nodes(); ++node) {
    const bool own = body.num_dofs(node) >= 3 && body.component(body.first_dof(node) + 2) == 2;
    first_dof_.push_back(own ? body.first_dof(node) : -1);
  }
  find_neighbours(part, place, body.num_nodes());
  set_pattern(body);
}

void NodeBlocks::find_neighbours(const MeshPart& part, const std::vector<int>& place, int num_nodes) {
  const Mesh& mesh = part.mesh;
  const auto each_node = [&](const auto& action) {
    for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
      if (part.element_materials[e] < 0 || !is_solid(mesh.elements[e])) continue;
      for (int k = 0; k < info(mesh.elements[e].shape).num_nodes; ++k)
        action(static_cast<std::size_t>(place[static_cast<std::size_t>(mesh.nodes_of(mesh.elements[e])[k])]), e);
    }
  };
  const auto count = static_cast<std::size_t>(num_nodes);
  std::vector<std::size_t> first(count + 1, 0);
  each_node([&](std::size_t node, std::size_t) { ++first[node + 1]; });
  for (std::size_t node = 0; node < count; ++node) first[node + 1] += first[node];
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  std::vector<int> elements(first.back());  // at every node
  each_node([&](std::size_t node, std::size_t e) { elements[next[node]++] = static_cast<int>(e); });
  std::vector<int> met(count, -1);
  starts_.assign(1, 0);
  for (std::size_t node = 0; node < count; ++node) {
    for (std::size_t k = first[node]; k < first[node + 1]; ++k) {
      const MeshElement& element = mesh.elements[static_cast<std::size_t>(elements[k])];
      for (int i = 0; i < info(element.shape).num_nodes; ++i) {
        const int other = place[static_cast<std::size_t>(mesh.nodes_of(element)[i])];
        if (met[static_cast<std::size_t>(other)] == static_cast<int>(node)) continue;
        met[static_cast<std::size_t>(other)] = static_cast<int>(node);
        neighbours_.push_back(other);
      }
    }
    std::sort(neighbours_.begin() + static_cast<std::ptrdiff_t>(starts_.back()), neighbours_.end());
    starts_.push_back(neighbours_.size());
  }
}

void NodeBlocks::set_pattern(const FiniteElementBody& body) {
  const auto count = static_cast<std::size_t>(body.num_nodes());
  const auto num_dofs = static_cast<std::size_t>(body.num_dofs());
  std::vector<int> of_nodes, of_stiffness(num_dofs, 0), of_mass(num_dofs, 0);
  plain_before_.reserve(neighbours_.size());
  for (std::size_t node = 0; node < count; ++node) {
    int num_plain = 0;
    for (std::size_t k = starts_[node]; k < starts_[node + 1]; ++k) {
      plain_before_.push_back(num_plain);
      if (plain(neighbours_[k])) ++num_plain;
    }
    of_nodes.push_back(static_cast<int>(starts_[node + 1] - starts_[node]));
    if (const int dof = first_dof_[node]; dof >= 0)
      for (int b = 0; b < 3; ++b) {
        of_stiffness[static_cast<std::size_t>(dof + b)] = 3 * num_plain;
        of_mass[static_cast<std::size_t>(dof + b)] = num_plain;
      }
  }
  node_mass_ = with_columns(body.num_nodes(), of_nodes);
  std::copy(neighbours_.begin(), neighbours_.end(), node_mass_.innerIndexPtr());
  stiffness_ = with_columns(body.num_dofs(), of_stiffness);
  mass_ = with_columns(body.num_dofs(), of_mass);
  for (std::size_t node = 0; node < count; ++node) {
    if (first_dof_[node] < 0) continue;
    for (int b = 0; b < 3; ++b) {
      int* row = stiffness_.innerIndexPtr() + stiffness_.outerIndexPtr()[first_dof_[node] + b];
      int* mass_row = mass_.innerIndexPtr() + mass_.outerIndexPtr()[first_dof_[node] + b];
      for (std::size_t k = starts_[node]; k < starts_[node + 1]; ++k) {
        const int dof = first_dof_[static_cast<std::size_t>(neighbours_[k])];
        if (dof < 0) continue;
        for (int a = 0; a < 3; ++a) *row++ = dof + a;
        *mass_row++ = dof + b;
      }
    }
  }
}

void NodeBlocks::add(int row_node, int column_node, const Eigen::Ref<const Matrix3, 0, Eigen::OuterStride<>>& stiffness,
                     double mass) {
  const auto begin = neighbours_.begin() + static_cast<std::ptrdiff_t>(starts_[static_cast<std::size_t>(column_node)]);
  const auto end =
      neighbours_.begin() + static_cast<std::ptrdiff_t>(starts_[static_cast<std::size_t>(column_node) + 1]);
  const auto found = std::lower_bound(begin, end, row_node) - begin;
  node_mass_.valuePtr()[node_mass_.outerIndexPtr()[column_node] + found] += mass;
  if (!plain(row_node) || !plain(column_node)) return;
  const int before = plain_before_[starts_[static_cast<std::size_t>(column_node)] + static_cast<std::size_t>(found)];
  const int dof = first_dof_[static_cast<std::size_t>(column_node)];
  for (int b = 0; b < 3; ++b) {
    double* const entry = stiffness_.valuePtr() + stiffness_.outerIndexPtr()[dof + b] + 3 * before;
    for (int a = 0; a < 3; ++a) entry[a] += stiffness(a, b);
    mass_.valuePtr()[mass_.outerIndexPtr()[dof + b] + before] += mass;
  }
}

void NodeBlocks::move_to(FiniteElementBody& body) {
  body.stiffness.swap(stiffness_);
  body.mass.swap(mass_);
  body.node_mass.swap(node_mass_);
}

}  // namespace lithe
