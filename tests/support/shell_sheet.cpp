#include "support/shell_sheet.h"

#include <Eigen/SparseCholesky>
#include <cmath>
#include <map>

namespace lithe::test {
namespace {

class SheetMesher {
 public:
  explicit SheetMesher(const ShellSheet& sheet) : sheet_(sheet) {}

  Mesh make() {
    for (int j = 0; j <= sheet_.ny; ++j)
      for (int i = 0; i <= sheet_.nx; ++i) add_node(corner(i, j));
    for (int j = 0; j < sheet_.ny; ++j)
      for (int i = 0; i < sheet_.nx; ++i) {
        const int a = j * (sheet_.nx + 1) + i, b = a + 1, c = b + sheet_.nx + 1, d = c - 1;
        if (info(sheet_.shape).num_corners == 4) {
          add_element({a, b, c, d});
        } else {
          add_element({a, b, c});
          add_element({a, c, d});
        }
      }
    ShellSection section;
    section.layers = {{0, sheet_.thickness, 0}};
    section.offset = sheet_.offset;
    mesh_.shells = {section};
    return std::move(mesh_);
  }

 private:
  std::array<double, 2> corner(int i, int j) const {
    double u = static_cast<double>(i) / sheet_.nx, v = static_cast<double>(j) / sheet_.ny;
    if (i > 0 && i < sheet_.nx && j > 0 && j < sheet_.ny) {
      u += sheet_.skew / sheet_.nx * std::sin(3.0 * j + 7.0 * i);
      v += sheet_.skew / sheet_.ny * std::cos(2.0 * i + 5.0 * j);
    }
    return {u, v};
  }
  int add_node(const std::array<double, 2>& at) {
    places_.push_back(at);
    mesh_.positions.push_back(sheet_.map(at[0], at[1]));
    mesh_.node_labels.push_back(static_cast<std::int64_t>(mesh_.positions.size()));
    return mesh_.num_nodes() - 1;
  }
  int middle(int a, int b) {
    const auto [place, is_new] = middles_.emplace(std::minmax(a, b), mesh_.num_nodes());
    const auto &p = places_[static_cast<std::size_t>(a)], &q = places_[static_cast<std::size_t>(b)];
    if (is_new) add_node({0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])});
    return place->second;
  }
  void add_element(std::vector<int> nodes) {
    const std::size_t corners = nodes.size();
    if (info(sheet_.shape).num_nodes > info(sheet_.shape).num_corners)
      for (std::size_t k = 0; k < corners; ++k) nodes.push_back(middle(nodes[k], nodes[(k + 1) % corners]));
    MeshElement element{sheet_.shape, 0, mesh_.connectivity.size(), mesh_.num_elements() + 1};
    element.shell = 0;
    mesh_.elements.push_back(element);
    mesh_.connectivity.insert(mesh_.connectivity.end(), nodes.begin(), nodes.end());
  }

  const ShellSheet& sheet_;
  Mesh mesh_;
  std::vector<std::array<double, 2>> places_;
  std::map<std::pair<int, int>, int> middles_;
};

}  // namespace

Mesh mesh_of_sheet(const ShellSheet& sheet) { return SheetMesher(sheet).make(); }

Link link_of_sheet(const ShellSheet& sheet) {
  auto part = std::make_shared<MeshPart>();
  part->file = "sheet.msh";
  part->mesh = mesh_of_sheet(sheet);
  part->materials = {sheet.material};
  part->element_materials.assign(part->mesh.elements.size(), 0);
  Link link;
  link.name = "sheet";
  link.mesh = std::move(part);
  return link;
}

int nearest_node(const FiniteElementBody& body, const Vector3& point) {
  int best = -1;
  for (int node = 0; node < body.num_nodes(); ++node) {
    const auto distance = [&](int k) { return (body.node_positions[static_cast<std::size_t>(k)] - point).norm(); };
    if (body.mesh_nodes[static_cast<std::size_t>(node)] >= 0 && (best < 0 || distance(node) < distance(best)))
      best = node;
  }
  return best;
}

VectorX displacements(const FiniteElementBody& body, const VectorX& loads, const std::vector<bool>& held,
                      const VectorX& values) {
  std::vector<Eigen::Triplet<double>> triplets;
  int free = 0;
  VectorX result = VectorX::Zero(body.num_dofs());
  for (int dof = 0; dof < body.num_dofs(); ++dof) {
    if (held[static_cast<std::size_t>(dof)])
      result(dof) = values(dof);
    else
      triplets.emplace_back(dof, free++, 1.0);
  }
  SparseMatrix keep(body.num_dofs(), free);
  keep.setFromTriplets(triplets.begin(), triplets.end());
  const Eigen::SimplicialLDLT<SparseMatrix> factor(SparseMatrix(keep.transpose() * body.stiffness * keep));
  const VectorX rest = loads - body.stiffness * result;
  const VectorX found = factor.solve(keep.transpose() * rest);
  return result + keep * found;
}

}  // namespace lithe::test
