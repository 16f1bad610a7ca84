// Surfaces: triangles of STL, OBJ and COLLADA files and of MuJoCo's own. They are drawn, and bodies without a mass may
// have that of their surface (surface_mass.h). A file that cannot be read is a note, never an error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lithe {

struct TriangleMesh {
  std::vector<float> corners;  // x, y, z of each
  std::vector<int> triangles;  // three corners each
};

constexpr std::size_t largest_surface_file = std::size_t{64} << 20;  // bytes
constexpr std::size_t most_corners = 2'000'000;

// By the ending of the name: .stl, .obj, .dae, .msh of MuJoCo. Nothing where it cannot be read; `problem` then says
// why.
std::optional<TriangleMesh> read_surface(std::string_view text, const std::string& name, std::string& problem);

std::optional<TriangleMesh> read_stl(std::string_view text, std::string& problem);
std::optional<TriangleMesh> read_obj(std::string_view text, std::string& problem);
// MuJoCo's binary meshes; those without triangles are points, whose convex hull counts.
std::optional<TriangleMesh> read_mujoco_mesh(std::string_view text, std::string& problem);
// Geometries as the visual scene places them, in metres.
std::optional<TriangleMesh> read_collada(std::string_view text, std::string& problem);

// Corners that coincide are one; triangles without an area are left out. Corners beyond `most` are thinned out on a
// grid: a page does not show more.
TriangleMesh simplified(const TriangleMesh& mesh, std::size_t most);

}  // namespace lithe
