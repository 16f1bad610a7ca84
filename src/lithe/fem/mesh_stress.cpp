#include "lithe/fem/mesh_stress.h"

#include <map>
#include <utility>

#include "lithe/fem/shells/shell_element.h"
#include "lithe/fem/shells/shell_layers.h"
#include "lithe/fem/solid_element.h"
#include "lithe/model/mesh/stress_points.h"

namespace lithe {
namespace {

using StressTriplets = std::vector<Eigen::Triplet<double>>;

// Materials of solids at nodes. Stress is continuous within one of them alone, and of orthotropic ones within one
// frame.
class SolidMaterials {
 public:
  explicit SolidMaterials(const MeshPart& part) : part_(part), first_(part.mesh.positions.size(), -1) {
    for (std::size_t e = 0; e < part.mesh.elements.size(); ++e) {
      const MeshElement& element = part.mesh.elements[e];
      if (!part.is_structure(e) || is_shell(element)) continue;
      const int own = kind(e);
      for (int k = 0; k < info(element.shape).num_nodes; ++k) {
        const int node = part.mesh.nodes_of(element)[k];
        int& first = first_[static_cast<std::size_t>(node)];
        if (first < 0) first = own;
        if (first == own) continue;
        const auto [known, is_new] = place_.emplace(std::pair(node, own), static_cast<int>(nodes_.size()));
        if (is_new) nodes_.push_back(node);
      }
    }
  }

  // Nodes of the mesh with another material than their first, once for each.
  const std::vector<int>& border_nodes() const { return nodes_; }
  // Index of an element at a node among them; -1: it has the node's first material.
  int border(std::size_t e, int node) {
    const int own = kind(e);
    return own == first_[static_cast<std::size_t>(node)] ? -1 : place_.at({node, own});
  }

 private:
  int kind(std::size_t e) {
    const int material = part_.element_materials[e];
    const bool turned = part_.materials[static_cast<std::size_t>(material)].orthotropic.has_value();
    const std::pair<int, int> key(material, turned ? part_.mesh.elements[e].frame : -1);
    if (key != last_) {
      last_ = key;
      last_kind_ = kinds_.emplace(key, static_cast<int>(kinds_.size())).first->second;
    }
    return last_kind_;
  }

  const MeshPart& part_;
  std::pair<int, int> last_{-1, -1};
  int last_kind_ = -1;
  std::map<std::pair<int, int>, int> kinds_;  // material and frame
  std::vector<int> first_;                    // kind of the first solid, per node of the mesh
  std::map<std::pair<int, int>, int> place_;  // of node and kind in nodes_
  std::vector<int> nodes_;
};

// Rows of stress at places, each a mean over the elements of one material there.
class StressRows {
 public:
  StressRows(const MeshPart& part, const FiniteElementBody& body, const std::vector<int>& places)
      : part_(part), mesh_(part.mesh), place_(mesh_.positions.size(), -1), materials_(part) {
    for (int node = 0; node < body.num_nodes(); ++node)
      if (const int of_mesh = body.mesh_nodes[static_cast<std::size_t>(node)]; of_mesh >= 0)
        place_[static_cast<std::size_t>(of_mesh)] = node;
    layers_ = shell_layers(part);
    rows_.assign(mesh_.positions.size() + layers_.nodes.size() + materials_.border_nodes().size(), -1);
    shares_.assign(rows_.size(), 0);
    for (std::size_t k = 0; k < places.size(); ++k) rows_[static_cast<std::size_t>(places[k])] = static_cast<int>(k);
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
      for (int k = 0; k < num_nodes(e) && part.is_structure(e); ++k)
        for (const int place : places_of(e, k)) ++shares_[static_cast<std::size_t>(place)];
  }

  SparseMatrix over_motions(const FiniteElementBody& body, std::size_t num_rows) {
    for (std::size_t e = 0; e < mesh_.elements.size(); ++e)
      if (part_.is_structure(e) && wanted(e)) add_element(e);
    SparseMatrix result(6 * static_cast<Eigen::Index>(num_rows), 6 * body.num_nodes());
    result.setFromTriplets(triplets_.begin(), triplets_.end());
    return result;
  }

