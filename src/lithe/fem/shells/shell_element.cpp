#include "lithe/fem/shells/shell_element.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lithe/fem/shells/shell_strains.h"

namespace lithe {
namespace {

// Drilling rotations follow the surface with so much of the stiffness against twisting per area of the element. Where
// flat elements meet at a small angle, moments of one drill the other: a softer one would give way, a stiffer one would
// keep the surface from bending; with this both errors are of the order of the angle squared, whatever the thickness.
constexpr double drilling_share = 30;

bool is_flat(ElementShape shape) { return info(shape).num_nodes == info(shape).num_corners; }

// Triangles of 6 nodes lock in shear where they are thin, unless their shear stiffness falls with t² over the area:
// Lyly, Stenberg, Vihinen, Comput. Methods Appl. Mech. Eng. 110 (1993). The error falls with the area.
double shear_share(const ShellElement& element, double area) {
  if (element.shape != ElementShape::tri6) return 1;
  const double thickness = laminate_thickness(element.plies), square = thickness * thickness;
  return square / (square + 0.1 * area);
}

// The angle of direction 1 of the frame, laid into the surface, from the x axis of `axes`. Where it is normal to the
// surface, direction 2 stands a right angle further.
double material_angle(const ElementFrame& frame, const Vector3& position, const Matrix3& axes) {
  const Matrix3 directions = frame.at(position);
  const Vector3 first = axes.transpose() * directions.col(0), second = axes.transpose() * directions.col(1);
  constexpr double steep = 1e-3;  // sine of the angle with the surface
  if (first.head<2>().norm() > steep) return std::atan2(first.y(), first.x());
  return std::atan2(second.y(), second.x()) - 0.5 * std::numbers::pi;
}

std::vector<Ply> turned_plies(const ShellElement& element, const Vector3& position, const Matrix3& axes) {
  const double angle = material_angle(element.frame, position, axes);
  std::vector<Ply> plies = element.plies;
  for (Ply& ply : plies) ply.angle += angle;
  return plies;
}

std::vector<ShellPoint> points_of(const ShellElement& element) {
  if (!is_flat(element.shape)) return curved_shell_points(element.shape, element.nodes, element.offset);
  const FlatFrame frame = flat_frame(element.nodes);
  const LaminateStiffness section = laminate_stiffness(turned_plies(element, frame.centre, frame.axes));
  return flat_shell_points(element.nodes, element.offset, {section.a, section.d, section.shear});
}

bool turns_alike(const ShellElement& element) { return !element.frame.cylindrical && is_flat(element.shape); }

// The whole stiffness and how the internal motions follow the nodes.
struct Condensed {
  MatrixX stiffness;  // of the nodes
  MatrixX recovery;   // internal motions from those of the nodes; no rows where there are none
};

Condensed condensed(const ShellElement& element, const std::vector<ShellPoint>& points) {
  const Eigen::Index nodal = 6 * element.nodes.rows(), all = points.front().strains.cols();
  MatrixX whole = MatrixX::Zero(all, all);
  double area = 0;
  for (const ShellPoint& point : points) area += point.drilling;
  const double drilling = area > 0 ? drilling_share / area : 0;
  LaminateStiffness section;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const ShellPoint& point = points[k];
    if (k == 0 || !turns_alike(element))
      section = laminate_stiffness(turned_plies(element, point.position, point.axes));
    const double shear = point.shear * shear_share(element, area);
    Matrix6 surface;
    surface << section.a, section.b, section.b, section.d;
    const auto& rows = point.strains;
    whole.noalias() += point.in_plane * rows.topRows<6>().transpose() * (surface * rows.topRows<6>());
    whole.noalias() += shear * rows.middleRows<2>(6).transpose() * (section.shear * rows.middleRows<2>(6));
    whole.noalias() += point.drilling * drilling * section.d(2, 2) * rows.row(8).transpose() * rows.row(8);
  }
  Condensed result{whole.topLeftCorner(nodal, nodal), MatrixX(all - nodal, nodal)};
  if (all > nodal) {
    const MatrixX coupling = whole.bottomLeftCorner(all - nodal, nodal);
    result.recovery = -whole.bottomRightCorner(all - nodal, all - nodal).ldlt().solve(coupling);
    result.stiffness.noalias() += coupling.transpose() * result.recovery;
  }
  result.stiffness = (0.5 * (result.stiffness + result.stiffness.transpose())).eval();
  return result;
}

// Stress in link axes from xx, yy, xy in the axes of a point.
Eigen::Matrix<double, 6, 3> from_surface(const Matrix3& axes) {
  static constexpr int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
  Eigen::Matrix<double, 6, 3> result;
  for (int row = 0; row < 6; ++row) {
    const int i = pairs[row][0], j = pairs[row][1];
    result(row, 0) = axes(i, 0) * axes(j, 0);
    result(row, 1) = axes(i, 1) * axes(j, 1);
    result(row, 2) = axes(i, 0) * axes(j, 1) + axes(i, 1) * axes(j, 0);
  }
  return result;
}

Vector3 surface_vector(const ShellElement& element, const Vector2& xi) {
  const Eigen::Matrix<double, 2, 3> tangents =
      plane_shape(element.shape, xi).gradients.transpose().lazyProduct(element.nodes);
  const Vector3 a = tangents.row(0).transpose(), b = tangents.row(1).transpose();
  return a.cross(b);
}

}  // namespace

