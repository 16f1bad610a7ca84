#include "lithe/model/robot_setup.h"

#include <numbers>

namespace lithe {

using std::numbers::pi;

double volume(const LinkShape& shape) {
  const double radius = shape.size[0], length = shape.size[1];
  switch (shape.kind) {
    case ShapeKind::box:
      return shape.size.prod();
    case ShapeKind::cylinder:
      return pi * radius * radius * length;
    case ShapeKind::sphere:
      return 4 * pi / 3 * radius * radius * radius;
    case ShapeKind::capsule:
      return pi * radius * radius * (length + 4 * radius / 3);
    case ShapeKind::mesh:
      break;
  }
  return 0;
}

Matrix3 inertia_per_mass(const LinkShape& shape) {
  const double r = shape.size[0], l = shape.size[1];
  Vector3 moments = Vector3::Zero();
  switch (shape.kind) {
    case ShapeKind::box: {
      const Vector3 squares = shape.size.cwiseProduct(shape.size) / 12;
      moments = Vector3::Constant(squares.sum()) - squares;
      break;
    }
    case ShapeKind::cylinder:
      moments = Vector3(r * r / 4 + l * l / 12, r * r / 4 + l * l / 12, r * r / 2);
      break;
    case ShapeKind::sphere:
      moments = Vector3::Constant(0.4 * r * r);
      break;
    case ShapeKind::capsule: {  // a cylinder and two half balls, whose centres are 3r/8 beyond its ends
      const double whole = volume(shape), tube = pi * r * r * l / whole, ball = 1 - tube;
      const double across = tube * (r * r / 4 + l * l / 12) + ball * (0.4 * r * r + l * l / 4 + 3 * l * r / 8);
      moments = Vector3(across, across, tube * r * r / 2 + ball * 0.4 * r * r);
      break;
    }
    case ShapeKind::mesh:
      break;
  }
  return moments.asDiagonal();
}

}  // namespace lithe
