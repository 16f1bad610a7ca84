#include <Eigen/LU>

#include "lithe/fem/shells/shell_strains.h"

namespace lithe {
namespace {

using Rows3 = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 6 * most_shell_nodes>;
using RowsOfStrain = Eigen::Matrix<double, 1, Eigen::Dynamic, 1, 1, 6 * most_shell_nodes>;

// Middle surface and directors of an element at a point, with how both move: (7) of the theory.
class CurvedSurface {
 public:
  CurvedSurface(ElementShape shape, const ShellNodes& nodes, double offset)
      : shape_(shape), nodes_(nodes), offset_(offset), directors_(nodes.rows(), 3) {
    const std::vector<Vector2> places = reference_nodes(shape);
    for (Eigen::Index k = 0; k < nodes.rows(); ++k) {
      const Eigen::Matrix<double, 2, 3> tangents =
          plane_shape(shape, places[static_cast<std::size_t>(k)]).gradients.transpose().lazyProduct(nodes);
      const Vector3 a = tangents.row(0).transpose(), b = tangents.row(1).transpose();
      directors_.row(k) = a.cross(b).normalized().transpose();
    }
    middle_ = nodes + offset * directors_;
  }

  ShellPoint at(const Vector2& xi, double weight) const {
    const PlaneShape functions = plane_shape(shape_, xi);
    const Eigen::Matrix<double, 2, 3> tangents = functions.gradients.transpose().lazyProduct(middle_);
    const Eigen::Matrix<double, 2, 3> bends = functions.gradients.transpose().lazyProduct(directors_);
    const Vector3 first = tangents.row(0).transpose(), second = tangents.row(1).transpose();
    ShellPoint point;
    point.xi = xi;
    point.position = middle_.transpose() * functions.values;
    point.axes.col(2) = first.cross(second).normalized();
    point.axes.col(0) = first.normalized();
    point.axes.col(1) = point.axes.col(2).cross(point.axes.col(0));
    const Matrix2 jacobian = tangents * point.axes.leftCols<2>();  // ∂x_b/∂ξ_a
    point.in_plane = point.shear = point.drilling = weight * jacobian.determinant();
    set_strains(functions, tangents, bends, jacobian.inverse(), point);
    return point;
  }

 private:
  static Eigen::Index num_columns(const ShellNodes& nodes) { return 6 * nodes.rows(); }

  // Rows of Σ w_i u_i at the middle and of Σ w_i θ_i × n_i.
  template <class Weights>
  Rows3 moved(const Weights& weights) const {
    Rows3 rows = Rows3::Zero(3, num_columns(nodes_));
    for (Eigen::Index i = 0; i < nodes_.rows(); ++i) {
      rows.middleCols<3>(6 * i) = weights(i) * Matrix3::Identity();
      rows.middleCols<3>(6 * i + 3) = -weights(i) * offset_ * skew(directors_.row(i).transpose());
    }
    return rows;
  }
  template <class Weights>
  Rows3 tilted(const Weights& weights) const {
    Rows3 rows = Rows3::Zero(3, num_columns(nodes_));
    for (Eigen::Index i = 0; i < nodes_.rows(); ++i)
      rows.middleCols<3>(6 * i + 3) = -weights(i) * skew(directors_.row(i).transpose());
    return rows;
  }

  // From components along ξ, η to those along x, y: E' = J⁻¹ E J⁻ᵀ, shear as an angle.
  static void set_tensor(const RowsOfStrain& aa, const RowsOfStrain& bb, const RowsOfStrain& twice_ab, const Matrix2& g,
                         int first, ShellRows& rows) {
    rows.row(first) = g(0, 0) * g(0, 0) * aa + g(0, 1) * g(0, 1) * bb + g(0, 0) * g(0, 1) * twice_ab;
    rows.row(first + 1) = g(1, 0) * g(1, 0) * aa + g(1, 1) * g(1, 1) * bb + g(1, 0) * g(1, 1) * twice_ab;
    rows.row(first + 2) =
        2 * g(0, 0) * g(1, 0) * aa + 2 * g(0, 1) * g(1, 1) * bb + (g(0, 0) * g(1, 1) + g(0, 1) * g(1, 0)) * twice_ab;
  }

  void set_strains(const PlaneShape& functions, const Eigen::Matrix<double, 2, 3>& tangents,
                   const Eigen::Matrix<double, 2, 3>& bends, const Matrix2& inverse, ShellPoint& point) const {
    const auto x = [&](int a) { return tangents.row(a); };  // ∂x/∂ξ_a
    const auto n = [&](int a) { return bends.row(a); };     // ∂n/∂ξ_a
    const Rows3 u[2] = {moved(functions.gradients.col(0)), moved(functions.gradients.col(1))};
    const Rows3 d[2] = {tilted(functions.gradients.col(0)), tilted(functions.gradients.col(1))};
    const Rows3 director = tilted(functions.values);
    const Eigen::RowVector3d normal = functions.values.transpose() * directors_;
    ShellRows& rows = point.strains;
    rows = ShellRows::Zero(num_shell_strains, num_columns(nodes_));
    set_tensor(x(0) * u[0], x(1) * u[1], x(0) * u[1] + x(1) * u[0], inverse, 0, rows);
    set_tensor(x(0) * d[0] + n(0) * u[0], x(1) * d[1] + n(1) * u[1],
               x(0) * d[1] + x(1) * d[0] + n(0) * u[1] + n(1) * u[0], inverse, 3, rows);
    for (int a = 0; a < 2; ++a) {
      const RowsOfStrain shear = x(a) * director + normal * u[a];
      rows.row(6) += inverse(0, a) * shear;
      rows.row(7) += inverse(1, a) * shear;
    }
    set_drilling(functions, u, inverse, point);
  }

  // θ·n − ½ (e_y·u,x − e_x·u,y)
  void set_drilling(const PlaneShape& functions, const Rows3 (&u)[2], const Matrix2& inverse, ShellPoint& point) const {
    const Eigen::RowVector3d x = point.axes.col(0).transpose(), y = point.axes.col(1).transpose(),
                             z = point.axes.col(2).transpose();
    for (int a = 0; a < 2; ++a) point.strains.row(8) -= 0.5 * (inverse(0, a) * (y * u[a]) - inverse(1, a) * (x * u[a]));
    for (Eigen::Index i = 0; i < nodes_.rows(); ++i) point.strains.block<1, 3>(8, 6 * i + 3) += functions.values(i) * z;
  }

  ElementShape shape_;
  ShellNodes nodes_;
  double offset_;
  ShellNodes directors_, middle_;
};

}  // namespace

std::vector<ShellPoint> curved_shell_points(ElementShape shape, const ShellNodes& nodes, double offset) {
  // A quadrilateral with 2 x 2 points has motions without strain there (one of the membrane, one of the plate): so
  // much of the strain of the surface is integrated with 3 x 3 points.
  const double share = shape == ElementShape::quad8 ? 0.01 : 0;
  const CurvedSurface surface(shape, nodes, offset);
  std::vector<ShellPoint> result;
  for (const PlanePoint& place : plane_points(shape, ShellRule::stiffness)) {
    ShellPoint point = surface.at(place.xi, place.weight);
    point.in_plane *= 1 - share;
    point.drilling = 0;
    result.push_back(std::move(point));
  }
  for (const PlanePoint& place : plane_points(shape, ShellRule::full)) {
    ShellPoint point = surface.at(place.xi, place.weight);
    point.in_plane *= share;
    point.shear = 0;
    result.push_back(std::move(point));
  }
  return result;
}

}  // namespace lithe
