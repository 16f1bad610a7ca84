// Shapes of links: what a description says of their looks, and of inertias that it leaves out.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "lithe/base/math.h"

namespace lithe {

enum class ShapeKind { box, cylinder, sphere, capsule, mesh };

// How a link looks. Cylinders and capsules lie along z.
struct LinkShape {
  ShapeKind kind = ShapeKind::box;
  Vector3 size = Vector3::Zero();  // box: edges; cylinder, capsule: radius, length; sphere: radius; mesh: scale
  Pose pose;                       // in the link frame
  std::optional<std::array<double, 4>> colour;  // red, green, blue, opacity: 0 to 1
  bool collision = false;                       // for contact alone: drawn where there is nothing else
  std::string file;                             // of a mesh, as the description names it
  int line = 0;                                 // in the description
};

// Volume of a box, cylinder, sphere or capsule, m^3; zero of a mesh.
double volume(const LinkShape& shape);
// Inertia of that body of mass 1 about its centre, in its own axes, m^2.
Matrix3 inertia_per_mass(const LinkShape& shape);
// The same of its surface: its area, m^2, and the inertia of a thin shell of mass 1.
double area(const LinkShape& shape);
Matrix3 shell_inertia_per_mass(const LinkShape& shape);

}  // namespace lithe
