#include "lithe/fem/solid_element.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lithe {
namespace {

using StrainRows = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 3 * most_solid_nodes>;
using IncompatibleRows = Eigen::Matrix<double, 6, 9>;

// Strain of a displacement u = a f(x): columns for the components of a, g the gradient of f, (2).
template <class Matrix>
void set_strain(int column, const Vector3& g, Matrix& rows) {
  rows.template middleCols<3>(column) << g.x(), 0, 0,  //
      0, g.y(), 0,                                     //
      0, 0, g.z(),                                     //
      g.y(), g.x(), 0,                                 //
      0, g.z(), g.y(),                                 //
      g.z(), 0, g.x();
}

Matrix3 jacobian(const SolidShape& shape, const SolidNodes& nodes) {
  return shape.gradients.transpose().lazyProduct(nodes);  // ∂x_b/∂ξ_a
}

StrainRows strain_rows(const SolidShape& shape, const Matrix3& inverse_jacobian) {
  StrainRows rows(6, 3 * shape.values.size());
  for (int i = 0; i < shape.values.size(); ++i)
    set_strain(3 * i, inverse_jacobian * shape.gradients.row(i).transpose(), rows);
  return rows;
}

// (5): strains of the modes 1 - ξ_a² of an 8-node brick, with the gradient taken through the Jacobian at the centre
// and scaled by det J0 / det J, so that their mean vanishes and the patch test holds (Taylor, Beresford, Wilson 1976).
IncompatibleRows incompatible_rows(const Vector3& xi, const Matrix3& inverse_centre, double ratio) {
  IncompatibleRows rows;
  for (int a = 0; a < 3; ++a) set_strain(3 * a, -2 * xi(a) * ratio * inverse_centre.col(a), rows);
  return rows;
}

// Of an 8-node brick: K and what the incompatible modes follow with, α = recovery u.
struct BrickMatrices {
  MatrixX stiffness;
  Eigen::Matrix<double, 9, 24> recovery;
};

BrickMatrices brick_matrices(const SolidNodes& nodes, const Matrix6& elasticity) {
  const SolidShape centre = solid_shape(ElementShape::hex8, Vector3::Zero());
  const Matrix3 at_centre = jacobian(centre, nodes), inverse_centre = at_centre.inverse();
  const double determinant_centre = at_centre.determinant();
  BrickMatrices result{MatrixX::Zero(24, 24), {}};
  Eigen::Matrix<double, 9, 9> inner = Eigen::Matrix<double, 9, 9>::Zero();
  Eigen::Matrix<double, 9, 24> coupling = Eigen::Matrix<double, 9, 24>::Zero();
  for (const SolidPoint& point : solid_points(ElementShape::hex8, SolidRule::stiffness)) {
    const Matrix3 j = jacobian(point.shape, nodes);
    const double determinant = j.determinant();
    const StrainRows b = strain_rows(point.shape, j.inverse());
    const IncompatibleRows g = incompatible_rows(point.xi, inverse_centre, determinant_centre / determinant);
    const StrainRows stress = point.weight * determinant * elasticity * b;
    result.stiffness.noalias() += b.transpose() * stress;
    coupling.noalias() += g.transpose() * stress;
    inner.noalias() += point.weight * determinant * g.transpose() * (elasticity * g);
  }
  result.recovery = -inner.ldlt().solve(coupling);
  result.stiffness.noalias() += coupling.transpose() * result.recovery;
  return result;
}

}  // namespace

Matrix6 solid_elasticity(const MeshPart& part, const MeshElement& element, const SolidNodes& nodes) {
  const auto index = static_cast<std::size_t>(&element - part.mesh.elements.data());
  const ElementMaterial& material = part.materials[static_cast<std::size_t>(part.element_materials[index])];
  if (!material.orthotropic || element.frame < 0) return elasticity(material);
  const Vector3 middle = nodes.colwise().mean().transpose();
  return turned(elasticity(material), part.mesh.frames[static_cast<std::size_t>(element.frame)].at(middle));
}

double smallest_jacobian(ElementShape shape, const SolidNodes& nodes) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const SolidRule rule : {SolidRule::stiffness, SolidRule::mass})
    for (const SolidPoint& point : solid_points(shape, rule))
      smallest = std::min(smallest, jacobian(point.shape, nodes).determinant());
  return smallest;
}

MatrixX solid_stiffness(ElementShape shape, const SolidNodes& nodes, const Matrix6& elasticity) {
  MatrixX stiffness;
  if (shape == ElementShape::hex8) {
    stiffness = brick_matrices(nodes, elasticity).stiffness;
  } else {
    stiffness.setZero(3 * nodes.rows(), 3 * nodes.rows());
    for (const SolidPoint& point : solid_points(shape, SolidRule::stiffness)) {
      const Matrix3 j = jacobian(point.shape, nodes);
      const StrainRows b = strain_rows(point.shape, j.inverse());
      const StrainRows stress = point.weight * j.determinant() * elasticity * b;
      stiffness.noalias() += b.transpose() * stress;
    }
  }
  return 0.5 * (stiffness + stiffness.transpose());
}

MatrixX solid_mass_per_density(ElementShape shape, const SolidNodes& nodes) {
  MatrixX mass = MatrixX::Zero(nodes.rows(), nodes.rows());
  for (const SolidPoint& point : solid_points(shape, SolidRule::mass)) {
    const double volume = point.weight * jacobian(point.shape, nodes).determinant();
    mass.noalias() += volume * point.shape.values * point.shape.values.transpose();
  }
  return mass;
}

VectorX face_weights(ElementShape shape, const SolidNodes& nodes, const ElementFace& face) {
  VectorX weights = VectorX::Zero(nodes.rows());
  for (const FacePoint& point : face_points(shape, face)) {
    const Matrix3 j = jacobian(point.shape, nodes);
    const Vector3 s = j.transpose() * point.tangent_s, t = j.transpose() * point.tangent_t;
    weights += point.weight * s.cross(t).norm() * point.shape.values;
  }
  return weights;
}

MatrixX solid_stress(ElementShape shape, const SolidNodes& nodes, const Matrix6& elasticity) {
  const std::vector<SolidPoint>& points = solid_points(shape, SolidRule::stress);
  const auto columns = 3 * nodes.rows();
  MatrixX at_points(6 * static_cast<Eigen::Index>(points.size()), columns);
  BrickMatrices brick;
  Matrix3 centre = Matrix3::Identity();
  if (shape == ElementShape::hex8) {
    brick = brick_matrices(nodes, elasticity);
    centre = jacobian(solid_shape(shape, Vector3::Zero()), nodes);
  }
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Matrix3 j = jacobian(points[p].shape, nodes);
    StrainRows strain = strain_rows(points[p].shape, j.inverse());
    if (shape == ElementShape::hex8)
      strain +=
          incompatible_rows(points[p].xi, centre.inverse(), centre.determinant() / j.determinant()) * brick.recovery;
    at_points.middleRows<6>(6 * static_cast<Eigen::Index>(p)) = elasticity * strain;
  }
  const MatrixX& to_nodes = stress_extrapolation(shape);
  MatrixX result = MatrixX::Zero(6 * nodes.rows(), columns);
  for (Eigen::Index i = 0; i < nodes.rows(); ++i)
    for (Eigen::Index p = 0; p < to_nodes.cols(); ++p)
      result.middleRows<6>(6 * i) += to_nodes(i, p) * at_points.middleRows<6>(6 * p);
  return result;
}

}  // namespace lithe
