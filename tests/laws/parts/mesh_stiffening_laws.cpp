// Geometric stiffening of links of solids and shells: rotating and buckling bars, against the beams that they are.
#include <gtest/gtest.h>

#include <numbers>

#include "lithe/analyse/analyses.h"
#include "lithe/analyse/stability/steady_motion.h"
#include "support/formulations.h"
#include "support/rotating_beams.h"
#include "support/shell_sheet.h"
#include "support/solid_bar.h"

namespace lithe {
namespace {

Model held_at_root(Link link, JointType type) {
  link.reduction.method = ReductionMethod::craig_bampton;
  link.reduction.num_internal_modes = 8;
  Model model;
  model.name = "bar";
  model.links = {std::move(link)};
  Joint joint;
  joint.name = "axle";
  joint.child = 0;
  joint.child_node = 0;
  joint.set_type(type);
  model.joints = {joint};
  model.gravity.setZero();
  return model;
}

Model pushed_at_tip(Link link, const Vector3& direction) {
  Model model = held_at_root(std::move(link), JointType::fixed);
  Load load;
  load.name = "push";
  load.link = 0;
  load.node = 1;
  load.direction = direction;
  load.signal = SignalConstant{1};
  model.loads = {load};
  return model;
}

double smallest_factor(const Model& model, const char* formulation) {
  FormulationChoice choice;
  choice.formulation = formulation;
  choice.geometric_stiffening = Stiffening::on;
  const auto equations = make_equations(model, choice);
  const Buckling buckling = buckling_factors(*equations, equations->initial_state(), 1);
  EXPECT_EQ(buckling.factors.size(), 1u) << buckling.message;
  return buckling.factors.empty() ? 0 : buckling.factors[0];
}

// A sheet along x from 'root' to 'tip', each with a rigid spider on its edge. Without lateral contraction it is a beam.
Link strip(ElementShape shape, const Vector3& size, double offset) {
  test::ShellSheet sheet{.shape = shape, .nx = 24, .ny = 3, .thickness = size.z(), .offset = offset};
  sheet.material = ElementMaterial{Material{"steel", 7850, 2.1e11, 1.05e11}};
  sheet.map = [size](double u, double v) { return Vector3(size.x() * u, size.y() * (v - 0.5), 0); };
  Link link = test::link_of_sheet(sheet);
  link.nodes = {{"root", Vector3(0, 0, offset)}, {"tip", Vector3(size.x(), 0, offset)}};
  for (const double x : {0.0, size.x()}) {
    Spider spider;
    for (int node = 0; node < link.mesh->mesh.num_nodes(); ++node)
      if (std::abs(link.mesh->mesh.positions[static_cast<std::size_t>(node)].x() - x) < 1e-9)
        spider.nodes.push_back(node);
    link.spiders.push_back(spider);
  }
  return link;
}

// Clamped below, free above: P = π² E I / (4 L²), about the weak axis.
TEST(MeshStiffening, ColumnsOfSolidsBuckleAtEulersLoad) {
  const double weak = 2.1e11 * 0.02 * 1e-6 / 12, euler = std::pow(std::numbers::pi / 2 / 0.5, 2) * weak;
  for (const ElementShape shape : {ElementShape::hex8, ElementShape::hex20, ElementShape::tet10, ElementShape::wedge15})
    for (const char* formulation : {"erls-cms", "floating-frame"}) {
      const Model model = pushed_at_tip(test::link_of({.shape = shape, .count = {20, 1, 2}}), {-1, 0, 0});
      EXPECT_NEAR(smallest_factor(model, formulation) / euler, 1, 0.01) << static_cast<int>(shape) << formulation;
    }
}

TEST(MeshStiffening, ColumnsOfShellsBuckleAtEulersLoad) {
  const Vector3 size(0.5, 0.04, 0.004);
  const double weak = 2.1e11 * size.y() * std::pow(size.z(), 3) / 12;
  const double euler = std::pow(std::numbers::pi / 2 / size.x(), 2) * weak;
  for (const ElementShape shape : {ElementShape::tri3, ElementShape::tri6, ElementShape::quad4, ElementShape::quad8})
    for (const double offset : {0.0, 0.01})
      EXPECT_NEAR(smallest_factor(pushed_at_tip(strip(shape, size, offset), {-1, 0, 0}), "erls-cms") / euler, 1, 0.01)
          << static_cast<int>(shape) << " " << offset;
}

// A rigid arm of length a ahead of the column, pushed at its end: k L tan k L = L / a with P = k² E I. The rotation of
// the spider moves its nodes to second order, whether it holds them or follows them.
TEST(MeshStiffening, RigidArmsAheadOfAColumnBringItsLoadDown) {
  constexpr double length = 0.5, arm = 0.25;
  double k = 1;  // times the length
  for (int i = 0; i < 60; ++i)
    k -= (k * std::tan(k) - length / arm) / (std::tan(k) + k * (1 + std::pow(std::tan(k), 2)));
  const double weak = 2.1e11 * 0.02 * 1e-6 / 12, load = std::pow(k / length, 2) * weak;
  for (const SpiderKind kind : {SpiderKind::rigid, SpiderKind::averaging}) {
    Link link = test::link_of({.count = {20, 1, 2}});
    link.spiders[1].kind = kind;
    link.nodes[1].position.x() += arm;
    EXPECT_NEAR(smallest_factor(pushed_at_tip(link, {-1, 0, 0}), "erls-cms") / load, 1, 0.01);
  }
}

// A strip on edge, pushed across at its end, turns aside: P = 4.0126 √(E I G J) / L² (Timoshenko and Gere). 24 x 3
// elements and 8 vibrations are 3 % above.
TEST(MeshStiffening, StripsOnEdgeBuckleSideways) {
  const Vector3 size(0.5, 0.03, 0.001);
  const double third = size.y() * std::pow(size.z(), 3) / 3, torsion = third * (1 - 0.63 * size.z() / size.y());
  const double load = 4.0126 / (size.x() * size.x()) * std::sqrt(2.1e11 * third / 4 * 1.05e11 * torsion);
  for (const ElementShape shape : {ElementShape::quad4, ElementShape::quad8})
    EXPECT_NEAR(smallest_factor(pushed_at_tip(strip(shape, size, 0), {0, -1, 0}), "erls-cms") / load, 1, 0.04)
        << static_cast<int>(shape);
}

// Frequencies of a bar that turns at twice its first one, in which the pull along it is most of its stiffness. Nothing
// asks for the terms: they come in where they matter.
TEST(MeshStiffening, BarsThatTurnVibrateAsRotatingBeams) {
  constexpr double length = 0.5, density = 7850, young = 2.1e11, speed = 400;
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    const Model model = held_at_root(test::link_of({.count = {20, 1, 2}}), JointType::revolute);
    LineariseSpec spec;
    spec.formulation.formulation = formulation;
    spec.spin = "axle";
    spec.speed = speed;
    spec.count = 12;
    const LineariseResult result = linearise(model, spec);
    ASSERT_EQ(result.modes.size(), 1u) << result.failure;
    for (const bool in_plane : {false, true}) {
      const double thickness = in_plane ? 0.01 : 0.02;
      testing::BeamOnHub beam;
      beam.length = length;
      beam.stiffness = young * thickness * thickness / 12 / density;
      beam.root = testing::Root::hinged_in_plane;
      const VectorX squared = testing::ritz_squared_frequencies(beam, speed, in_plane, 12);
      for (Eigen::Index mode = in_plane ? 1 : 0; mode < 2; ++mode) {
        const double expected = std::sqrt(squared(mode)) / (2 * std::numbers::pi);
        double nearest = 1;
        for (std::size_t k = 0; k < result.modes[0].eigenvalues.size(); ++k)
          nearest = std::min(nearest, std::abs(result.modes[0].frequency(k) / expected - 1));
        EXPECT_LT(nearest, 0.01) << formulation << " " << in_plane << " " << expected;
      }
    }
  }
}

}  // namespace
}  // namespace lithe
