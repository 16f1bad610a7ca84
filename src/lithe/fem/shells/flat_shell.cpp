#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "lithe/fem/shells/shell_strains.h"

namespace lithe {
namespace {

// Columns of the element's own dofs: u, v, w, θx, θy, θz of node i in the axes of the element, at its middle surface.
enum Motion { u_x, u_y, u_z, r_x, r_y, r_z };
int at(int node, Motion motion) { return 6 * node + motion; }

using Corners = Eigen::Matrix<double, Eigen::Dynamic, 2, 0, 4, 2>;  // in the plane of the element

struct Side {
  int from = 0, to = 0;
  double length = 0, c = 0, s = 0, phi = 0;
};

// Rows of one combination of the dofs.
using Row = Eigen::Matrix<double, 1, Eigen::Dynamic, 1, 1, 6 * most_shell_nodes + most_internal>;

class FlatElement {
 public:
  FlatElement(const Corners& corners, const PlateStiffness& plate, int num_columns)
      : plate_(plate), n_(static_cast<int>(corners.rows())), columns_(num_columns) {
    for (int k = 0; k < n_; ++k) {
      Side side{k, (k + 1) % n_};
      const Vector2 along = (corners.row(side.to) - corners.row(side.from)).transpose();
      side.length = along.norm();
      side.c = along.x() / side.length;
      side.s = along.y() / side.length;
      side.phi = shear_share(side);
      sides_.push_back(side);
      bulges_.push_back(bulge(side));
    }
  }

  // Katili 1993: curvature of the rotations with their quadratic parts along the sides, (4) and (5) of the theory.
  void add_plate(const PlaneShape& shape, const Matrix2& inverse_jacobian, const Vector2& xi, ShellRows& rows) const {
    for (int i = 0; i < n_; ++i) {
      const Vector2 g = inverse_jacobian * shape.gradients.row(i).transpose();
      add_curvature(g, beta_x(i), beta_y(i), rows);
    }
    for (int k = 0; k < n_; ++k) {
      const Vector2 g = inverse_jacobian * side_gradient(k, xi);
      const Side& side = sides_[static_cast<std::size_t>(k)];
      const Row& row = bulges_[static_cast<std::size_t>(k)];
      add_curvature(g, side.c * row, side.s * row, rows);
    }
    rows.middleRows<2>(6) += inverse_jacobian * natural_shear(xi);
  }

 private:
  // Rotations of the normal: a point at height z moves by z β.
  Row beta_x(int node) const { return unit(at(node, r_y), 1); }
  Row beta_y(int node) const { return unit(at(node, r_x), -1); }
  Row unit(int column, double value) const {
    Row row = Row::Zero(columns_);
    row(column) = value;
    return row;
  }

  static void add_curvature(const Vector2& g, const Row& x, const Row& y, ShellRows& rows) {
    rows.row(3) += g.x() * x;
    rows.row(4) += g.y() * y;
    rows.row(5) += g.y() * x + g.x() * y;
  }

  // 12 D / (S L²) of the section along the side.
  double shear_share(const Side& side) const {
    const Vector2 along(side.c, side.s);
    const Vector3 curvature(side.c * side.c, side.s * side.s, 2 * side.c * side.s);  // of a strip along the side
    return 12 * curvature.dot(plate_.bending * curvature) /
           (along.dot(plate_.shear * along) * side.length * side.length);
  }

  // Δβ of a side: its mean shear is what the moments along it ask for.
  Row bulge(const Side& side) const {
    Row row = Row::Zero(columns_);
    row(at(side.to, u_z)) += 1;
    row(at(side.from, u_z)) -= 1;
    for (const int node : {side.from, side.to})
      row += 0.5 * side.length * (side.c * beta_x(node) + side.s * beta_y(node));
    return -1.5 / (side.length * (1 + side.phi)) * row;
  }

