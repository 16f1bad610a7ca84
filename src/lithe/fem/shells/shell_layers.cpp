#include "lithe/fem/shells/shell_layers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "lithe/fem/shells/shell_element.h"

namespace lithe {
namespace {

// One bottom and top that shells at a node share.
struct Shared {
  Vector3 normal = Vector3::Zero(), sum = Vector3::Zero();
  double low = 0, high = 0;    // heights over the node, along `normal`
  std::array<int, 2> nodes{};  // of low and high
  int section = -1;            // index into Mesh::shells
};

// Folds are sharper than this; curved surfaces of usual meshes are not.
const double smooth = std::cos(0.35);  // 20 degrees

class LayerBuilder {
 public:
  explicit LayerBuilder(const MeshPart& part) : part_(part), at_(part.mesh.positions.size()) {}

  ShellLayers build() {
    const Mesh& mesh = part_.mesh;
    result_.first.assign(mesh.elements.size(), -1);
    for (std::size_t e = 0; e < mesh.elements.size(); ++e)
      if (is_shell(mesh.elements[e]) && part_.is_structure(e)) add_element(e);
    for (const std::vector<Shared>& here : at_)
      for (const Shared& shared : here) {
        const Vector3 normal = shared.sum.normalized();
        result_.nodes[static_cast<std::size_t>(shared.nodes[0])].arm = shared.low * normal;
        result_.nodes[static_cast<std::size_t>(shared.nodes[1])].arm = shared.high * normal;
      }
    return std::move(result_);
  }

 private:
  void add_element(std::size_t e) {
    const MeshElement& element = part_.mesh.elements[e];
    const ShellElement shell = shell_element(part_, element);
    const double half = 0.5 * laminate_thickness(shell.plies);
    const ShellNodes normals = shell_normals(shell);
    result_.first[e] = static_cast<int>(result_.corners.size());
    for (int k = 0; k < info(element.shape).num_nodes; ++k)
      result_.corners.push_back(join(part_.mesh.nodes_of(element)[k], normals.row(k).transpose(), shell.offset - half,
                                     shell.offset + half, element.shell));
  }

  // Stress jumps between shells of other materials.
  bool same_materials(int a, int b, bool flipped) const {
    if (a == b && !flipped) return true;
    std::vector<ShellLayer> one = part_.mesh.shells[static_cast<std::size_t>(a)].layers;
    const std::vector<ShellLayer>& other = part_.mesh.shells[static_cast<std::size_t>(b)].layers;
    if (flipped) std::reverse(one.begin(), one.end());
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const ShellLayer& x, const ShellLayer& y) { return x.material == y.material; });
  }

  std::array<int, 2> join(int mesh_node, const Vector3& normal, double low, double high, int section) {
    const double same = 1e-9 * (high - low);
    for (Shared& shared : at_[static_cast<std::size_t>(mesh_node)]) {
      const double cosine = normal.dot(shared.normal);
      if (std::abs(cosine) < smooth) continue;
      const bool flipped = cosine < 0;  // the neighbour's bottom is this one's top
      if (std::abs(shared.low - (flipped ? -high : low)) > same) continue;
      if (std::abs(shared.high - (flipped ? -low : high)) > same) continue;
      if (!same_materials(shared.section, section, flipped)) continue;
      shared.sum += flipped ? Vector3(-normal) : normal;
      return flipped ? std::array<int, 2>{shared.nodes[1], shared.nodes[0]} : shared.nodes;
    }
    const auto next = static_cast<int>(result_.nodes.size());
    at_[static_cast<std::size_t>(mesh_node)].push_back({normal, normal, low, high, {next, next + 1}, section});
    result_.nodes.push_back({mesh_node, {}});
    result_.nodes.push_back({mesh_node, {}});
    return {next, next + 1};
  }

  const MeshPart& part_;
  std::vector<std::vector<Shared>> at_;  // per mesh node
  ShellLayers result_;
};

// An edge of shells with the corners of one of them, in its sense of going round.
struct Edge {
  std::size_t element = 0;
  std::vector<int> nodes;  // places in the element: corner, (middle,) corner
  int count = 0;
};

}  // namespace

ShellLayers shell_layers(const MeshPart& part) { return LayerBuilder(part).build(); }

std::vector<std::array<int, 3>> layer_triangles(const MeshPart& part, const ShellLayers& layers) {
  std::vector<std::array<int, 3>> result;
  std::map<std::pair<int, int>, Edge> edges;
  const Mesh& mesh = part.mesh;
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    if (layers.first[e] < 0) continue;
    const MeshElement& element = mesh.elements[e];
    const int* nodes = mesh.nodes_of(element);
    const auto place = [&](int node) {
      return static_cast<int>(std::find(nodes, nodes + info(element.shape).num_nodes, node) - nodes);
    };
    for (const std::array<int, 3>& t : triangles(mesh, {{static_cast<int>(e), 0}})) {
      const auto &a = layers.corner(e, place(t[0])), &b = layers.corner(e, place(t[1])),
                 &c = layers.corner(e, place(t[2]));
      result.push_back({a[1], b[1], c[1]});
      result.push_back({a[0], c[0], b[0]});
    }
    const ElementFace& face = face_of_shell(element.shape);
    const auto n = static_cast<std::size_t>(face.num_corners());
    for (std::size_t k = 0; k < n; ++k) {
      const int a = face.corners[k], b = face.corners[(k + 1) % n], middle = face.edges[k];
      Edge& edge = edges[std::minmax(nodes[a], nodes[b])];
      edge.element = e;
      edge.nodes = middle < 0 ? std::vector<int>{a, b} : std::vector<int>{a, middle, b};
      ++edge.count;
    }
  }
  for (const auto& [ends, edge] : edges) {
    if (edge.count > 1) continue;
    for (std::size_t k = 0; k + 1 < edge.nodes.size(); ++k) {
      const auto &a = layers.corner(edge.element, edge.nodes[k]), &b = layers.corner(edge.element, edge.nodes[k + 1]);
      result.push_back({a[0], b[0], b[1]});
      result.push_back({a[0], b[1], a[1]});
    }
  }
  return result;
}

}  // namespace lithe
