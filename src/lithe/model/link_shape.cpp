#include "lithe/model/link_shape.h"

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

double area(const LinkShape& shape) {
  const double r = shape.size[0], l = shape.size[1];
  switch (shape.kind) {
    case ShapeKind::box:
      return 2 * (shape.size[0] * shape.size[1] + shape.size[1] * shape.size[2] + shape.size[2] * shape.size[0]);
    case ShapeKind::cylinder:
      return 2 * pi * r * (l + r);
    case ShapeKind::sphere:
      return 4 * pi * r * r;
    case ShapeKind::capsule:
      return 2 * pi * r * (l + 2 * r);
    case ShapeKind::mesh:
      break;
  }
  return 0;
}

namespace {

// Second moments of two faces across axis `k` and the two pairs beside them, over the area.
Vector3 second_moments_of_box_shell(const Vector3& edges) {
  Vector3 second = Vector3::Zero();
  double whole = 0;
  for (int k = 0; k < 3; ++k) {
    const double a = edges[(k + 1) % 3], b = edges[(k + 2) % 3], pair = 2 * a * b;
    whole += pair;
    second[k] += pair * edges[k] * edges[k] / 4;
    second[(k + 1) % 3] += pair * a * a / 12;
    second[(k + 2) % 3] += pair * b * b / 12;
  }
  return whole > 0 ? Vector3(second / whole) : Vector3(Vector3::Zero());
}

}  // namespace

Matrix3 shell_inertia_per_mass(const LinkShape& shape) {
  const double r = shape.size[0], l = shape.size[1];
  Vector3 second = Vector3::Zero();  // moments: what is left of their sum
  switch (shape.kind) {
    case ShapeKind::box:
      second = second_moments_of_box_shell(shape.size);
      break;
    case ShapeKind::cylinder: {
      const double wall = l / (l + r), caps = 1 - wall;
      const double across = wall * r * r / 2 + caps * r * r / 4;
      second = Vector3(across, across, wall * l * l / 12 + caps * l * l / 4);
      break;
    }
    case ShapeKind::sphere:
      second = Vector3::Constant(r * r / 3);
      break;
    case ShapeKind::capsule: {  // half spheres have their centres r/2 beyond the ends
      const double wall = l / (l + 2 * r), ends = 1 - wall;
      const double across = wall * r * r / 2 + ends * r * r / 3;
      second = Vector3(across, across, wall * l * l / 12 + ends * (l * l / 4 + l * r / 2 + r * r / 3));
      break;
    }
    case ShapeKind::mesh:
      break;
  }
  return (Vector3::Constant(second.sum()) - second).asDiagonal();
}

}  // namespace lithe
