#include "lithe/fem/shells/shell_shapes.h"

#include <Eigen/LU>
#include <array>
#include <cmath>

namespace lithe {
namespace {

bool is_triangle(ElementShape shape) { return info(shape).num_corners == 3; }
bool is_quadratic(ElementShape shape) { return info(shape).num_nodes > info(shape).num_corners; }

void set_triangle(bool quadratic, const Vector2& xi, PlaneShape& shape) {
  const std::array<double, 3> l = {1 - xi.sum(), xi.x(), xi.y()};
  const std::array<Vector2, 3> dl = {Vector2::Constant(-1), Vector2::UnitX(), Vector2::UnitY()};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    shape.values(row) = quadratic ? l[i] * (2 * l[i] - 1) : l[i];
    shape.gradients.row(row) = (quadratic ? 4 * l[i] - 1 : 1.0) * dl[i].transpose();
    if (!quadratic) continue;
    const std::size_t j = (i + 1) % 3;
    shape.values(3 + row) = 4 * l[i] * l[j];
    shape.gradients.row(3 + row) = 4 * (l[i] * dl[j] + l[j] * dl[i]).transpose();
  }
}

void set_quadrilateral(bool quadratic, const Vector2& xi, PlaneShape& shape) {
  const std::vector<Vector2> nodes = reference_nodes(quadratic ? ElementShape::quad8 : ElementShape::quad4);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double r = nodes[i].x(), s = nodes[i].y();
    // A factor per direction: 1 + ξ ξ_i, or 1 - ξ² in the middle of an edge.
    const double f = r != 0 ? 1 + r * xi.x() : 1 - xi.x() * xi.x(), df = r != 0 ? r : -2 * xi.x();
    const double g = s != 0 ? 1 + s * xi.y() : 1 - xi.y() * xi.y(), dg = s != 0 ? s : -2 * xi.y();
    const bool corner = r != 0 && s != 0;
    const double scale = corner ? 0.25 : 0.5;
    Vector2 gradient(df * g, f * dg);
    double value = f * g;
    if (corner && quadratic) {
      const double bracket = r * xi.x() + s * xi.y() - 1;
      gradient = (gradient * bracket + value * Vector2(r, s)).eval();
      value *= bracket;
    }
    shape.values(row) = scale * value;
    shape.gradients.row(row) = scale * gradient.transpose();
  }
}

// Degree 2 with 3 points; degree 5 with 7 points (Radon 1948).
std::vector<PlanePoint> triangle_rule(bool full) {
  std::vector<PlanePoint> points;
  const auto orbit = [&](double a, double weight) {
    points.push_back({{a, a}, weight / 2});
    points.push_back({{1 - 2 * a, a}, weight / 2});
    points.push_back({{a, 1 - 2 * a}, weight / 2});
  };
  if (!full) {
    orbit(1.0 / 6, 1.0 / 3);
    return points;
  }
  const double root = std::sqrt(15.0);
  points.push_back({{1.0 / 3, 1.0 / 3}, 0.1125});
  orbit((6 - root) / 21, (155 - root) / 1200);
  orbit((6 + root) / 21, (155 + root) / 1200);
  return points;
}

std::vector<PlanePoint> quadrilateral_rule(bool full) {
  const double two = std::sqrt(1.0 / 3), three = std::sqrt(0.6);
  const std::vector<std::array<double, 2>> line =
      full ? std::vector<std::array<double, 2>>{{-three, 5.0 / 9}, {0, 8.0 / 9}, {three, 5.0 / 9}}
           : std::vector<std::array<double, 2>>{{-two, 1}, {two, 1}};
  std::vector<PlanePoint> points;
  for (const auto& [r, weight] : line)
    for (const auto& [s, other] : line) points.push_back({{r, s}, weight * other});
  return points;
}

// The linear or bilinear functions that the extrapolation goes through.
VectorX field_values(bool triangle, const Vector2& xi) {
  VectorX values(triangle ? 3 : 4);
  values(0) = 1;
  values(1) = xi.x();
  values(2) = xi.y();
  if (!triangle) values(3) = xi.x() * xi.y();
  return values;
}

}  // namespace

PlaneShape plane_shape(ElementShape shape, const Vector2& xi) {
  PlaneShape result;
  result.values.resize(info(shape).num_nodes);
  result.gradients.resize(info(shape).num_nodes, 2);
  if (is_triangle(shape))
    set_triangle(is_quadratic(shape), xi, result);
  else
    set_quadrilateral(is_quadratic(shape), xi, result);
  return result;
}

std::vector<Vector2> reference_nodes(ElementShape shape) {
  switch (shape) {
    case ElementShape::tri3:
      return {{0, 0}, {1, 0}, {0, 1}};
    case ElementShape::tri6:
      return {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};
    case ElementShape::quad4:
      return {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    default:
      return {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
  }
}

std::vector<PlanePoint> plane_points(ElementShape shape, ShellRule rule) {
  const bool full = rule == ShellRule::full;
  return is_triangle(shape) ? triangle_rule(full) : quadrilateral_rule(full);
}

MatrixX strain_extrapolation(ElementShape shape) {
  const bool triangle = is_triangle(shape);
  const std::vector<PlanePoint> points = plane_points(shape, ShellRule::stiffness);
  const auto count = static_cast<Eigen::Index>(points.size());
  MatrixX at_points(count, count);
  for (Eigen::Index p = 0; p < count; ++p)
    at_points.row(p) = field_values(triangle, points[static_cast<std::size_t>(p)].xi).transpose();
  const std::vector<Vector2> nodes = reference_nodes(shape);
  MatrixX at_nodes(static_cast<Eigen::Index>(nodes.size()), count);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    at_nodes.row(static_cast<Eigen::Index>(k)) = field_values(triangle, nodes[k]).transpose();
  return at_nodes * at_points.inverse();
}

}  // namespace lithe
