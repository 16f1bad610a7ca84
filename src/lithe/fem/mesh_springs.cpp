#include "lithe/fem/mesh_springs.h"

namespace lithe {

void add_mesh_springs(const Mesh& mesh, const std::vector<int>& place, FiniteElementBody& body) {
  if (mesh.springs.empty()) return;
  const Eigen::SparseMatrix<double, Eigen::RowMajor> motions(body.node_motions);
  std::vector<Eigen::Triplet<double>> triplets;
  Eigen::SparseVector<double> elongation(body.num_dofs());
  for (const MeshSpring& spring : mesh.springs) {
    elongation.setZero();
    for (const MotionTerm& term : spring.terms) {
      const int node = place[static_cast<std::size_t>(term.node)];
      elongation += term.factor * motions.row(6 * node + term.component).transpose();
    }
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