  // Derivative of the quadratic function of side k, 1 in its middle.
  Vector2 side_gradient(int k, const Vector2& xi) const {
    const double r = xi.x(), s = xi.y();
    if (n_ == 3)
      return k == 0   ? Vector2(4 * (1 - 2 * r - s), -4 * r)
             : k == 1 ? Vector2(4 * s, 4 * r)
                      : Vector2(-4 * s, 4 * (1 - r - 2 * s));
    switch (k) {
      case 0:
        return {-r * (1 - s), -0.5 * (1 - r * r)};
      case 1:
        return {0.5 * (1 - s * s), -s * (1 + r)};
      case 2:
        return {-r * (1 + s), 0.5 * (1 - r * r)};
      default:
        return {-0.5 * (1 - s * s), -s * (1 - r)};
    }
  }

  // Shear along a side from its first node to its second, times its length.
  Row shear_of_side(std::size_t k) const { return -2.0 / 3 * sides_[k].phi * sides_[k].length * bulges_[k]; }

  // Covariant shear strains, tied to those of the sides.
  Eigen::Matrix<double, 2, Eigen::Dynamic> natural_shear(const Vector2& xi) const {
    Eigen::Matrix<double, 2, Eigen::Dynamic> rows(2, columns_);
    const double r = xi.x(), s = xi.y();
    if (n_ == 3) {
      const Row a = shear_of_side(0), d = shear_of_side(1), b = -shear_of_side(2), turn = b - a - d;
      rows.row(0) = a + s * turn;
      rows.row(1) = b - r * turn;
      return rows;
    }
    rows.row(0) = 0.25 * ((1 - s) * shear_of_side(0) - (1 + s) * shear_of_side(2));
    rows.row(1) = 0.25 * ((1 + r) * shear_of_side(1) - (1 - r) * shear_of_side(3));
    return rows;
  }

  const PlateStiffness& plate_;
  int n_, columns_;
  std::vector<Side> sides_;
  std::vector<Row> bulges_;  // Δβ of each side
};

// Strain of u = a f(x) in the plane, g the gradient of f: columns for the components of a. Drilling: less the
// rotation ½ (∂v/∂x − ∂u/∂y).
void add_in_plane(const Vector2& g, int column_x, int column_y, ShellRows& rows) {
  rows(0, column_x) += g.x();
  rows(2, column_x) += g.y();
  rows(1, column_y) += g.y();
  rows(2, column_y) += g.x();
  rows(8, column_x) += 0.5 * g.y();
  rows(8, column_y) -= 0.5 * g.x();
}

Matrix2 jacobian(const PlaneShape& shape, const Corners& corners) {
  return shape.gradients.transpose().lazyProduct(corners);  // ∂x_b/∂ξ_a
}

// Membrane of a quadrilateral, with the modes 1 − ξ² and 1 − η² that bend it without shear, (3).
void add_quadrilateral_membrane(const PlaneShape& shape, const Corners& corners, const Vector2& xi, ShellRows& rows) {
  const Matrix2 here = jacobian(shape, corners), inverse = here.inverse();
  for (int i = 0; i < 4; ++i) {
    add_in_plane(inverse * shape.gradients.row(i).transpose(), at(i, u_x), at(i, u_y), rows);
    rows(8, at(i, r_z)) += shape.values(i);
  }
  const Matrix2 centre = jacobian(plane_shape(ElementShape::quad4, Vector2::Zero()), corners);
  const double ratio = centre.determinant() / here.determinant();
  const Matrix2 inverse_centre = centre.inverse();
  for (int a = 0; a < 2; ++a) add_in_plane(-2 * xi(a) * ratio * inverse_centre.col(a), 24 + 2 * a, 25 + 2 * a, rows);
}

// Felippa, A study of optimal membrane triangles with drilling freedoms (2003): the mean strain of a triangle whose
// sides bulge with its corners' rotations (α = 3/2), and the strain of the rotations beyond the mean one.
class OptimalTriangle {
 public:
  OptimalTriangle(const Corners& p, const Matrix3& membrane) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        x_(i, j) = p(i, 0) - p(j, 0);
        y_(i, j) = p(i, 1) - p(j, 1);
      }
    area_ = 0.5 * (x_(1, 0) * y_(2, 0) - x_(2, 0) * y_(1, 0));
    // β0 = ½ (1 − 4ν²); of an orthotropic plate ν stands for √(ν12 ν21)
    const double square = membrane(0, 1) * membrane(0, 1) / (membrane(0, 0) * membrane(1, 1));
    factor_ = 1.5 * std::sqrt(std::max(0.5 * (1 - 4 * square), 0.01));
  }

