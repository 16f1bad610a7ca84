// The body that a surface encloses, or the shell that it is.
#pragma once

#include <optional>
#include <string>

#include "lithe/base/math.h"
#include "lithe/read/surface/surface.h"

namespace lithe {

// What counts as the body: pyramids of all triangles over a common apex with their signs (exact for closed surfaces),
// the same without signs, the convex hull, or the surface itself.
enum class SurfaceBody { closed, pyramids, hull, shell };

struct SurfaceMass {
  double size = 0;  // volume in m^3; of a shell its area in m^2
  Vector3 centre = Vector3::Zero();
  Matrix3 inertia = Matrix3::Zero();  // per density, about the centre
};

// Nothing where the surface has no such body; `problem` then says why.
std::optional<SurfaceMass> mass_of(const TriangleMesh& mesh, SurfaceBody body, std::string& problem);

// Triangles of the convex hull of the corners, seen anticlockwise from outside. Empty where all lie in one plane.
std::vector<int> convex_hull(const std::vector<Vector3>& corners);

}  // namespace lithe
