#include "lithe/fem/beam_element.h"

#include <cmath>
#include <limits>

namespace lithe {
namespace {

using Matrix4 = Eigen::Matrix4d;
using Row4 = Eigen::RowVector4d;

// Shear stiffness of the two-node linear element, (9): one-point integration leaves out the bending flexibility inside
// the element, which codes make up for by a softer shear.
double softened_shear_stiffness(double shear_stiffness, const Section& section, double second_moment, double length) {
  return shear_stiffness / (1.0 + section.slenderness_factor * length * length * section.area / (12.0 * second_moment));
}

// Φ = 12 EI / (k G A L²), the share of shear in the deflection, (4); zero for Euler-Bernoulli.
double shear_parameter(double bending_stiffness, double shear_stiffness, double length) {
  return 12.0 * bending_stiffness / (shear_stiffness * length * length);
}

// Deflection v and derivative ψ of one bending plane with v' = ψ + γ, unknowns (v_a, ψ_a, v_b, ψ_b): exact for end
// loads, (5).
struct PlaneInterpolation {
  Row4 deflection;
  Row4 rotation;
};

PlaneInterpolation static_interpolation(double phi, double length, double xi) {
  const double x2 = xi * xi, x3 = x2 * xi, bubble = phi / 2 * (xi - x2);
  PlaneInterpolation result;
  result.deflection << 1 - 3 * x2 + 2 * x3 + phi * (1 - xi), length * (xi - 2 * x2 + x3 + bubble),
      3 * x2 - 2 * x3 + phi * xi, length * (x3 - x2 - bubble);
  result.rotation << 6 / length * (x2 - xi), 1 - 4 * xi + 3 * x2 + phi * (1 - xi), 6 / length * (xi - x2),
      3 * x2 - 2 * xi + phi * xi;
  result.deflection /= 1 + phi;
  result.rotation /= 1 + phi;
  return result;
}

PlaneInterpolation linear_interpolation(double xi) {
  PlaneInterpolation result;
  result.deflection << 1 - xi, 0, xi, 0;
  result.rotation << 0, 1 - xi, 0, xi;
  return result;
}

PlaneInterpolation plane_interpolation(const BeamProperties& beam, double bending, double shear, double xi) {
  if (beam.theory == BeamTheory::linear_timoshenko) return linear_interpolation(xi);
  return static_interpolation(shear_parameter(bending, shear, beam.length), beam.length, xi);
}

// (6): stiffness of the exact static interpolation.
Matrix4 static_plane_stiffness(double bending, double phi, double length) {
  const double l = length, l2 = l * l;
  Matrix4 k;
  k << 12, 6 * l, -12, 6 * l,                         //
      6 * l, (4 + phi) * l2, -6 * l, (2 - phi) * l2,  //
      -12, -6 * l, 12, -6 * l,                        //
      6 * l, (2 - phi) * l2, -6 * l, (4 + phi) * l2;
  return bending / (l2 * l * (1 + phi)) * k;
}

// (8): constant curvature and one-point shear strain γ = (v_b - v_a)/L - (ψ_a + ψ_b)/2.
Matrix4 linear_plane_stiffness(double bending, double shear, double length) {
  const Row4 curvature(0, -1 / length, 0, 1 / length);
  const Row4 shear_strain(-1 / length, -0.5, 1 / length, -0.5);
  return length * (bending * curvature.transpose() * curvature + shear * shear_strain.transpose() * shear_strain);
}

Matrix4 plane_stiffness(const BeamProperties& beam, double bending, double shear) {
  if (beam.theory == BeamTheory::linear_timoshenko) return linear_plane_stiffness(bending, shear, beam.length);
  return static_plane_stiffness(bending, shear_parameter(bending, shear, beam.length), beam.length);
}

// Where the unknowns of a plane sit among the twelve, and the sign of its rotations: w' = -ψ_y in the x-z plane, (2).
struct Plane {
  int dofs[4];
  double rotation_sign;
};
constexpr Plane plane_xy{{1, 5, 7, 11}, 1.0};
constexpr Plane plane_xz{{2, 4, 8, 10}, -1.0};

double sign_of(const Plane& plane, int k) { return k % 2 == 1 ? plane.rotation_sign : 1.0; }

void add_plane(const Plane& plane, const PlaneInterpolation& rows, int deflection_row, int rotation_row,
               BeamInterpolation& result) {
  for (int k = 0; k < 4; ++k) {
    result.translation(deflection_row, plane.dofs[k]) = sign_of(plane, k) * rows.deflection(k);
    result.rotation(rotation_row, plane.dofs[k]) = plane.rotation_sign * sign_of(plane, k) * rows.rotation(k);
  }
}

void add_plane(const Plane& plane, const Matrix4& k4, Matrix12& stiffness) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      stiffness(plane.dofs[i], plane.dofs[j]) += sign_of(plane, i) * sign_of(plane, j) * k4(i, j);
}

void add_bar(int dof_a, int dof_b, double stiffness_per_length, Matrix12& stiffness) {
  stiffness(dof_a, dof_a) += stiffness_per_length;
  stiffness(dof_b, dof_b) += stiffness_per_length;
  stiffness(dof_a, dof_b) -= stiffness_per_length;
  stiffness(dof_b, dof_a) -= stiffness_per_length;
}

}  // namespace

