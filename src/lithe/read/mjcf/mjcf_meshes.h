// Meshes of <asset>: their files, and the mass of the bodies that they enclose.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "lithe/read/mjcf/mjcf_element.h"
#include "lithe/read/surface/surface_mass.h"
#include "lithe/read/urdf/robot_description.h"

namespace lithe {

class MjcfMeshes {
 public:
  explicit MjcfMeshes(const DescriptionChoices& choices) : choices_(choices) {}

  // A <mesh>, whose file lies in `folder`. It is named after its file where it has no name.
  void read(const MjcfElement& mesh, const std::string& folder);
  // The file of a mesh and its scale; nothing where the mesh has no file, or does not exist.
  std::optional<std::pair<std::string, Vector3>> drawn(const std::string& name) const;
  // Of the mesh, or of its shell; nothing, and why, where the file cannot be read or encloses nothing.
  std::optional<SurfaceMass> mass(const std::string& name, bool shell, std::string& problem);

 private:
  struct Asset {
    std::string file;
    Vector3 scale = Vector3::Ones();
    Pose reference;  // of what is modelled, in the axes of the file
    SurfaceBody body = SurfaceBody::pyramids;
    TriangleMesh inline_mesh;
  };
  struct Mass {
    std::optional<SurfaceMass> found;
    std::string problem;
  };
  std::optional<TriangleMesh> triangles(const Asset& asset, std::string& problem) const;

  const DescriptionChoices& choices_;
  std::map<std::string, Asset> assets_;
  std::map<std::pair<std::string, bool>, Mass> masses_;  // by name and whether it is a shell
};

}  // namespace lithe
