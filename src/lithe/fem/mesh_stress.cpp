#include "lithe/fem/mesh_stress.h"

#include "lithe/fem/shells/shell_element.h"
#include "lithe/fem/shells/shell_layers.h"
#include "lithe/fem/solid_element.h"
#include "lithe/model/mesh/stress_points.h"

namespace lithe {
namespace {

using StressTriplets = std::vector<Eigen::Triplet<double>>;

// Rows of stress at nodes of the body, each a mean over the elements at it.
class StressRows {
 public:
  StressRows(const MeshPart& part, const FiniteElementBody& body, const std::vector<int>& nodes)
      : part_(part),
        mesh_(part.mesh),
        place_(mesh_.positions.size(), -1),
        rows_(count(body), -1),
        shares_(count(body)) {
    for (int node = 0; node < body.num_nodes(); ++node)
      if (const int of_mesh = body.mesh_nodes[static_cast<std::size_t>(node)]; of_mesh >= 0)
        place_[static_cast<std::size_t>(of_mesh)] = node;
    for (std::size_t k = 0; k < nodes.size(); ++k) rows_[static_cast<std::size_t>(nodes[k])] = static_cast<int>(k);
    layers_ = shell_layers(part);
    first_layer_ = body.num_nodes() - static_cast<int>(layers_.nodes.size());
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
      for (int k = 0; k < num_nodes(e) && part.is_structure(e); ++k)
        for (const int node : body_nodes(e, k)) ++shares_[static_cast<std::size_t>(node)];
  }

  SparseMatrix over_motions(const FiniteElementBody& body, std::size_t num_rows) {
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
      if (part_.is_structure(e) && wanted(e)) add_element(e);
    SparseMatrix result(6 * static_cast<Eigen::Index>(num_rows), 6 * body.num_nodes());
    result.setFromTriplets(triplets_.begin(), triplets_.end());
    return result;
  }

 private:
  static std::size_t count(const FiniteElementBody& body) { return static_cast<std::size_t>(body.num_nodes()); }
  int num_nodes(std::size_t e) const { return info(mesh_.elements[e].shape).num_nodes; }
  int node(std::size_t e, int k) const {
    return place_[static_cast<std::size_t>(mesh_.nodes_of(mesh_.elements[e])[k])];
  }
  // Where the stress at node k of an element is: at that node of a solid, at the bottom and the top of a shell.
  std::vector<int> body_nodes(std::size_t e, int k) const {
    if (layers_.first[e] < 0) return {node(e, k)};
    const std::array<int, 2>& both = layers_.corner(e, k);
    return {first_layer_ + both[0], first_layer_ + both[1]};
  }
  bool wanted(std::size_t e) const {
    for (int k = 0; k < num_nodes(e); ++k)
      for (const int at : body_nodes(e, k))
        if (rows_[static_cast<std::size_t>(at)] >= 0) return true;
    return false;
  }

  void add_element(std::size_t e) {
    const MeshElement& element = mesh_.elements[e];
    const bool shell = layers_.first[e] >= 0;
    MatrixX stress;
    if (shell) {
      stress = shell_stress(shell_element(part_, element));
    } else {
      SolidNodes positions(num_nodes(e), 3);
      for (int k = 0; k < num_nodes(e); ++k)
        positions.row(k) = mesh_.positions[static_cast<std::size_t>(mesh_.nodes_of(element)[k])].transpose();
      stress = solid_stress(element.shape, positions, solid_elasticity(part_, element, positions));
    }
    const int motions = shell ? 6 : 3;
    Eigen::Index first = 0;
    for (int i = 0; i < num_nodes(e); ++i)
      for (const int at : body_nodes(e, i)) {
        add_rows(stress.middleRows<6>(first), e, at, motions);
        first += 6;
      }
  }

  void add_rows(const MatrixX& stress, std::size_t e, int at, int motions) {
    const int row = rows_[static_cast<std::size_t>(at)];
    if (row < 0) return;
    for (int j = 0; j < num_nodes(e); ++j)
      for (int a = 0; a < motions; ++a)
        for (int c = 0; c < 6; ++c)
          if (const double value = stress(c, motions * j + a); value != 0)
            triplets_.emplace_back(6 * row + c, 6 * node(e, j) + a, value / shares_[static_cast<std::size_t>(at)]);
  }

