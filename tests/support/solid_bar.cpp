#include "support/solid_bar.h"

#include <cmath>
#include <map>

namespace lithe::test {
namespace {

bool is_quadratic(ElementShape shape) { return info(shape).num_nodes > info(shape).num_corners; }

// Elements by the corners of bricks; nodes in the middle of edges are made where they are first asked for.
class BarMesher {
 public:
  explicit BarMesher(const SolidBar& bar) : bar_(bar) {}

  Mesh make() {
    const auto [nx, ny, nz] = bar_.count;
    for (int k = 0; k <= nz; ++k)
      for (int j = 0; j <= ny; ++j)
        for (int i = 0; i <= nx; ++i) add_node(corner(i, j, k));
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) add_brick(i, j, k);
    return std::move(mesh_);
  }

 private:
  Vector3 corner(int i, int j, int k) const {
    const auto [nx, ny, nz] = bar_.count;
    Vector3 p(static_cast<double>(i) / nx, static_cast<double>(j) / ny - 0.5, static_cast<double>(k) / nz - 0.5);
    if (i > 0 && i < nx) {  // a fixed pattern; end faces stay plane
      p.x() += bar_.skew / nx * std::sin(3.0 * j + 5.0 * k + 7.0 * i);
      if (j > 0 && j < ny) p.y() += bar_.skew / ny * std::sin(2.0 * i + k);
      if (k > 0 && k < nz) p.z() += bar_.skew / nz * std::cos(3.0 * i + 2.0 * j);
    }
    return p.cwiseProduct(bar_.size);
  }
  int add_node(const Vector3& position) {
    mesh_.positions.push_back(position);
    mesh_.node_labels.push_back(static_cast<std::int64_t>(mesh_.positions.size()));
    return mesh_.num_nodes() - 1;
  }
  int middle(int a, int b) {
    const auto [place, is_new] = middles_.emplace(std::minmax(a, b), mesh_.num_nodes());
    if (is_new)
      add_node(0.5 * (mesh_.positions[static_cast<std::size_t>(a)] + mesh_.positions[static_cast<std::size_t>(b)]));
    return place->second;
  }

  void add_element(std::vector<int> corners) {
    static const std::vector<std::pair<int, int>> tet = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const std::vector<std::pair<int, int>> wedge = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                                           {5, 3}, {0, 3}, {1, 4}, {2, 5}};
    static const std::vector<std::pair<int, int>> hex = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                                         {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    const auto& edges = corners.size() == 4 ? tet : corners.size() == 6 ? wedge : hex;
    std::vector<int> nodes = corners;
    if (is_quadratic(bar_.shape))
      for (const auto& [a, b] : edges)
        nodes.push_back(middle(corners[static_cast<std::size_t>(a)], corners[static_cast<std::size_t>(b)]));
    mesh_.elements.push_back({bar_.shape, -1, mesh_.connectivity.size(), mesh_.num_elements() + 1});
    mesh_.connectivity.insert(mesh_.connectivity.end(), nodes.begin(), nodes.end());
  }

  void add_brick(int i, int j, int k) {
    const int nx = bar_.count[0], ny = bar_.count[1];
    const auto at = [&](int a, int b, int c) { return ((k + c) * (ny + 1) + j + b) * (nx + 1) + i + a; };
    const std::vector<int> c = {at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0),
                                at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)};
    switch (info(bar_.shape).num_corners) {
      case 8:
        return add_element(c);
      case 6:
        add_element({c[0], c[1], c[2], c[4], c[5], c[6]});
        return add_element({c[0], c[2], c[3], c[4], c[6], c[7]});
      default:  // six tetrahedra around the diagonal from 0 to 6
        for (const std::array<std::size_t, 2>& edge :
             std::vector<std::array<std::size_t, 2>>{{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}})
          add_element({c[0], c[edge[0]], c[edge[1]], c[6]});
    }
  }

  const SolidBar& bar_;
  Mesh mesh_;
  std::map<std::pair<int, int>, int> middles_;
};

}  // namespace

Mesh mesh_of(const SolidBar& bar) { return BarMesher(bar).make(); }

Link link_of(const SolidBar& bar) {
  auto part = std::make_shared<MeshPart>();
  part->file = "bar.msh";
  part->mesh = mesh_of(bar);
  part->materials = {bar.material};
  part->element_materials.assign(part->mesh.elements.size(), 0);
  Link link;
  link.name = "bar";
  link.nodes = {{"root", Vector3::Zero()}, {"tip", Vector3(bar.size.x(), 0, 0)}};
  for (const double x : {0.0, bar.size.x()}) {
    Spider spider;
    spider.kind = bar.spider;
    for (int node = 0; node < part->mesh.num_nodes(); ++node)
      if (std::abs(part->mesh.positions[static_cast<std::size_t>(node)].x() - x) < 1e-9) spider.nodes.push_back(node);
    link.spiders.push_back(spider);
  }
  link.mesh = std::move(part);
  return link;
}

}  // namespace lithe::test
