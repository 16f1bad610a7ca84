// Loads that follow the axes of a deformed node mean the same in every formulation: they turn with the node, their
// stiffness is exact, and their power is that of the force on the node.
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

Load follower(int link, int node, const Vector3& force, bool torque = false) {
  return {"push", {}, link, node, torque, true, force.normalized(), SignalConstant{force.norm()}};
}

// f = M ẍ of the loads alone.
VectorX force_of_loads(Formulated& system, const State& state) {
  Accelerations with, without;
  LinearBlocks blocks;
  Inputs none = system.inputs;
  for (NodalLoad& load : none.nodal_loads) load.force.setZero(), load.torque.setZero();
  system.equations->linearise_elastic(state, system.inputs, *system.workspace, blocks);
  system.equations->evaluate(state, none, *system.workspace, without);
  system.equations->evaluate(state, system.inputs, *system.workspace, with);
  return blocks.mass * (with.values - without.values);
}

// The stiffness of loads, by differences of their forces.
TEST(FollowerLoads, HaveTheirExactStiffness) {
  Model model = spatial_2r(7e10, 6);
  const Vector3 direction(0.3, 1, -0.5);
  model.loads.push_back(follower(1, 2, 3 * direction));
  model.loads.push_back(follower(0, 1, direction, true));
  for (const std::string formulation : {"erls-cms", "transfer-functions"}) {
    Formulated system(model, {.formulation = formulation});
    const int n = system.equations->num_coordinates(), joints = system.equations->num_joint_coordinates();
    for (int i = joints; i < n; ++i) system.state.coordinates(i) += 1e-5 * std::sin(i + 1.0);
    Inputs none = system.inputs;
    for (NodalLoad& load : none.nodal_loads) load.force.setZero(), load.torque.setZero();
    LinearBlocks with, without;
    const Accelerations rest{VectorX::Zero(n)};
    ASSERT_EQ(system.equations->linearise_about(system.state, system.inputs, rest, *system.workspace, with),
              EvaluationStatus::ok);
    ASSERT_EQ(system.equations->linearise_about(system.state, none, rest, *system.workspace, without),
              EvaluationStatus::ok);
    MatrixX differences(n, n);
    for (int k = 0; k < n; ++k) {
      const double h = k < joints ? 1e-3 : 2e-5;
      State up = system.state, down = system.state;
      up.coordinates(k) += h;
      down.coordinates(k) -= h;
      differences.col(k) = -(force_of_loads(system, up) - force_of_loads(system, down)) / (2 * h);
    }
    const MatrixX exact = with.stiffness - without.stiffness;
    EXPECT_LT((differences - exact).norm(), 1e-4 * exact.norm()) << formulation;
  }
}

// Whatever the motion, a load's force on the coordinates does the power of the force and torque on the deformed node.
TEST(FollowerLoads, ActInTheAxesOfTheDeformedNode) {
  Model model = spatial_2r(7e10, 6);
  model.loads.push_back(follower(1, 2, {0.9, 3, -1.5}));
  for (const std::string formulation : {"erls-cms", "transfer-functions"}) {
    Formulated system(model, {.formulation = formulation});
    const int n = system.equations->num_coordinates(), joints = system.equations->num_joint_coordinates();
    for (int i = 0; i < n; ++i) {
      if (i >= joints) system.state.coordinates(i) += 1e-4 * std::sin(i + 1.0);
      system.state.speeds(i) = (i < joints ? 1.0 : 1e-2) * std::cos(2.0 * i);
    }
    const double power = system.state.speeds.dot(force_of_loads(system, system.state));
    const NodeMotion node = system.node(1, 2);
    const Vector3 force = node.orientation * Vector3(0.9, 3, -1.5);
    EXPECT_NEAR(power, force.dot(node.velocity), 1e-6 * force.norm() * node.velocity.norm()) << formulation;
    EXPECT_GT(node.rotation.norm(), 1e-4) << formulation;
  }
}

// E I = 1, L = 1, nearly inextensible.
Model slender_cantilever(const Vector3& force, int elements) {
  FlexibleBuilder b;
  b.model().materials = {{"m", 1, 1e6, 4e5}};
  Section section;
  section.area = 1e-1;
  section.second_moment_y = 2e-6;
  section.second_moment_z = 1e-6;
  section.torsion_constant = 2e-6;
  b.model().sections = {section};
  const int beam = b.beam("beam", {{0, 0, 0}, {1, 0, 0}}, elements);
  b.hinge("clamp", JointType::fixed, -1, {0, 0, 0}, beam, {0, 0, 0}, Vector3::UnitZ());
  b.model().gravity.setZero();
  b.model().loads.push_back(follower(beam, 1, force));
  return b.model();
}

// Tip of an inextensible cantilever, E I = L = 1, under a force that keeps its components in the tip's axes. Seen from
// the tip the force is constant, so that the elastica E I dθ/ds = (r_tip - r) × F is an initial value problem.
Vector3 elastica_tip(double along, double across) {
  constexpr int steps = 4000;
  constexpr double h = 1.0 / steps;
  using Values = Eigen::Vector3d;  // x, y, angle, in the axes of the tip; backwards from it
  const auto jacobian = [&](const Values& v) -> Values {
    return {-std::cos(v.z()), -std::sin(v.z()), v.x() * across - v.y() * along};
  };
  Values v = Values::Zero();
  for (int i = 0; i < steps; ++i) {
    const Values k1 = jacobian(v), k2 = jacobian(v + 0.5 * h * k1), k3 = jacobian(v + 0.5 * h * k2),
                 k4 = jacobian(v + h * k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const double c = std::cos(v.z()), s = std::sin(v.z());
  return {-c * v.x() - s * v.y(), s * v.x() - c * v.y(), 0};
}

TEST(FollowerLoads, BendACantileverToTheElastica) {
  for (const double load : {1.0, 4.0, 10.0}) {
    const Vector3 exact = elastica_tip(0.3 * load, load);
    for (const std::string formulation : {"corotational", "transfer-functions"}) {
      const Model model = slender_cantilever({0.3 * load, load, 0}, 16);
      Formulated system(model, {.formulation = formulation});
      const Equilibrium found = equilibrium(*system.equations, system.state);
      ASSERT_TRUE(found.converged) << formulation << " " << load << ": " << found.message;
      system.state = found.state;
      // 16 elements that bend by up to 0.3 rad each; those of transfer functions are linear in their deformations
      const double tolerance = formulation == "corotational" ? 3e-3 : 2e-2;
      EXPECT_LT((system.node(0, 1).position - exact).norm(), tolerance) << formulation << " " << load;
    }
  }
}

// M. Beck, Die Knicklast des einseitig eingespannten, tangential gedrückten Stabes, ZAMP 3 (1952): the straight rod
// flutters above P L²/(E I) = 20.05; it never diverges. Eight elements are stiffer by one or two per cent.
TEST(FollowerLoads, MakeBecksColumnFlutter) {
  for (const std::string formulation : {"corotational", "transfer-functions"})
    for (const double load : {2.6, 19.0, 21.0}) {
      const Model model = slender_cantilever({-load, 0, 0}, 8);
      Formulated system(model, {.formulation = formulation});
      const Equilibrium found = equilibrium(*system.equations, system.state);
      ASSERT_TRUE(found.converged) << formulation << " " << load << ": " << found.message;
      EXPECT_EQ(found.stable, load < 20.05) << formulation << " " << load;
    }
}

}  // namespace
}  // namespace lithe
