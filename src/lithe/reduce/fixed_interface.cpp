#include "lithe/reduce/fixed_interface.h"

#include <algorithm>

#include "lithe/base/diagnostics.h"
#include "lithe/reduce/bases.h"
#include "lithe/reduce/eigensolver.h"

namespace lithe {

FixedInterfaceModes fixed_interface_modes(const FiniteElementBody& body, const std::vector<int>& interface_nodes,
                                          int max_of_large, Space space) {
  const std::vector<int> moving = moving_dofs(body, space);
  const int per_node = static_cast<int>(moving.size()) / body.num_nodes();
  std::vector<int> interface, inner, place(static_cast<std::size_t>(body.num_dofs()), -1);
  for (const int node : interface_nodes)
    interface.insert(interface.end(), moving.begin() + per_node * node, moving.begin() + per_node * (node + 1));
  for (const int dof : interface) place[static_cast<std::size_t>(dof)] = -2;
  for (const int dof : moving)
    if (place[static_cast<std::size_t>(dof)] == -1) {
      place[static_cast<std::size_t>(dof)] = static_cast<int>(inner.size());
      inner.push_back(dof);
    }
  FixedInterfaceModes result;
  result.num_available = static_cast<int>(inner.size());
  result.participation.resize(0, static_cast<Eigen::Index>(interface.size()));
  if (inner.empty()) return result;
  const auto part = [&](const SparseMatrix& matrix) {
    std::vector<Eigen::Triplet<double>> triplets;
    for (std::size_t j = 0; j < inner.size(); ++j)
      for (SparseMatrix::InnerIterator entry(matrix, inner[j]); entry; ++entry)
        if (const int row = place[static_cast<std::size_t>(entry.row())]; row >= 0)
          triplets.emplace_back(row, static_cast<int>(j), entry.value());
    SparseMatrix square(static_cast<Eigen::Index>(inner.size()), static_cast<Eigen::Index>(inner.size()));
    square.setFromTriplets(triplets.begin(), triplets.end());
    return square;
  };
  const SparseMatrix stiffness = part(body.stiffness), mass = part(body.mass);
  const int count = static_cast<int>(inner.size()) <= largest_dense_problem
                        ? static_cast<int>(inner.size())
                        : std::min(max_of_large, static_cast<int>(inner.size()));
  const NaturalModes modes = count == static_cast<int>(inner.size()) ? natural_modes(MatrixX(stiffness), MatrixX(mass))
                                                                     : lowest_modes(stiffness, mass, count);
  result.num_available = count == static_cast<int>(inner.size()) ? static_cast<int>(modes.squared_frequencies.size())
                                                                 : static_cast<int>(inner.size());
  result.squared_frequencies = modes.squared_frequencies;
  // L = φᵀ M Ψ, Ψ the static shapes of the interface
  const MatrixX moved = body.mass * static_modes(body, interface_nodes, space);
  result.participation = modes.shapes.transpose() * moved(inner, Eigen::all);
  return result;
}

}  // namespace lithe
