#include "lithe/read/urdf/measured_beam.h"

#include <numbers>

#include "lithe/base/decompositions.h"
#include "lithe/fem/assemble.h"
#include "lithe/model/sections/section_properties.h"

namespace lithe {

MeasuredBeam tube_of_stiffness(double bending, double torsional, double mass, double length) {
  constexpr double slender = 0.1, wall = 0.1;  // diameter over length, wall over diameter: to draw, and for E A
  const double radius = 0.5 * slender * length;
  MeasuredBeam beam;
  beam.section = tube_section(radius, radius * (1 - 2 * wall));
  beam.material.density = mass / (beam.section.area * length);
  beam.material.young_modulus = bending / beam.section.second_moment_z;
  beam.material.shear_modulus = torsional / beam.section.torsion_constant;
  return beam;
}

namespace {

// Mass matrix of a body at a node, of (velocity, angular velocity) there; `arm` leads from the node to its centre.
Matrix6 mass_at(const RigidInertia& body, const Vector3& arm) {
  Matrix6 mass;
  mass.topLeftCorner<3, 3>() = body.mass * Matrix3::Identity();
  mass.topRightCorner<3, 3>() = -body.mass * skew(arm);
  mass.bottomLeftCorner<3, 3>() = body.mass * skew(arm);
  mass.bottomRightCorner<3, 3>() = body.inertia - body.mass * skew(arm) * skew(arm);
  return mass;
}

}  // namespace

// With the moduli all frequencies grow alike: ω² is in proportion to them.
double stiffness_factor_for(double frequency, const MeasuredBeam& beam, const Link& link, const RigidInertia& tip,
                            double tip_mass) {
  Model model;
  model.materials = {beam.material};
  model.sections = {beam.section};
  Link alone = link;
  alone.segments[0].material = alone.segments[0].section = 0;
  const FiniteElementBody body = assemble(model, alone);
  const Eigen::Index free = body.num_dofs() - 6;  // the first node, which is clamped, has the first six
  const MatrixX K = MatrixX(body.stiffness).bottomRightCorner(free, free);
  MatrixX M = MatrixX(body.mass).bottomRightCorner(free, free);
  M.topLeftCorner<6, 6>() += mass_at(tip, tip.centre - link.nodes[1].position);
  M.topLeftCorner<3, 3>() += tip_mass * Matrix3::Identity();
  const double wanted = 2 * std::numbers::pi * frequency;
  return wanted * wanted / symmetric_values(K, M).values[0];
}

}  // namespace lithe