BeamProperties beam_properties(BeamTheory theory, const Material& material, const Section& section, double length) {
  BeamProperties beam;
  beam.theory = theory;
  beam.length = length;
  beam.mass_per_length = material.density * section.area;
  beam.rotary_inertia_y = material.density * section.second_moment_y;
  beam.rotary_inertia_z = material.density * section.second_moment_z;
  beam.axial_stiffness = material.young_modulus * section.area;
  beam.torsional_stiffness = material.shear_modulus * section.torsion_constant;
  beam.bending_stiffness_y = material.young_modulus * section.second_moment_y;
  beam.bending_stiffness_z = material.young_modulus * section.second_moment_z;
  beam.shear_stiffness_y = beam.shear_stiffness_z = std::numeric_limits<double>::infinity();
  if (theory == BeamTheory::euler_bernoulli) return beam;
  beam.shear_stiffness_y = section.shear_factor_y * material.shear_modulus * section.area;
  beam.shear_stiffness_z = section.shear_factor_z * material.shear_modulus * section.area;
  if (theory == BeamTheory::linear_timoshenko) {
    beam.shear_stiffness_y = softened_shear_stiffness(beam.shear_stiffness_y, section, section.second_moment_z, length);
    beam.shear_stiffness_z = softened_shear_stiffness(beam.shear_stiffness_z, section, section.second_moment_y, length);
  }
  return beam;
}

BeamInterpolation beam_interpolation(const BeamProperties& beam, double xi) {
  BeamInterpolation result{Matrix3x12::Zero(), Matrix3x12::Zero()};
  result.translation(0, 0) = result.rotation(0, 3) = 1 - xi;  // axial and torsion: linear, (1)
  result.translation(0, 6) = result.rotation(0, 9) = xi;
  add_plane(plane_xy, plane_interpolation(beam, beam.bending_stiffness_z, beam.shear_stiffness_y, xi), 1, 2, result);
  add_plane(plane_xz, plane_interpolation(beam, beam.bending_stiffness_y, beam.shear_stiffness_z, xi), 2, 1, result);
  return result;
}

Matrix12 beam_stiffness(const BeamProperties& beam) {
  Matrix12 stiffness = Matrix12::Zero();
  add_bar(0, 6, beam.axial_stiffness / beam.length, stiffness);
  add_bar(3, 9, beam.torsional_stiffness / beam.length, stiffness);
  add_plane(plane_xy, plane_stiffness(beam, beam.bending_stiffness_z, beam.shear_stiffness_y), stiffness);
  add_plane(plane_xz, plane_stiffness(beam, beam.bending_stiffness_y, beam.shear_stiffness_z), stiffness);
  return stiffness;
}

std::vector<QuadraturePoint> mass_quadrature(BeamTheory theory) {
  if (theory == BeamTheory::linear_timoshenko) {  // integrand of degree 2
    const double offset = 0.5 / std::sqrt(3.0);
    return {{0.5 - offset, 0.5}, {0.5 + offset, 0.5}};
  }
  // Cubic deflections, so an integrand of degree 6: four Gauss points, exact to degree 7.
  const double root = 2.0 / 7.0 * std::sqrt(6.0 / 5.0);
  const double inner = 0.5 * std::sqrt(3.0 / 7.0 - root), outer = 0.5 * std::sqrt(3.0 / 7.0 + root);
  const double inner_weight = (18.0 + std::sqrt(30.0)) / 72.0, outer_weight = (18.0 - std::sqrt(30.0)) / 72.0;
  return {{0.5 - outer, outer_weight},
          {0.5 - inner, inner_weight},
          {0.5 + inner, inner_weight},
          {0.5 + outer, outer_weight}};
}

}  // namespace lithe
