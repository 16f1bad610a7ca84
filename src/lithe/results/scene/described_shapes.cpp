#include "lithe/results/scene/described_shapes.h"

#include <map>

#include "lithe/read/urdf/drawn_shapes.h"

namespace lithe {

std::vector<std::string> add_described_shapes(Scene& scene, const ReadOptions& options) {
  if (scene.file.empty()) return {};
  DrawnShapes found = drawn_shapes(scene.file, options);
  std::map<std::string, int> links;
  for (std::size_t i = 0; i < scene.links.size(); ++i)
    if (scene.links[i].rigid) links.emplace(scene.links[i].name, static_cast<int>(i));
  std::map<const TriangleMesh*, int> meshes;
  for (DrawnShape& drawn : found.shapes) {
    const auto link = links.find(drawn.link);
    if (link == links.end()) continue;
    SceneShape shape{link->second, std::move(drawn.shape), -1};
    if (drawn.mesh) {
      const auto [at, is_new] = meshes.emplace(drawn.mesh.get(), static_cast<int>(scene.meshes.size()));
      if (is_new) scene.meshes.push_back({drawn.mesh->corners, drawn.mesh->triangles});
      shape.mesh = at->second;
    }
    scene.shapes.push_back(std::move(shape));
  }
  return std::move(found.notes);
}

}  // namespace lithe