  void add(const Vector2& xi, ShellRows& rows) const {
    constexpr double alpha = 1.5;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const double yjk = y_(j, k), xkj = x_(k, j), scale = 0.5 / area_;
      rows(0, at(i, u_x)) += scale * yjk;
      rows(2, at(i, u_x)) += scale * xkj;
      rows(1, at(i, u_y)) += scale * xkj;
      rows(2, at(i, u_y)) += scale * yjk;
      rows(0, at(i, r_z)) += scale * alpha / 6 * yjk * (y_(i, k) - y_(j, i));
      rows(1, at(i, r_z)) += scale * alpha / 6 * xkj * (x_(k, i) - x_(i, j));
      rows(2, at(i, r_z)) += scale * alpha / 3 * (x_(k, i) * y_(i, k) - x_(i, j) * y_(j, i));
    }
    const Eigen::Matrix<double, 3, 3> of_rotations = factor_ * (natural_to_cartesian() * rotation_strains(xi));
    // rotations beyond that of the straight-sided triangle
    for (int corner = 0; corner < 3; ++corner) {
      const Vector3 column = of_rotations.col(corner);
      rows.block<3, 1>(0, at(corner, r_z)) += column;
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        rows.block<3, 1>(0, at(i, u_x)) += 0.25 / area_ * x_(k, j) * column;
        rows.block<3, 1>(0, at(i, u_y)) += 0.25 / area_ * y_(k, j) * column;
      }
    }
  }

 private:
  double square_length(int i, int j) const { return x_(i, j) * x_(i, j) + y_(i, j) * y_(i, j); }

  Matrix3 natural_to_cartesian() const {
    const double a = square_length(1, 0), b = square_length(2, 1), c = square_length(0, 2);
    const auto& x = x_;
    const auto& y = y_;
    Matrix3 result;
    result << y(1, 2) * y(0, 2) * a, y(2, 0) * y(1, 0) * b, y(0, 1) * y(2, 1) * c,  //
        x(1, 2) * x(0, 2) * a, x(2, 0) * x(1, 0) * b, x(0, 1) * x(2, 1) * c,        //
        (y(1, 2) * x(2, 0) + x(2, 1) * y(0, 2)) * a, (y(2, 0) * x(0, 1) + x(0, 2) * y(1, 0)) * b,
        (y(0, 1) * x(1, 2) + x(1, 0) * y(2, 1)) * c;
    return result / (4 * area_ * area_);
  }

  // Natural strains at (1 − ξ − η, ξ, η) by the rotations of the corners, with the optimal numbers.
  Matrix3 rotation_strains(const Vector2& xi) const {
    const double a = square_length(1, 0), b = square_length(2, 1), c = square_length(0, 2);
    Matrix3 first, second, third;  // at the corners
    first << 1 / a, 2 / a, 1 / a, 0, 1 / b, -1 / b, -1 / c, -1 / c, -2 / c;
    second << -2 / a, -1 / a, -1 / a, 1 / b, 1 / b, 2 / b, -1 / c, 0, 1 / c;
    third << 1 / a, -1 / a, 0, -1 / b, -2 / b, -1 / b, 2 / c, 1 / c, 1 / c;
    return 2 * area_ / 3 * ((1 - xi.sum()) * first + xi.x() * second + xi.y() * third);
  }

  Matrix3 x_, y_;  // x_i − x_j
  double area_ = 0, factor_ = 0;
};

