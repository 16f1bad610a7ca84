#include "lithe/formulate/transfer/beam.h"

namespace lithe {
namespace {

// Six Gauss points are exact to degree 11; the products of shortenings have degree 10.
struct Quadrature {
  std::array<double, 6> point, weight;
};
constexpr std::array<double, 3> half_points = {0.2386191860831969, 0.6612093864662645, 0.9324695142031521};
constexpr std::array<double, 3> half_weights = {0.4679139345726910, 0.3607615730481386, 0.1713244923791704};

Quadrature six_points() {
  Quadrature q;
  for (int k = 0; k < 3; ++k)
    for (int side = 0; side < 2; ++side) {
      q.point[2 * k + side] = 0.5 + (side == 0 ? -0.5 : 0.5) * half_points[k];
      q.weight[2 * k + side] = 0.5 * half_weights[k];
    }
  return q;
}

double shear_share(double bending, double shear, double length) { return 12 * bending / (shear * length * length); }

using FieldVector = Eigen::Matrix<double, num_field_vectors, 1>;

// g_b(ξ): how the points of the axis move with the vectors of the element (5). Deflections against the chord with shear
// share Φ of each plane; shortening x(ξ) = ξ (L + σ(1)) - σ(ξ), σ(ξ) = ½ ∫ w'² (6).
FieldVector field_at(double xi, bool bends, bool shortens, double phi_y, double phi_z) {
  FieldVector g = FieldVector::Zero();
  const double x2 = xi * xi, x3 = x2 * xi, x4 = x3 * xi, x5 = x4 * xi;
  g(0) = 1;
  g(1 + chord) = xi;
  if (!bends) return g;
  const auto first = [&](double phi) { return (xi - 2 * x2 + x3 + phi / 2 * (xi - x2)) / (1 + phi); };
  const auto second = [&](double phi) { return (x3 - x2 - phi / 2 * (xi - x2)) / (1 + phi); };
  g(1 + bend_y_first) = first(phi_y);
  g(1 + bend_z_first) = first(phi_z);
  g(1 + bend_y_second) = second(phi_y);
  g(1 + bend_z_second) = second(phi_z);
  if (!shortens) return g;
  g(1 + short_first) = 0.5 * (2.0 / 15 * xi - (xi - 4 * x2 + 22.0 / 3 * x3 - 6 * x4 + 1.8 * x5));
  g(1 + short_mixed) = -1.0 / 30 * xi - (-x2 + 11.0 / 3 * x3 - 4.5 * x4 + 1.8 * x5);
  g(1 + short_second) = 0.5 * (2.0 / 15 * xi - (4.0 / 3 * x3 - 3 * x4 + 1.8 * x5));
  return g;
}

// Rotary inertia of the sections: their y and z directions interpolated between the nodes (7).
void add_directors(double moment_y, double moment_z, double length, FieldMatrix& mass) {
  const double moments[] = {moment_z, moment_y};  // ∫ρ y², ∫ρ z²
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mass(9 + k + 2 * i, 9 + k + 2 * j) += moments[k] * length * (i == j ? 1.0 / 3 : 1.0 / 6);
}

// δ(u_q, ψ_q) = B δe at the straight element, the first node held: from [LIN] (49).
Eigen::Matrix<double, 6, 6> end_motion(double length) {
  Eigen::Matrix<double, 6, 6> B = Matrix6::Zero();
  B(0, 0) = 1;
  B(1, 4) = 1;
  B(2, 2) = -1;
  B(3, 1) = 1 / length;
  B(4, 2) = B(4, 3) = 1 / length;
  B(5, 4) = B(5, 5) = 1 / length;
  return B;
}

}  // namespace

BeamForm beam_form(const BeamProperties& beam, MassModel mass_model, bool shortens, bool planar) {
  BeamForm form;
  form.length = beam.length;
  form.truss = beam.theory == BeamTheory::truss;
  const bool bends = beam.theory == BeamTheory::euler_bernoulli || beam.theory == BeamTheory::timoshenko;
  form.shortens = shortens && bends;
  if (form.truss) {
    form.stiffness(0, 0) = beam.axial_stiffness / beam.length;
  } else {
    const Matrix6 B = end_motion(beam.length);
    form.stiffness = B.transpose() * beam_stiffness(beam).bottomRightCorner<6, 6>() * B;
    form.stiffness = (0.5 * (form.stiffness + form.stiffness.transpose())).eval();
  }
  if (planar) {
    form.order = {0, 4, 5, 1, 2, 3};
    form.num_free = 3;
  }
  if (form.truss) form.num_free = 1;
  form.stiffness = Matrix6(form.stiffness(form.order, form.order));
  form.has_field = mass_model == MassModel::consistent;
  if (!form.has_field) return form;
  const double phi_y = bends ? shear_share(beam.bending_stiffness_z, beam.shear_stiffness_y, beam.length) : 0;
  const double phi_z = bends ? shear_share(beam.bending_stiffness_y, beam.shear_stiffness_z, beam.length) : 0;
  const Quadrature q = six_points();
  for (std::size_t k = 0; k < q.point.size(); ++k) {
    const FieldVector g = field_at(q.point[k], bends, form.shortens, phi_y, phi_z);
    form.mass += beam.mass_per_length * beam.length * q.weight[k] * g * g.transpose();
  }
  add_directors(beam.rotary_inertia_y, beam.rotary_inertia_z, beam.length, form.mass);
  return form;
}

Vector6 end_forces(const BeamForm& form, const Vector6& stress) {
  const Matrix6 B = end_motion(form.length);
  Vector6 ordered;
  for (int k = 0; k < num_deformations; ++k) ordered(form.order[k]) = stress(k);
  return B.transpose().partialPivLu().solve(ordered);
}

}  // namespace lithe
