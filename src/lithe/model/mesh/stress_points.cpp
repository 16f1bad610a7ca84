#include "lithe/model/mesh/stress_points.h"

#include <algorithm>

namespace lithe {
namespace {

void each_once(std::vector<int>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

std::vector<int> stress_points(const MeshPart& part) {
  std::vector<int> points;
  for (const StressReading& reading : part.stress_readings)
    points.insert(points.end(), reading.nodes.begin(), reading.nodes.end());
  each_once(points);
  return points;
}

const StressReading* stress_reading(const MeshPart& part, std::string_view sensor) {
  const auto found = std::find_if(part.stress_readings.begin(), part.stress_readings.end(),
                                  [&](const StressReading& reading) { return reading.sensor == sensor; });
  return found == part.stress_readings.end() ? nullptr : &*found;
}

std::vector<int> points_of(const StressReading& reading, const std::vector<int>& points) {
  std::vector<int> places;
  for (const int node : reading.nodes) {
    const auto found = std::lower_bound(points.begin(), points.end(), node);
    if (found != points.end() && *found == node) places.push_back(static_cast<int>(found - points.begin()));
  }
  return places;
}

std::vector<int> surface_nodes(const MeshPart& part) {
  std::vector<SurfaceFace> faces = surface_faces(part.mesh);
  std::erase_if(faces, [&](const SurfaceFace& face) {
    return part.element_materials[static_cast<std::size_t>(face.element)] < 0;
  });
  std::vector<int> nodes;
  for (const auto& triangle : triangles(part.mesh, faces)) nodes.insert(nodes.end(), triangle.begin(), triangle.end());
  each_once(nodes);
  return nodes;
}

std::vector<bool> nodes_of_solids(const MeshPart& part) {
  std::vector<bool> result(part.mesh.positions.size(), false);
  for (std::size_t e = 0; e < part.mesh.elements.size(); ++e) {
    const MeshElement& element = part.mesh.elements[e];
    if (!part.is_structure(e) || is_shell(element)) continue;
    for (int k = 0; k < info(element.shape).num_nodes; ++k)
      result[static_cast<std::size_t>(part.mesh.nodes_of(element)[k])] = true;
  }
  return result;
}

}  // namespace lithe
