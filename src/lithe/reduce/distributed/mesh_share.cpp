#include "lithe/reduce/distributed/mesh_share.h"

#include <algorithm>

#include "lithe/fem/assemble_mesh.h"
#include "lithe/model/mesh/mesh.h"

namespace lithe {
namespace {

// Numbers of the marked items, and the place of each among them.
struct Chosen {
  std::vector<int> numbers;
  std::vector<int> place;  // -1 of items that are not chosen
};

Chosen choose(const std::vector<bool>& marked) {
  Chosen chosen{{}, std::vector<int>(marked.size(), -1)};
  for (std::size_t k = 0; k < marked.size(); ++k) {
    if (!marked[k]) continue;
    chosen.place[k] = static_cast<int>(chosen.numbers.size());
    chosen.numbers.push_back(static_cast<int>(k));
  }
  return chosen;
}

// Rows and columns that are not chosen hold no entries.
SparseMatrix compact(const SparseMatrix& matrix, const Chosen& rows, const Chosen& columns) {
  SparseMatrix result(static_cast<Eigen::Index>(rows.numbers.size()),
                      static_cast<Eigen::Index>(columns.numbers.size()));
  result.reserve(matrix.nonZeros());
  for (std::size_t j = 0; j < columns.numbers.size(); ++j) {
    result.startVec(static_cast<Eigen::Index>(j));
    for (SparseMatrix::InnerIterator entry(matrix, columns.numbers[j]); entry; ++entry)
      if (const int row = rows.place[static_cast<std::size_t>(entry.row())]; row >= 0)
        result.insertBack(row, static_cast<Eigen::Index>(j)) = entry.value();
  }
  result.finalize();
  return result;
}

void mark_columns(const SparseMatrix& matrix, std::vector<bool>& marked) {
  for (int column = 0; column < matrix.outerSize(); ++column)
    if (SparseMatrix::InnerIterator(matrix, column)) marked[static_cast<std::size_t>(column)] = true;
}

// The dofs of elements, of point masses, and those that its nodes' motions follow from.
std::vector<bool> touched_dofs(const FiniteElementBody& whole, const std::vector<bool>& nodes) {
  std::vector<bool> dofs(static_cast<std::size_t>(whole.num_dofs()), false);
  mark_columns(whole.stiffness, dofs);
  mark_columns(whole.mass, dofs);
  for (const MassPoint& point : whole.mass_points)
    for (const int dof : point.dofs) dofs[static_cast<std::size_t>(dof)] = true;
  for (int column = 0; column < whole.node_motions.outerSize(); ++column)
    for (SparseMatrix::InnerIterator entry(whole.node_motions, column); entry; ++entry)
      if (nodes[static_cast<std::size_t>(entry.row() / 6)]) dofs[static_cast<std::size_t>(column)] = true;
  return dofs;
}

}  // namespace

MeshShare mesh_share(const Link& link, const std::vector<int>& part_of_element, int part) {
  std::vector<int> materials = link.mesh->element_materials;
  MeshShare share;
  for (std::size_t e = 0; e < materials.size(); ++e) {
    if (part_of_element[e] != part) materials[e] = -1;
    share.num_elements += materials[e] >= 0 ? 1 : 0;
  }
  FiniteElementBody whole = assemble_share(link, materials, part == 0);
  std::vector<bool> marked(whole.node_positions.size(), false);
  mark_columns(whole.node_mass, marked);
  const Chosen dofs = choose(touched_dofs(whole, marked));
  const Chosen nodes = choose(marked);
  std::vector<bool> motions(6 * marked.size(), false);
  for (const int node : nodes.numbers) std::fill_n(motions.begin() + 6 * static_cast<std::ptrdiff_t>(node), 6, true);
  FiniteElementBody& body = share.body;
  body.name = whole.name;
  body.place = whole.place;
  for (const int node : nodes.numbers)
    body.node_positions.push_back(whole.node_positions[static_cast<std::size_t>(node)]);
  body.node_motions = compact(whole.node_motions, choose(motions), dofs);
  body.node_mass = compact(whole.node_mass, nodes, nodes);
  SparseMatrix().swap(whole.node_mass);
  body.mass = compact(whole.mass, dofs, dofs);
  SparseMatrix().swap(whole.mass);
  body.stiffness = compact(whole.stiffness, dofs, dofs);
  body.mass_points = std::move(whole.mass_points);
  for (MassPoint& point : body.mass_points)
    for (int& dof : point.dofs) dof = dofs.place[static_cast<std::size_t>(dof)];
  share.dofs = dofs.numbers;
  return share;
}

}  // namespace lithe
