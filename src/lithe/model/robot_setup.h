// What a robot has beside links and joints: shapes to draw, limits of its drives.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

enum class ShapeKind { box, cylinder, sphere, capsule, mesh };

// A surface as triangles, corners in the axes of its file times its scale, m.
struct TriangleMesh {
  std::vector<float> corners;  // x, y, z of each corner
  std::vector<int> triangles;  // three corners each
};

// How a link looks. Cylinders and capsules lie along z.
struct LinkShape {
  ShapeKind kind = ShapeKind::box;
  Vector3 size = Vector3::Zero();  // box: edges; cylinder, capsule: radius, length; sphere: radius; mesh: scale
  Pose pose;                       // in the link frame
  std::optional<std::array<double, 4>> colour;  // red, green, blue, opacity: 0 to 1
  bool collision = false;                       // for contact alone: drawn where there is nothing else
  std::string file;                             // of a mesh, as the description names it
  int line = 0;                                 // in the description
  std::shared_ptr<const TriangleMesh> mesh;     // none: not found
};

// What the drive of a joint can do.
struct JointCapacity {
  std::optional<double> max_speed, max_force;
};

struct RobotSetup {
  std::vector<std::vector<LinkShape>> shapes;  // by link; links beyond have none
  std::vector<JointCapacity> capacities;  // by joint; joints beyond have none
  std::vector<std::string> notes;         // on what was read: for the user

  bool empty() const { return shapes.empty() && capacities.empty() && notes.empty(); }
};

// Volume of a box, cylinder, sphere or capsule, m^3; zero of a mesh.
double volume(const LinkShape& shape);
// Inertia of that body of mass 1 about its centre, in its own axes, m^2.
Matrix3 inertia_per_mass(const LinkShape& shape);

}  // namespace lithe
