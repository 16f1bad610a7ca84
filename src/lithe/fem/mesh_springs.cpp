#include "lithe/fem/mesh_springs.h"

#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {

void demand_room_for_full_parts(double squares, const std::string& link, const std::string& what) {
  constexpr double most = 1e8;  // entries of a matrix, 6 GB with what is made of them
  if (squares <= most) return;
  throw InputError(cat("link '", link, "': ", what, " hang on averaging elements of so many nodes that ", squares,
                       " entries of a matrix would be needed; at most ", most,
                       " are allowed: let the elements have fewer nodes, or make them rigid"));
}

void add_mesh_springs(const Mesh& mesh, const std::vector<int>& place, FiniteElementBody& body) {
  if (mesh.springs.empty()) return;
  const Eigen::SparseMatrix<double, Eigen::RowMajor> motions(body.node_motions);
  Eigen::SparseVector<double> elongation(body.num_dofs());
  const auto find_elongation = [&](const MeshSpring& spring) {
    elongation.setZero();
    for (const MotionTerm& term : spring.terms) {
      const int node = place[static_cast<std::size_t>(term.node)];
      elongation += term.factor * motions.row(6 * node + term.component).transpose();
    }
  };
  double squares = 0;
  for (const MeshSpring& spring : mesh.springs) {
    find_elongation(spring);
    squares += std::pow(static_cast<double>(elongation.nonZeros()), 2);
  }
  demand_room_for_full_parts(squares, body.name, "its springs");
  std::vector<Eigen::Triplet<double>> triplets;
  for (const MeshSpring& spring : mesh.springs) {
    find_elongation(spring);
    for (Eigen::SparseVector<double>::InnerIterator a(elongation); a; ++a)
      for (Eigen::SparseVector<double>::InnerIterator b(elongation); b; ++b)
        triplets.emplace_back(static_cast<int>(a.index()), static_cast<int>(b.index()),
                              spring.stiffness * a.value() * b.value());
  }
  SparseMatrix stiffness(body.num_dofs(), body.num_dofs());
  stiffness.setFromTriplets(triplets.begin(), triplets.end());
  body.stiffness = SparseMatrix(body.stiffness + stiffness);
}

}  // namespace lithe