ShellElement shell_element(const MeshPart& part, const MeshElement& element) {
  ShellElement result;
  result.shape = element.shape;
  result.nodes.resize(info(element.shape).num_nodes, 3);
  for (Eigen::Index k = 0; k < result.nodes.rows(); ++k)
    result.nodes.row(k) = part.mesh.positions[static_cast<std::size_t>(part.mesh.nodes_of(element)[k])].transpose();
  const ShellSection& section = part.mesh.shells[static_cast<std::size_t>(element.shell)];
  for (const ShellLayer& layer : section.layers)
    result.plies.push_back({&part.materials[static_cast<std::size_t>(layer.material)], layer.thickness, layer.angle});
  result.offset = section.offset;
  result.mass_per_area = section.mass_per_area;
  if (element.frame >= 0) result.frame = part.mesh.frames[static_cast<std::size_t>(element.frame)];
  return result;
}

ShellNodes shell_normals(const ShellElement& element) {
  ShellNodes normals(element.nodes.rows(), 3);
  const std::vector<Vector2> places = reference_nodes(element.shape);
  for (Eigen::Index k = 0; k < normals.rows(); ++k) {
    const Vector3 normal = is_flat(element.shape)
                               ? Vector3(flat_frame(element.nodes).axes.col(2))
                               : surface_vector(element, places[static_cast<std::size_t>(k)]).normalized();
    normals.row(k) = normal.transpose();
  }
  return normals;
}

double smallest_jacobian(const ShellElement& element) {
  const Vector3 normal = flat_frame(element.nodes.topRows(info(element.shape).num_corners)).axes.col(2);
  double smallest = std::numeric_limits<double>::infinity();
  for (const Vector2& place : reference_nodes(element.shape))
    smallest = std::min(smallest, normal.dot(surface_vector(element, place)));
  return smallest;
}

MatrixX shell_stiffness(const ShellElement& element) { return condensed(element, points_of(element)).stiffness; }

MatrixX shell_areas(const ShellElement& element) {
  MatrixX result = MatrixX::Zero(element.nodes.rows(), element.nodes.rows());
  ShellElement middle = element;
  middle.nodes += element.offset * shell_normals(element);
  for (const PlanePoint& point : plane_points(element.shape, ShellRule::full)) {
    const PlaneShape shape = plane_shape(element.shape, point.xi);
    result += point.weight * surface_vector(middle, point.xi).norm() * shape.values * shape.values.transpose();
  }
  return result;
}

VectorX shell_weights(const ShellElement& element) { return shell_areas(element).rowwise().sum(); }

Vector3 shell_layer_masses(const ShellElement& element) {
  const LaminateMass mass = laminate_mass(element.plies);
  const double h = laminate_thickness(element.plies);
  // s = ½ + z/h
  const double area = mass.area + element.mass_per_area, first = mass.first / h,
               second = mass.second / (h * h) + element.mass_per_area / 12;
  return {0.25 * area - first + second, 0.25 * area - second, 0.25 * area + first + second};
}

namespace {

// Strains at a point by the motions of the nodes, which the internal ones follow.
MatrixX nodal_strains(const ShellPoint& point, const Condensed& whole) {
  const Eigen::Index internal = whole.recovery.rows();
  MatrixX strains = point.strains.leftCols(point.strains.cols() - internal);
  if (internal > 0) strains += point.strains.rightCols(internal) * whole.recovery;
  return strains;
}

}  // namespace

std::vector<ShellForces> shell_forces(const ShellElement& element) {
  const std::vector<ShellPoint> points = points_of(element);
  const Condensed whole = condensed(element, points);
  std::vector<ShellForces> result;
  for (const ShellPoint& point : points) {
    if (!(point.in_plane > 0)) continue;
    const LaminateStiffness section = laminate_stiffness(turned_plies(element, point.position, point.axes));
    const MatrixX strains = nodal_strains(point, whole);
    result.push_back({point.xi, point.axes, point.in_plane,
                      section.a * strains.topRows<3>() + section.b * strains.middleRows<3>(3)});
  }
  return result;
}

MatrixX shell_stress(const ShellElement& element) {
  const std::vector<ShellPoint> points = points_of(element);
  const Condensed whole = condensed(element, points);
  const Eigen::Index nodal = 6 * element.nodes.rows();
  const MatrixX to_nodes = strain_extrapolation(element.shape);
  const double half = 0.5 * laminate_thickness(element.plies);
  MatrixX result = MatrixX::Zero(12 * element.nodes.rows(), nodal);
  for (Eigen::Index p = 0; p < to_nodes.cols(); ++p) {  // the stiffness points come first
    const ShellPoint& point = points[static_cast<std::size_t>(p)];
    const MatrixX strains = nodal_strains(point, whole);
    const std::vector<Ply> plies = turned_plies(element, point.position, point.axes);
    const Eigen::Matrix<double, 6, 3> turn = from_surface(point.axes);
    const MatrixX bottom =
        turn * ply_elasticity(plies.front()) * (strains.topRows<3>() - half * strains.middleRows<3>(3));
    const MatrixX top = turn * ply_elasticity(plies.back()) * (strains.topRows<3>() + half * strains.middleRows<3>(3));
    for (Eigen::Index i = 0; i < to_nodes.rows(); ++i) {
      result.middleRows<6>(12 * i) += to_nodes(i, p) * bottom;
      result.middleRows<6>(12 * i + 6) += to_nodes(i, p) * top;
    }
  }
  return result;
}

}  // namespace lithe
