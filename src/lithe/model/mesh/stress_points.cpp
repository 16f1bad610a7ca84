#include "lithe/model/mesh/stress_points.h"

#include <algorithm>

#include "lithe/model/mesh/mesh.h"

namespace lithe {
namespace {

std::vector<int> surface_of(const MeshPart& part) {
  std::vector<SurfaceFace> faces = surface_faces(part.mesh);
  std::erase_if(faces, [&](const SurfaceFace& face) {
    return part.element_materials[static_cast<std::size_t>(face.element)] < 0;
  });
  std::vector<int> nodes;
  for (const auto& triangle : triangles(part.mesh, faces)) nodes.insert(nodes.end(), triangle.begin(), triangle.end());
  return nodes;
}

std::vector<int> mesh_nodes_of(const Link& link, const Sensor& sensor) {
  const MeshPart& part = *link.mesh;
  if (sensor.node >= 0) return {part.named_nodes[static_cast<std::size_t>(sensor.node)]};
  return sensor.mesh_nodes.empty() ? surface_of(part) : sensor.mesh_nodes;
}

void each_once(std::vector<int>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

std::vector<int> stress_points(const Model& model, int link) {
  const Link& of = model.links[static_cast<std::size_t>(link)];
  std::vector<int> points;
  if (!of.mesh) return points;
  for (const Sensor& sensor : model.sensors) {
    if (sensor.quantity != Quantity::stress || sensor.link != link) continue;
    const std::vector<int> own = mesh_nodes_of(of, sensor);
    points.insert(points.end(), own.begin(), own.end());
  }
  each_once(points);
  return points;
}

std::vector<int> stress_points_of(const Model& model, const Sensor& sensor, const std::vector<int>& points) {
  std::vector<int> own = mesh_nodes_of(model.links[static_cast<std::size_t>(sensor.link)], sensor);
  each_once(own);
  std::vector<int> places;
  for (const int node : own) {
    const auto found = std::lower_bound(points.begin(), points.end(), node);
    if (found != points.end() && *found == node) places.push_back(static_cast<int>(found - points.begin()));
  }
  return places;
}

std::vector<bool> nodes_with_stress(const MeshPart& part) {
  std::vector<bool> result(part.mesh.positions.size(), false);
  for (std::size_t e = 0; e < part.mesh.elements.size(); ++e) {
    const MeshElement& element = part.mesh.elements[e];
    if (part.element_materials[e] < 0) continue;
    for (int k = 0; k < info(element.shape).num_nodes; ++k)
      result[static_cast<std::size_t>(part.mesh.nodes_of(element)[k])] = true;
  }
  return result;
}

}  // namespace lithe
