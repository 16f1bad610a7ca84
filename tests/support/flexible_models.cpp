#include "support/flexible_models.h"

namespace lithe::testing {

Section rectangle(double width, double height) {
  Section section;
  section.name = "bar";
  section.shape = SectionShape::rectangle;
  section.dimensions = {width, height};
  section.area = width * height;
  section.second_moment_y = width * height * height * height / 12;
  section.second_moment_z = height * width * width * width / 12;
  section.torsion_constant = 0.14 * width * height * std::min(width, height) * std::max(width, height);
  return section;
}

Model l_shape(double young_modulus, int elements, int kept_modes) {
  FlexibleBuilder b(young_modulus);
  const int arm = b.beam("arm", {{0, 0, 0}, {0.5, 0, 0}, {0.5, 0.5, 0}}, elements, kept_modes);
  b.hinge("shoulder", JointType::revolute, -1, {0, 0, 0}, arm, {0, 0, 0}, Vector3::UnitY(), {0.7}, {1.5});
  b.model().joints[0].inertia = {0.0055};
  b.model().links[0].lumped_masses.push_back({1, 0.017, Matrix3::Zero()});
  return b.model();
}

Model spatial_2r(double young_modulus, int kept_modes) {
  FlexibleBuilder b(young_modulus);
  const int upper = b.beam("upper", {{0, 0, 0}, {0.4, 0, 0.1}}, 2, kept_modes);
  const int fore = b.beam("fore", {{0.02, 0, 0}, {0.3, 0, 0}, {0.3, 0.2, 0}}, 2, kept_modes);
  b.hinge("shoulder", JointType::revolute, -1, {0.1, 0, 0.2}, upper, {0, 0, 0}, Vector3(0, 1, 0.2).normalized(), {0.4},
          {1.1});
  b.hinge("elbow", JointType::revolute, upper, {0.4, 0, 0.1}, fore, {0.02, 0, 0}, Vector3(0.3, 0, 1).normalized(),
          {-0.9}, {-2.0});
  return b.model();
}

Model mixed_tree(double young_modulus) {
  FlexibleBuilder b(young_modulus);
  const int base = b.beam("base", {{0, 0, 0}, {0.3, 0, 0}, {0.3, 0.2, 0.1}}, 2, 5);
  const int slider = b.link("slider");
  b.model().links[slider].rigid_inertia = {0.2, {0.01, 0.02, 0}, Vector3(1e-3, 2e-3, 1.5e-3).asDiagonal()};
  const int ball = b.beam("ball", {{0, 0, 0}, {0, 0, -0.25}}, 2, 4);
  const int cross = b.beam("cross", {{0, 0, 0}, {0, 0.2, 0}}, 2, 4);
  const int disc = b.link("disc");
  b.model().links[disc].rigid_inertia = {0.1, {0, 0, 0.01}, Vector3(1e-4, 1e-4, 2e-4).asDiagonal()};
  const int puck = b.link("puck");
  b.model().links[puck].rigid_inertia = {0.05, {0, 0, 0}, Vector3(1e-4, 1e-4, 1e-4).asDiagonal()};
  b.hinge("base", JointType::revolute, -1, {0, 0, 0}, base, {0, 0, 0}, Vector3::UnitY(), {0.3}, {0.8});
  b.hinge("slide", JointType::prismatic, base, {0.3, 0, 0}, slider, {0, 0, 0}, Vector3(1, 0, 1).normalized(), {0.05},
          {0.3});
  b.hinge("ball", JointType::spherical, base, {0.3, 0.2, 0.1}, ball, {0, 0, 0}, Vector3::UnitZ(), {0.2, -0.3, 0.4},
          {0.5, 1, -0.7});
  b.hinge("cross", JointType::universal, cross, {0, 0, 0}, slider, {0.02, 0, 0}, Vector3::UnitX(), {0.3, 0.5}, {1, -1});
  b.hinge("disc", JointType::cylindrical, cross, {0, 0.2, 0}, disc, {0, 0, 0}, Vector3::UnitY(), {0.02, 0.1}, {0.1, 3});
  b.hinge("puck", JointType::planar, ball, {0, 0, -0.25}, puck, {0, 0, 0}, Vector3::UnitZ(), {0.01, 0.02, 0.3},
          {0.1, -0.1, 1});
  return b.model();
}

Model flexible_four_bar(double young_modulus, bool overconstrained, int cut) {
  FlexibleBuilder b(young_modulus);
  const int crank = b.beam("crank", {{0, 0, 0}, {0.15, 0, 0}}, 2, 4);
  const int coupler = b.beam("coupler", {{0, 0, 0}, {0.45, 0, 0}}, 2, 6);
  const int rocker = b.beam("rocker", {{0, 0, 0}, {0.35, 0, 0}}, 2, 5);
  const Vector3 z = Vector3::UnitZ();
  b.hinge("crank_pin", JointType::revolute, -1, {0, 0, 0}, crank, {0, 0, 0}, z, {1.0}, {4.0});
  b.hinge("coupler_pin", overconstrained ? JointType::revolute : JointType::universal, crank, {0.15, 0, 0}, coupler,
          {0, 0, 0}, z);
  b.hinge("rocker_pin", overconstrained ? JointType::revolute : JointType::spherical, coupler, {0.45, 0, 0}, rocker,
          {0.35, 0, 0}, z);
  b.hinge("ground_pin", JointType::revolute, -1, {0.5, 0, 0}, rocker, {0, 0, 0}, z);
  b.model().joints[0].inertia = {1e-3};
  b.model().joints[0].independent = true;
  b.model().joints[1].initial_value[0] = -0.7;
  b.model().joints[3].initial_value[0] = 1.3;
  b.model().gravity = {0, -9.81, overconstrained ? 0.0 : -2.0};
  if (cut >= 0) b.model().joints[cut].prefer_cut = true;
  return b.model();
}

Model active_four_bar(double young_modulus, bool overconstrained, int cut, bool loses_energy) {
  Model model = flexible_four_bar(young_modulus, true, cut);
  if (!overconstrained) {  // a ball, and a cardan joint that keeps the coupler from spinning
    model.joints[1].set_type(JointType::spherical);
    model.joints[2].set_type(JointType::universal);
    model.joints[1].initial_value = {0, 0, -0.7};
    model.gravity.z() = -2;
  }
  double size = 1;  // different at every freedom, so that none can be mistaken for another
  for (Joint& joint : model.joints) {
    joint.friction_speed = 0.5;
    for (std::size_t f = 0; f < joint.damping.size(); ++f, size += 0.3) {
      joint.stiffness[f] = 0.4 * size;
      joint.inertia[f] = 1e-3 * size;
      if (!loses_energy) continue;
      joint.damping[f] = 2e-3 * size;
      joint.friction[f] = 5e-3 * size;
    }
  }
  return model;
}

Model free_frame(double young_modulus, int elements, int kept_modes) {
  FlexibleBuilder b(young_modulus);
  const int body = b.beam("frame", {{0, 0, 0}, {0.5, 0, 0}, {0.5, 0.3, 0}, {0.5, 0.3, 0.15}}, elements, kept_modes);
  b.hinge("free", JointType::free, -1, {0, 0, 0}, body, {0, 0, 0}, Vector3::UnitZ(), {0, 0, 0, 0.1, 0.2, -0.1},
          {0.1, -0.2, 0.3, 2.0, 3.0, 1.0});
  b.model().gravity.setZero();
  return b.model();
}

}  // namespace lithe::testing
