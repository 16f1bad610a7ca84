// A sheet of shells that spins about its only named node: the joint keeps that node at rest, so that nothing but the
// material tells what a step misses.
#include <gtest/gtest.h>

#include "support/formulations.h"
#include "support/shell_sheet.h"

namespace lithe::testing {
namespace {

constexpr double end = 0.004, tolerance = 1e-6;

Model spinning_blade(const Vector3& axis) {
  test::ShellSheet sheet{.shape = ElementShape::quad4, .nx = 20, .ny = 3, .thickness = 0.002};
  sheet.map = [](double u, double v) { return Vector3(0.4 * u, 0.04 * (v - 0.5), 0); };
  Link link = test::link_of_sheet(sheet);
  link.nodes = {{"hub", Vector3::Zero()}};
  Spider spider;
  for (int node = 0; node < link.mesh->mesh.num_nodes(); ++node)
    if (link.mesh->mesh.positions[static_cast<std::size_t>(node)].x() < 1e-9) spider.nodes.push_back(node);
  link.spiders = {spider};
  link.reduction.method = ReductionMethod::craig_bampton;
  link.reduction.num_internal_modes = 20;
  Model model;
  model.name = "blade";
  model.links = {std::move(link)};
  model.gravity.setZero();
  Joint joint;
  joint.name = "axle";
  joint.child = 0;
  joint.child_node = 0;
  joint.set_type(JointType::revolute);
  joint.parent_frame.rotation = joint.child_frame.rotation = z_along(axis.normalized());
  joint.initial_speed = {60};
  model.joints = {joint};
  return model;
}

struct Spun {
  double energy_change = 0;  // of what it was
  std::vector<Vector3> places;
};

Spun spin(const Model& model, const char* formulation, const char* integrator) {
  FormulationChoice choice;
  choice.formulation = formulation;
  choice.geometric_stiffening = Stiffening::on;
  Formulated at(model, choice);
  const double before = at.energies().total();
  const Trajectory motion = run(model, choice, end, {.integrator = integrator, .tolerance = tolerance});
  EXPECT_TRUE(motion.report.ok()) << motion.report.text();
  at.state = motion.last.state;
  at.evaluate();
  Spun result{at.energies().total() / before - 1, {}};
  for (int node = 0; node < at.equations->num_nodes(0); ++node) result.places.push_back(at.node(0, node).position);
  return result;
}

TEST(SpinningBlades, KeepTheirEnergyAboutEveryAxisThroughTheirOnlyNode) {
  for (const Vector3& axis : {Vector3(0, 1, 0), Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(0.3, 1, -0.5)})
    for (const char* formulation : {"erls-cms", "floating-frame"})
      for (const char* integrator : {"exponential", "radau", "dormand_prince"}) {
        const Spun spun = spin(spinning_blade(axis), formulation, integrator);
        EXPECT_LT(std::abs(spun.energy_change), 1e-5) << axis.transpose() << ", " << formulation << ' ' << integrator;
      }
}

// At every node of the mesh. The tolerance is one of root mean squares here: single nodes move some times as much.
TEST(SpinningBlades, MoveAlikeInBothFormulations) {
  for (const Vector3& axis : {Vector3(0, 1, 0), Vector3(0.3, 1, -0.5)}) {
    const Model model = spinning_blade(axis);
    const Spun reference = spin(model, "floating-frame", "dormand_prince");
    ASSERT_GT(reference.places.size(), 80u);
    for (const char* integrator : {"exponential", "radau", "dormand_prince"}) {
      const Spun spun = spin(model, "erls-cms", integrator);
      ASSERT_EQ(spun.places.size(), reference.places.size());
      double furthest = 0;
      for (std::size_t node = 0; node < spun.places.size(); ++node)
        furthest = std::max(furthest, (spun.places[node] - reference.places[node]).norm());
      EXPECT_LT(furthest, 10 * tolerance * end) << axis.transpose() << ", " << integrator;
    }
  }
}

}  // namespace
}  // namespace lithe::testing