  const MeshPart& part_;
  const Mesh& mesh_;
  std::vector<int> place_;          // node of the body, per node of the mesh
  std::vector<int> rows_, shares_;  // per node of the body: its place in the result, the elements at it
  ShellLayers layers_;
  int first_layer_ = 0;
  StressTriplets triplets_;
};

}  // namespace

SparseMatrix nodal_stress(const Link& link, const FiniteElementBody& body, const std::vector<int>& nodes) {
  return StressRows(*link.mesh, body, nodes).over_motions(body, nodes.size()) * body.node_motions;
}

std::vector<int> stress_places(const MeshPart& part, const std::vector<int>& mesh_nodes) {
  const std::vector<bool> solid = nodes_of_solids(part);
  std::vector<bool> chosen(part.mesh.positions.size(), false);
  std::vector<int> places;
  for (const int node : mesh_nodes) {
    chosen[static_cast<std::size_t>(node)] = true;
    if (solid[static_cast<std::size_t>(node)]) places.push_back(node);
  }
  const ShellLayers layers = shell_layers(part);
  for (std::size_t k = 0; k < layers.nodes.size(); ++k)
    if (chosen[static_cast<std::size_t>(layers.nodes[k].mesh_node)])
      places.push_back(static_cast<int>(part.mesh.positions.size() + k));
  return places;
}

std::vector<int> stress_places_on_surface(const MeshPart& part) {
  std::vector<int> places = surface_nodes(part);
  const std::size_t num_layer_nodes = shell_layers(part).nodes.size();
  for (std::size_t k = 0; k < num_layer_nodes; ++k) places.push_back(static_cast<int>(part.mesh.positions.size() + k));
  return places;
}

std::vector<int> body_nodes_at(const MeshPart& part, const FiniteElementBody& body, const std::vector<int>& places) {
  const auto num_mesh_nodes = static_cast<int>(part.mesh.positions.size());
  const int first_layer = body.num_nodes() - static_cast<int>(shell_layers(part).nodes.size());
  std::vector<int> node_of(part.mesh.positions.size(), -1);
  for (int node = 0; node < body.num_nodes(); ++node)
    if (const int of_mesh = body.mesh_nodes[static_cast<std::size_t>(node)]; of_mesh >= 0)
      node_of[static_cast<std::size_t>(of_mesh)] = node;
  std::vector<int> nodes;
  for (const int place : places)
    nodes.push_back(place < num_mesh_nodes ? node_of[static_cast<std::size_t>(place)]
                                           : first_layer + place - num_mesh_nodes);
  return nodes;
}

std::vector<std::array<int, 3>> surface_of(const Link& link, const FiniteElementBody& body) {
  const MeshPart& part = *link.mesh;
  std::vector<int> place(part.mesh.positions.size(), -1);
  for (int node = 0; node < body.num_nodes(); ++node)
    if (const int of_mesh = body.mesh_nodes[static_cast<std::size_t>(node)]; of_mesh >= 0)
      place[static_cast<std::size_t>(of_mesh)] = node;
  std::vector<SurfaceFace> faces = surface_faces(part.mesh);
  std::erase_if(faces,
                [&](const SurfaceFace& face) { return !part.is_structure(static_cast<std::size_t>(face.element)); });
  std::vector<std::array<int, 3>> result = triangles(part.mesh, faces);
  for (std::array<int, 3>& triangle : result)
    for (int& node : triangle) node = place[static_cast<std::size_t>(node)];
  const ShellLayers layers = shell_layers(part);
  const int first_layer = body.num_nodes() - static_cast<int>(layers.nodes.size());
  for (const std::array<int, 3>& triangle : layer_triangles(part, layers))
    result.push_back({first_layer + triangle[0], first_layer + triangle[1], first_layer + triangle[2]});
  return result;
}

}  // namespace lithe
