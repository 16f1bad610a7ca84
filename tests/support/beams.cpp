#include "support/beams.h"

namespace lithe::test {

Material steel() { return {"steel", 7850, 2.06e11, 2.06e11 / 2.6}; }

Material aluminium() { return {"aluminium", 2700, 7e10, 7e10 / 2.66}; }

Section rectangle(double width, double height) {
  Section section;
  section.name = "rectangle";
  section.shape = SectionShape::rectangle;
  section.dimensions = {width, height};
  section.area = width * height;
  section.second_moment_y = width * height * height * height / 12;
  section.second_moment_z = height * width * width * width / 12;
  // Saint-Venant's constant in the usual approximation; tests use the number as given.
  const double a = std::max(width, height), b = std::min(width, height);
  section.torsion_constant = a * b * b * b * (1.0 / 3 - 0.21 * b / a * (1 - b * b * b * b / (12 * a * a * a * a)));
  return section;
}

Section tube(double outer, double inner) {
  Section section;
  section.name = "tube";
  section.area = pi * (outer * outer - inner * inner);
  section.second_moment_y = section.second_moment_z = pi / 4 * (std::pow(outer, 4) - std::pow(inner, 4));
  section.torsion_constant = 2 * section.second_moment_y;
  section.shear_factor_y = section.shear_factor_z = 0.5;
  return section;
}

Model polyline(const std::vector<Vector3>& points, int elements_per_segment, const Material& material,
               const Section& section, BeamKind kind) {
  Model model;
  model.file = "test.toml";
  model.materials = {material};
  model.sections = {section};
  Link link;
  link.name = "arm";
  link.place = {"test.toml", 7, 3};
  for (std::size_t k = 0; k < points.size(); ++k) link.nodes.push_back({cat("n", k), points[k]});
  for (int k = 0; k + 1 < static_cast<int>(points.size()); ++k) {
    BeamSegment segment;
    segment.from = k;
    segment.to = k + 1;
    segment.num_elements = elements_per_segment;
    segment.theory = kind.theory;
    segment.mass_model = kind.mass_model;
    link.segments.push_back(segment);
  }
  model.links = {link};
  return model;
}

FiniteElementBody straight_beam(double length, int num_elements, const Material& material, const Section& section,
                                BeamKind kind) {
  const Model model = polyline({Vector3::Zero(), length * Vector3::UnitX()}, num_elements, material, section, kind);
  return assemble(model, model.links[0]);
}

Model moved(Model model, const Pose& pose) {
  for (Link& link : model.links) {
    for (BeamSegment& segment : link.segments) {
      const Vector3 along = link.nodes[segment.to].position - link.nodes[segment.from].position;
      const bool vertical = along.normalized().cross(Vector3::UnitZ()).norm() < 1e-6;
      if (segment.section_z.norm() == 0) segment.section_z = vertical ? Vector3::UnitY() : Vector3::UnitZ();
      segment.section_z = pose.rotation * segment.section_z;
    }
    for (Node& node : link.nodes) node.position = pose * node.position;
    for (LumpedMass& lumped : link.lumped_masses)
      lumped.inertia = pose.rotation * lumped.inertia * pose.rotation.transpose();
  }
  return model;
}

Pose skew_pose() {
  Pose pose;
  pose.rotation = (Eigen::AngleAxisd(0.7, Vector3(1, 2, -0.5).normalized())).toRotationMatrix();
  pose.position = Vector3(0.3, -0.8, 1.1);
  return pose;
}

VectorX frequencies(const FiniteElementBody& body, const std::vector<int>& free) {
  const MatrixX stiffness = MatrixX(body.stiffness)(free, free), mass = MatrixX(body.mass)(free, free);
  return natural_modes(stiffness, mass).squared_frequencies.cwiseMax(0.0).cwiseSqrt();
}

std::vector<int> dofs_of(const FiniteElementBody& body, Motion motion) {
  std::vector<int> result;
  for (int node = 0; node < body.num_nodes(); ++node) switch (motion) {
      case Motion::axial:
        result.push_back(6 * node);
        break;
      case Motion::torsion:
        result.push_back(6 * node + 3);
        break;
      case Motion::bending_xy:
        result.insert(result.end(), {6 * node + 1, 6 * node + 5});
        break;
      case Motion::bending_xz:
        result.insert(result.end(), {6 * node + 2, 6 * node + 4});
        break;
    }
  return result;
}

std::vector<int> without(std::vector<int> dofs, const std::vector<int>& held) {
  std::erase_if(dofs, [&](int dof) { return std::find(held.begin(), held.end(), dof) != held.end(); });
  return dofs;
}

std::vector<Vector3> frame_points() {
  return {Vector3(0.1, 0.2, -0.1), Vector3(0.6, 0.25, 0.05), Vector3(0.7, 0.75, 0.2), Vector3(0.45, 0.9, 0.6)};
}

}  // namespace lithe::test
