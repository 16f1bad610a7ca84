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

std::vector<int> surface_nodes(const Link& link, const FiniteElementBody& body) {
  return nodes_of(surface_of(link, body));
}

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
  for (const int node : nodes) {
    if (place[static_cast<std::size_t>(node)] >= 0) continue;
    place[static_cast<std::size_t>(node)] = static_cast<int>(drawn.nodes.size());
    drawn.nodes.push_back({"", body.node_positions[static_cast<std::size_t>(node)]});
    drawn.body_nodes.push_back(node);
  }
  for (const Triangle& triangle : triangles)
    drawn.triangles.push_back({place[static_cast<std::size_t>(triangle[0])],
                               place[static_cast<std::size_t>(triangle[1])],
                               place[static_cast<std::size_t>(triangle[2])]});
}

}  // namespace lithe