// From the element's dofs at its middle surface to those of the nodes in link axes.
void to_link_axes(const Matrix3& axes, const std::vector<Vector3>& arms, ShellRows& rows) {
  for (std::size_t node = 0; node < arms.size(); ++node) {
    const auto column = 6 * static_cast<Eigen::Index>(node);
    const Eigen::Matrix<double, num_shell_strains, 3> moved = rows.middleCols<3>(column) * axes.transpose();
    const Eigen::Matrix<double, num_shell_strains, 3> turned = rows.middleCols<3>(column + 3) * axes.transpose();
    rows.middleCols<3>(column) = moved;
    rows.middleCols<3>(column + 3) = turned - moved * skew(arms[node]);
  }
}

}  // namespace

FlatFrame flat_frame(const ShellNodes& nodes) {
  const auto node = [&](int k) -> Vector3 { return nodes.row(k).transpose(); };
  FlatFrame frame;
  Vector3 x, normal;
  if (nodes.rows() == 3) {
    frame.centre = (node(0) + node(1) + node(2)) / 3;
    x = node(1) - node(0);
    normal = x.cross(node(2) - node(0));
  } else {
    frame.centre = (node(0) + node(1) + node(2) + node(3)) / 4;
    x = node(1) + node(2) - node(0) - node(3);
    normal = (node(2) - node(0)).cross(node(3) - node(1));
  }
  frame.axes.col(2) = normal.normalized();
  frame.axes.col(0) = (x - frame.axes.col(2) * frame.axes.col(2).dot(x)).normalized();
  frame.axes.col(1) = frame.axes.col(2).cross(frame.axes.col(0));
  return frame;
}

int num_internal_motions(ElementShape shape) { return shape == ElementShape::quad4 ? 4 : 0; }

std::vector<ShellPoint> flat_shell_points(const ShellNodes& nodes, double offset, const PlateStiffness& plate) {
  const ElementShape shape = nodes.rows() == 3 ? ElementShape::tri3 : ElementShape::quad4;
  const FlatFrame frame = flat_frame(nodes);
  Corners corners(nodes.rows(), 2);
  std::vector<Vector3> arms;  // from the nodes to the corners of the flat middle surface
  for (Eigen::Index k = 0; k < nodes.rows(); ++k) {
    const Vector3 local = frame.axes.transpose() * (nodes.row(k).transpose() - frame.centre);
    corners.row(k) = local.head<2>().transpose();
    arms.push_back((offset - local.z()) * frame.axes.col(2));
  }
  const int columns = 6 * static_cast<int>(nodes.rows()) + num_internal_motions(shape);
  const FlatElement element(corners, plate, columns);
  std::vector<ShellPoint> result;
  for (const PlanePoint& at_point : plane_points(shape, ShellRule::stiffness)) {
    const PlaneShape functions = plane_shape(shape, at_point.xi);
    const Matrix2 j = jacobian(functions, corners);
    ShellPoint point;
    point.xi = at_point.xi;
    point.axes = frame.axes;
    const Vector2 in_plane = corners.transpose() * functions.values;
    point.position = frame.centre + frame.axes * Vector3(in_plane.x(), in_plane.y(), offset);
    point.in_plane = point.shear = point.drilling = at_point.weight * j.determinant();
    point.strains = ShellRows::Zero(num_shell_strains, columns);
    element.add_plate(functions, j.inverse(), at_point.xi, point.strains);
    if (shape == ElementShape::quad4)
      add_quadrilateral_membrane(functions, corners, at_point.xi, point.strains);
    else
      OptimalTriangle(corners, plate.membrane).add(at_point.xi, point.strains);
    to_link_axes(frame.axes, arms, point.strains);
    result.push_back(std::move(point));
  }
  return result;
}

}  // namespace lithe
