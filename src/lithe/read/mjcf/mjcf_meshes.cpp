#include "lithe/read/mjcf/mjcf_meshes.h"

#include "lithe/base/in_quotes.h"
#include "lithe/base/text.h"

namespace lithe {

void MjcfMeshes::read(const MjcfElement& mesh, const std::string& folder) {
  Asset asset;
  std::string name = mesh.text("name");
  const std::string file = mesh.text("file");
  if (!file.empty()) asset.file = folder + file;
  const std::size_t start = file.find_last_of('/') + 1;
  if (name.empty()) name = file.substr(start, file.rfind('.') - start);
  asset.scale = mesh.vector("scale", Vector3::Ones());
  asset.reference.position = mesh.vector("refpos", Vector3::Zero());
  if (const std::vector<double> q = mesh.numbers("refquat", 4, 4); !q.empty())
    if (const Quaternion turn(q[0], q[1], q[2], q[3]); turn.norm() > 1e-12)
      asset.reference.rotation = turn.normalized().toRotationMatrix();
  const std::string kind = mesh.text("inertia", "legacy");
  if (kind == "convex")
    asset.body = SurfaceBody::hull;
  else if (kind == "exact")
    asset.body = SurfaceBody::closed;
  else if (kind == "shell")
    asset.body = SurfaceBody::shell;
  else if (kind != "legacy")
    mesh.error(cat("<mesh>: inertia must be convex, exact, legacy or shell, got ", in_quotes(kind)));
  if (file.empty()) {
    for (const double x : mesh.numbers("vertex", 12, 3 * most_corners))
      asset.inline_mesh.corners.push_back(static_cast<float>(x));
    const std::size_t vertices = asset.inline_mesh.corners.size() / 3;
    for (const double index : mesh.numbers("face", 3, 3 * most_corners)) {
      if (!(index >= 0) || !(index < static_cast<double>(vertices)))
        return mesh.error(cat("<mesh>: face names vertex ", index, ", but there are ", vertices));
      asset.inline_mesh.triangles.push_back(static_cast<int>(index));
    }
  }
  assets_[name] = std::move(asset);
}

std::optional<std::pair<std::string, Vector3>> MjcfMeshes::drawn(const std::string& name) const {
  const auto found = assets_.find(name);
  if (found == assets_.end() || found->second.file.empty()) return std::nullopt;
  return std::pair(found->second.file, found->second.scale);
}

std::optional<TriangleMesh> MjcfMeshes::triangles(const Asset& asset, std::string& problem) const {
  std::optional<TriangleMesh> mesh = asset.inline_mesh;
  if (!asset.file.empty()) {
    mesh.reset();
    problem = "nobody reads files here";
    const std::optional<std::string> text = choices_.read_mesh ? choices_.read_mesh(asset.file, problem) : std::nullopt;
    if (text) mesh = read_surface(*text, asset.file, problem = "");
  }
  if (!mesh) return std::nullopt;
  const Matrix3 back = asset.reference.rotation.transpose();
  for (std::size_t i = 0; i + 2 < mesh->corners.size(); i += 3) {
    const Vector3 corner(mesh->corners[i], mesh->corners[i + 1], mesh->corners[i + 2]);
    const Vector3 placed = (back * (corner - asset.reference.position)).cwiseProduct(asset.scale);
    for (std::size_t k = 0; k < 3; ++k) mesh->corners[i + k] = static_cast<float>(placed[static_cast<int>(k)]);
  }
  const bool mirrored = asset.scale.prod() < 0;
  for (std::size_t t = 0; mirrored && t + 2 < mesh->triangles.size(); t += 3)
    std::swap(mesh->triangles[t], mesh->triangles[t + 1]);
  return mesh;
}

std::optional<SurfaceMass> MjcfMeshes::mass(const std::string& name, bool shell, std::string& problem) {
  const auto [at, is_new] = masses_.try_emplace({name, shell});
  if (is_new) {
    const auto asset = assets_.find(name);
    Mass& result = at->second;
    if (asset == assets_.end()) {
      result.problem = "it does not exist";
    } else if (const std::optional<TriangleMesh> mesh = triangles(asset->second, result.problem)) {
      result.found = mass_of(*mesh, shell ? SurfaceBody::shell : asset->second.body, result.problem);
    }
  }
  problem = at->second.problem;
  return at->second.found;
}

}  // namespace lithe