 private:
  int num_nodes(std::size_t e) const { return info(mesh_.elements[e].shape).num_nodes; }
  int mesh_node(std::size_t e, int k) const { return mesh_.nodes_of(mesh_.elements[e])[k]; }
  int node(std::size_t e, int k) const { return place_[static_cast<std::size_t>(mesh_node(e, k))]; }
  // Where the stress at node k of an element is: at that node of a solid, at the bottom and the top of a shell.
  std::vector<int> places_of(std::size_t e, int k) {
    const auto first_layer = static_cast<int>(mesh_.positions.size());
    if (layers_.first[e] >= 0) {
      const std::array<int, 2>& both = layers_.corner(e, k);
      return {first_layer + both[0], first_layer + both[1]};
    }
    const int border = materials_.border(e, mesh_node(e, k));
    return {border < 0 ? mesh_node(e, k) : first_layer + static_cast<int>(layers_.nodes.size()) + border};
  }
  bool wanted(std::size_t e) {
    for (int k = 0; k < num_nodes(e); ++k)
      for (const int at : places_of(e, k))
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
        positions.row(k) = mesh_.positions[static_cast<std::size_t>(mesh_node(e, k))].transpose();
      stress = solid_stress(element.shape, positions, solid_elasticity(part_, element, positions));
    }
    const int motions = shell ? 6 : 3;
    Eigen::Index first = 0;
    for (int i = 0; i < num_nodes(e); ++i)
      for (const int at : places_of(e, i)) {
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
  std::vector<int> rows_, shares_;  // per place: its row in the result, the elements there
  ShellLayers layers_;
  SolidMaterials materials_;
  StressTriplets triplets_;
};

}  // namespace

SparseMatrix nodal_stress(const Link& link, const FiniteElementBody& body, const std::vector<int>& places) {
  return StressRows(*link.mesh, body, places).over_motions(body, places.size()) * body.node_motions;
}

namespace {

// Places beside the nodes of the mesh at nodes that are chosen: bottoms and tops of shells, borders of materials.
void add_more_places(const MeshPart& part, const std::vector<bool>& chosen, std::vector<int>& places) {
  int place = part.mesh.num_nodes();
  const auto add = [&](int mesh_node) {
    if (chosen[static_cast<std::size_t>(mesh_node)]) places.push_back(place);
    ++place;
  };
  const ShellLayers layers = shell_layers(part);
  for (const ShellLayers::LayerNode& layer : layers.nodes) add(layer.mesh_node);
  const SolidMaterials materials(part);
  for (const int node : materials.border_nodes()) add(node);
}

}  // namespace

std::vector<int> stress_places(const MeshPart& part, const std::vector<int>& mesh_nodes) {
  const std::vector<bool> solid = nodes_of_solids(part);
  std::vector<bool> chosen(part.mesh.positions.size(), false);
  std::vector<int> places;
  for (const int node : mesh_nodes) {
    chosen[static_cast<std::size_t>(node)] = true;
    if (solid[static_cast<std::size_t>(node)]) places.push_back(node);
  }
  add_more_places(part, chosen, places);
  return places;
}

std::vector<int> stress_places_on_surface(const MeshPart& part) {
  std::vector<int> places = surface_nodes(part);
  std::vector<bool> chosen(part.mesh.positions.size(), false);
  for (const int node : places) chosen[static_cast<std::size_t>(node)] = true;
  const ShellLayers layers = shell_layers(part);
  for (const ShellLayers::LayerNode& layer : layers.nodes) chosen[static_cast<std::size_t>(layer.mesh_node)] = true;
  add_more_places(part, chosen, places);
  return places;
}

std::vector<int> body_nodes_at(const MeshPart& part, const FiniteElementBody& body, const std::vector<int>& places) {
  const int num_mesh_nodes = part.mesh.num_nodes();
  const auto num_layers = static_cast<int>(shell_layers(part).nodes.size());
  const int first_layer = body.num_nodes() - num_layers, first_border = num_mesh_nodes + num_layers;
  const std::vector<int> border_nodes = SolidMaterials(part).border_nodes();
  std::vector<int> node_of(part.mesh.positions.size(), -1);
  for (int node = 0; node < body.num_nodes(); ++node)
    if (const int of_mesh = body.mesh_nodes[static_cast<std::size_t>(node)]; of_mesh >= 0)
      node_of[static_cast<std::size_t>(of_mesh)] = node;
  const auto at = [&](int place) {
    if (place >= first_border) place = border_nodes[static_cast<std::size_t>(place - first_border)];
    return place < num_mesh_nodes ? node_of[static_cast<std::size_t>(place)] : first_layer + place - num_mesh_nodes;
  };
  std::vector<int> nodes;
  for (const int place : places) nodes.push_back(at(place));
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
