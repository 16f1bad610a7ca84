#include "lithe/read/surface/surface_mass.h"

#include <cmath>

namespace lithe {
namespace {

using Triangles = std::vector<std::array<Vector3, 3>>;

// Second moments ∫ x xᵀ as moments of inertia.
Matrix3 inertia_of(const Matrix3& second) { return second.trace() * Matrix3::Identity() - second; }

struct Sums {
  double size = 0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
};

// Of pyramids with the apex in `apex`, x from there: ∫ dV = |a b c|/6, ∫ x dV = V (a + b + c)/4,
// ∫ x xᵀ dV = V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20 with s = a + b + c.
Sums pyramids(const Triangles& triangles, const Vector3& apex, bool with_sign) {
  Sums sums;
  for (const std::array<Vector3, 3>& corners : triangles) {
    const Vector3 a = corners[0] - apex, b = corners[1] - apex, c = corners[2] - apex, s = a + b + c;
    const double signed_volume = a.cross(b).dot(c) / 6;
    const double volume = with_sign ? signed_volume : std::abs(signed_volume);
    sums.size += volume;
    sums.first += volume / 4 * s;
    sums.second += volume / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  return sums;
}

// Of the triangles themselves: ∫ x xᵀ dA = A (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/12.
Sums faces(const Triangles& triangles, const Vector3& from) {
  Sums sums;
  for (const std::array<Vector3, 3>& corners : triangles) {
    const Vector3 a = corners[0] - from, b = corners[1] - from, c = corners[2] - from, s = a + b + c;
    const double area = (b - a).cross(c - a).norm() / 2;
    sums.size += area;
    sums.first += area / 3 * s;
    sums.second += area / 12 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  return sums;
}

Triangles triangles_of(const TriangleMesh& mesh, SurfaceBody body) {
  std::vector<Vector3> corners;
  for (std::size_t i = 0; i + 2 < mesh.corners.size(); i += 3)
    corners.emplace_back(mesh.corners[i], mesh.corners[i + 1], mesh.corners[i + 2]);
  const bool hull = body == SurfaceBody::hull || mesh.triangles.empty();
  const std::vector<int> indices = hull ? convex_hull(corners) : mesh.triangles;
  Triangles triangles;
  for (std::size_t t = 0; t + 2 < indices.size(); t += 3) {
    const auto corner = [&](std::size_t k) { return corners[static_cast<std::size_t>(indices[t + k])]; };
    triangles.push_back({corner(0), corner(1), corner(2)});
  }
  return triangles;
}

}  // namespace

std::optional<SurfaceMass> mass_of(const TriangleMesh& mesh, SurfaceBody body, std::string& problem) {
  const Triangles triangles = triangles_of(mesh, body);
  const Sums surface = faces(triangles, Vector3::Zero());
  if (!(surface.size > 0)) {
    problem = "its surface has no area";
    return std::nullopt;
  }
  const Vector3 middle = surface.first / surface.size;
  if (body == SurfaceBody::shell) return SurfaceMass{surface.size, middle, inertia_of(faces(triangles, middle).second)};
  const bool with_sign = body != SurfaceBody::pyramids;
  const Sums from_middle = pyramids(triangles, middle, with_sign);
  const double cube = std::pow(surface.size, 1.5);
  if (!(from_middle.size > 1e-12 * cube)) {
    problem = from_middle.size < -1e-12 * cube ? "its triangles face inwards" : "it encloses no volume";
    return std::nullopt;
  }
  const Vector3 centre = middle + from_middle.first / from_middle.size;
  const Sums sums = pyramids(triangles, centre, with_sign);
  return SurfaceMass{sums.size, centre, inertia_of(sums.second)};
}

}  // namespace lithe
