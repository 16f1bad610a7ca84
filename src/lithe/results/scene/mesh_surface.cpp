#include "lithe/results/scene/mesh_surface.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "lithe/fem/mesh_stress.h"

namespace lithe {
namespace {

using Triangle = std::array<int, 3>;

std::vector<int> nodes_of(const std::vector<Triangle>& triangles) {
  std::vector<int> nodes;
  for (const Triangle& triangle : triangles) nodes.insert(nodes.end(), triangle.begin(), triangle.end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// A lighter copy: one node for all in a cell of a grid, triangles within a cell vanish.
void simplify(const FiniteElementBody& body, double cell, std::vector<Triangle>& triangles) {
  std::map<std::array<long long, 3>, int> of_cell;
  std::map<int, int> stands_for;
  const auto chosen = [&](int node) {
    const auto known = stands_for.find(node);
    if (known != stands_for.end()) return known->second;
    const Vector3& p = body.node_positions[static_cast<std::size_t>(node)];
    std::array<long long, 3> key;
    for (int a = 0; a < 3; ++a) key[static_cast<std::size_t>(a)] = static_cast<long long>(std::floor(p(a) / cell));
    const int result = of_cell.emplace(key, node).first->second;
    stands_for.emplace(node, result);
    return result;
  };
  std::vector<Triangle> kept;
  for (const Triangle& triangle : triangles) {
    const Triangle moved{chosen(triangle[0]), chosen(triangle[1]), chosen(triangle[2])};
    if (moved[0] != moved[1] && moved[1] != moved[2] && moved[2] != moved[0]) kept.push_back(moved);
  }
  triangles = std::move(kept);
}

}  // namespace

namespace {

// A spider as it is drawn: nodes of the body.
struct DrawnSpider {
  int reference = 0;
  std::vector<int> nodes;
};

// The node of the body, per node of the mesh.
std::vector<int> body_nodes(const Link& link, const FiniteElementBody& body) {
  std::vector<int> node_of(link.mesh->mesh.positions.size(), -1);
  for (int node = 0; node < body.num_nodes(); ++node)
    if (const int of_mesh = body.mesh_nodes[static_cast<std::size_t>(node)]; of_mesh >= 0)
      node_of[static_cast<std::size_t>(of_mesh)] = node;
  return node_of;
}

std::vector<std::array<int, 2>> beams_of(const Link& link, const FiniteElementBody& body) {
  const std::vector<int> node_of = body_nodes(link, body);
  const Mesh& mesh = link.mesh->mesh;
  std::vector<std::array<int, 2>> result;
  for (const MeshBeam& beam : mesh.beams) {
    const int* nodes = mesh.nodes_of(mesh.elements[static_cast<std::size_t>(beam.element)]);
    result.push_back({node_of[static_cast<std::size_t>(nodes[0])], node_of[static_cast<std::size_t>(nodes[1])]});
  }
  return result;
}

std::vector<DrawnSpider> spiders_of(const Link& link, const FiniteElementBody& body) {
  const std::vector<int> node_of = body_nodes(link, body);
  std::vector<DrawnSpider> result;
  const auto add = [&](int reference, const std::vector<int>& mesh_nodes) {
    constexpr std::size_t most = 64;  // legs
    const std::size_t step = (mesh_nodes.size() + most - 1) / most;
    result.push_back({reference, {}});
    for (std::size_t k = 0; k < mesh_nodes.size(); k += step)
      result.back().nodes.push_back(node_of[static_cast<std::size_t>(mesh_nodes[k])]);
  };
  for (std::size_t k = 0; k < link.spiders.size(); ++k)
    add(link.num_plain_nodes() + static_cast<int>(k), link.spiders[k].nodes);
  for (const MeshSpider& spider : link.mesh->mesh.spiders)
    add(node_of[static_cast<std::size_t>(spider.reference)], spider.nodes);
  return result;
}

}  // namespace

void add_surface(const Link& link, SceneLink& drawn) {
  const FiniteElementBody body = mesh_nodes_of(link);
  std::vector<Triangle> triangles = surface_of(link, body);
  std::vector<int> nodes = nodes_of(triangles);
  Vector3 low = body.node_positions[0], high = low;
  for (const Vector3& position : body.node_positions) {
    low = low.cwiseMin(position);
    high = high.cwiseMax(position);
  }
  for (double cell = (high - low).norm() / 200; nodes.size() > most_surface_nodes; cell *= 1.2) {
    simplify(body, cell, triangles);
    nodes = nodes_of(triangles);
  }
  const auto num_named = static_cast<int>(drawn.nodes.size());
  std::vector<int> place(static_cast<std::size_t>(body.num_nodes()), -1);
  for (int node = 0; node < num_named; ++node) {
    drawn.body_nodes.push_back(node);
    place[static_cast<std::size_t>(node)] = node;
  }
  const auto draw = [&](int node) {
    if (place[static_cast<std::size_t>(node)] >= 0) return place[static_cast<std::size_t>(node)];
    drawn.nodes.push_back({"", body.node_positions[static_cast<std::size_t>(node)]});
    drawn.body_nodes.push_back(node);
    return place[static_cast<std::size_t>(node)] = static_cast<int>(drawn.nodes.size()) - 1;
  };
  for (const int node : nodes) draw(node);
  for (const auto& [a, b] : beams_of(link, body)) {
    const int from = draw(a);
    drawn.legs.push_back({from, draw(b)});
  }
  for (const DrawnSpider& spider : spiders_of(link, body))
    for (const int node : spider.nodes) {
      const int holds = draw(spider.reference);
      drawn.legs.push_back({holds, draw(node)});
    }
  for (const Triangle& triangle : triangles)
    drawn.triangles.push_back({place[static_cast<std::size_t>(triangle[0])],
                               place[static_cast<std::size_t>(triangle[1])],
                               place[static_cast<std::size_t>(triangle[2])]});
}

}  // namespace lithe
