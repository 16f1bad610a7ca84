#include "support/rotating_beams.h"

#include "lithe/base/decompositions.h"

namespace lithe::testing {

Model rotating_beam(const BeamOnHub& beam, int elements) {
  const double area = 1e-4, gyration = beam.length / beam.slenderness, moment = area * gyration * gyration;
  FlexibleBuilder b(beam.stiffness / moment, 1 / area);
  Section& section = b.model().sections[0];
  section.area = area;
  section.second_moment_y = section.second_moment_z = moment;
  section.torsion_constant = 2 * moment;
  const int hub = b.link("hub");
  const Vector3 edge(beam.hub_radius, 0, 0);
  b.hinge("axle", JointType::revolute, -1, {0, 0, 0}, hub, {0, 0, 0}, Vector3::UnitZ());
  const int arm = b.beam("arm", {{0, 0, 0}, {beam.length, 0, 0}}, elements);
  const bool clamped = beam.root == Root::clamped;
  b.hinge("root", clamped ? JointType::fixed : JointType::revolute, hub, edge, arm, {0, 0, 0}, Vector3::UnitZ());
  b.model().drives.push_back({"spin", {}, 0, 0, true, SignalConstant{0}});
  b.model().gravity.setZero();
  return b.model();
}

VectorX ritz_squared_frequencies(const BeamOnHub& beam, double speed, bool in_plane, int terms) {
  const bool free_jacobian = in_plane && beam.root == Root::hinged_in_plane;
  MatrixX K = MatrixX::Zero(terms, terms), M = K;
  constexpr int parts = 400;  // two Gauss points on each
  const double l = beam.length;
  for (int part = 0; part < parts; ++part)
    for (const double side : {-1.0, 1.0}) {
      const double xi = (part + 0.5 + 0.5 * side / std::sqrt(3.0)) / parts, weight = 0.5 * l / parts;
      VectorX p(terms + 2), dp(terms + 2), ddp(terms + 2);  // Legendre in t = 2 ξ - 1 and derivatives by ξ
      const double t = 2 * xi - 1;
      p(0) = 1, p(1) = t, dp(0) = 0, dp(1) = 2, ddp(0) = ddp(1) = 0;
      for (int k = 1; k + 1 < terms + 2; ++k) {
        const double a = (2.0 * k + 1) / (k + 1), c = static_cast<double>(k) / (k + 1);
        p(k + 1) = a * t * p(k) - c * p(k - 1);
        dp(k + 1) = a * (2 * p(k) + t * dp(k)) - c * dp(k - 1);
        ddp(k + 1) = a * (4 * dp(k) + t * ddp(k)) - c * ddp(k - 1);
      }
      VectorX w(terms), jacobian(terms), curvature(terms);
      const int power = free_jacobian ? 1 : 2;
      const double f = std::pow(xi, power), df = power * std::pow(xi, power - 1), ddf = power == 2 ? 2 : 0;
      for (int k = 0; k < terms; ++k) {
        w(k) = f * p(k);
        jacobian(k) = (df * p(k) + f * dp(k)) / l;
        curvature(k) = (ddf * p(k) + 2 * df * dp(k) + f * ddp(k)) / (l * l);
      }
      const double x = xi * l;
      const double tension = speed * speed * (beam.hub_radius * (l - x) + 0.5 * (l * l - x * x));
      K += weight * (beam.stiffness * curvature * curvature.transpose() + tension * jacobian * jacobian.transpose());
      if (in_plane) K -= weight * speed * speed * w * w.transpose();
      M += weight * w * w.transpose();
    }
  return symmetric_values(K, M).values;
}

Model rotating_shaft(double nu, int elements, double disc, double slenderness) {
  const double area = 1e-4, moment = area / (slenderness * slenderness);
  const double stiffness = std::pow(M_PI, -4);
  FlexibleBuilder b(stiffness / moment, 1 / area);
  Section& section = b.model().sections[0];
  section.area = area;
  section.second_moment_y = moment * (1 - nu / 2);
  section.second_moment_z = moment * (1 + nu / 2);
  section.torsion_constant = 1e3 * moment;
  const int shaft = b.beam("shaft", {{0, 0, 0}, {1, 0, 0}}, elements);
  if (disc > 0)  // a rod along z: stiffer bending, about z, gets no inertia; the softer, about y, does
    for (const int node : {0, 1})
      b.model().links[shaft].lumped_masses.push_back({node, 0, Vector3(disc, disc, 0).asDiagonal()});
  const int seat = b.link("seat");
  b.model().links[seat].rigid_inertia = {1e-9, {0, 0, 0}, Vector3(1e-12, 1e-12, 1e-12).asDiagonal()};
  b.hinge("left", JointType::spherical, -1, {0, 0, 0}, shaft, {0, 0, 0}, Vector3::UnitZ());
  b.hinge("slide", JointType::prismatic, -1, {1, 0, 0}, seat, {0, 0, 0}, Vector3::UnitX());
  b.hinge("right", JointType::spherical, seat, {0, 0, 0}, shaft, {1, 0, 0}, Vector3::UnitZ());
  b.model().joints[2].prefer_cut = true;
  b.model().drives.push_back({"spin", {}, 0, 0, true, SignalConstant{0}});
  b.model().gravity.setZero();
  return b.model();
}

}  // namespace lithe::testing
