// Loads that follow the axes of a deformed node mean the same in every formulation: they turn with the node, their
// stiffness is exact, and the work that a run books for them is what they do.
#include <complex>

#include "lithe/analyse/equilibrium.h"
#include "lithe/analyse/linear_modes.h"
#include "lithe/analyse/linearise.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

const std::vector<std::string> all_formulations = {"erls-cms", "erls-fem", "floating-frame", "corotational",
                                                   "transfer-functions"};

Load follower(int link, int node, const Vector3& force, bool torque = false) {
  return {"push", {}, link, node, torque, true, force.normalized(), SignalConstant{force.norm()}};
}

// Two beams in the x-y plane with springs at both hinges; `force` in the axes of the outer tip.
Model two_link_arm(const Vector3& force, double young_modulus) {
  FlexibleBuilder b(young_modulus);
  const int inner = b.beam("inner", {{0, 0, 0}, {0.5, 0, 0}}, 2), outer = b.beam("outer", {{0, 0, 0}, {0.4, 0, 0}}, 2);
  b.hinge("shoulder", JointType::revolute, -1, {0, 0, 0}, inner, {0, 0, 0}, Vector3::UnitZ(), {0.3});
  b.hinge("elbow", JointType::revolute, inner, {0.5, 0, 0}, outer, {0, 0, 0}, Vector3::UnitZ(), {0.5});
  for (Joint& joint : b.model().joints) joint.stiffness = {20}, joint.rest_value = joint.initial_value;
  b.model().gravity.setZero();
  b.model().loads.push_back(follower(outer, 1, force));
  return b.model();
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
  for (const std::string formulation : {"erls-cms", "erls-fem", "transfer-functions"}) {
    Formulated system(model, {.formulation = formulation});
    const int n = system.equations->num_coordinates(), joints = system.equations->num_joint_coordinates();
    for (int i = joints; i < n; ++i) system.state.coordinates(i) += 1e-3 * std::sin(i + 1.0);
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
      const double h = k < joints ? 1e-3 : 1e-4;
      State up = system.state, down = system.state;
      up.coordinates(k) += h;
      down.coordinates(k) -= h;
      differences.col(k) = -(force_of_loads(system, up) - force_of_loads(system, down)) / (2 * h);
    }
    const MatrixX exact = with.stiffness - without.stiffness;
    EXPECT_LT((differences - exact).norm(), 1e-4 * exact.norm()) << formulation;
  }
}

std::vector<std::complex<double>> eigenvalues_of(const Model& model, const std::string& formulation) {
  Formulated system(model, {.formulation = formulation});
  const LinearResult linear = linearise_coordinates(*system.equations, system.state, system.inputs, LinearAbout::held);
  EXPECT_EQ(linear.status, EvaluationStatus::ok) << formulation;
  LinearModes modes;
  EXPECT_TRUE(linear_modes(linear.model, modes, false));
  std::vector<std::complex<double>> lowest = modes.eigenvalues;
  std::sort(lowest.begin(), lowest.end(), [](const auto& a, const auto& b) { return std::abs(a) < std::abs(b); });
  lowest.resize(8);
  return lowest;
}

// Unstrained beams have no geometric stiffness, so that formulations with all modes are one and the same about this
// state. A load across the outer link that keeps its direction in the world, or follows the undeformed link, moves the
// lowest frequency by 1 and 0.4 %.
TEST(FollowerLoads, GiveTheSameEigenvaluesInEveryFormulation) {
  const Model model = two_link_arm({0, 0, 0}, 7e10), loaded = two_link_arm({0, 8, 5}, 7e10);
  const auto reference = eigenvalues_of(loaded, "corotational"), unloaded = eigenvalues_of(model, "corotational");
  EXPECT_GT(std::abs(reference[0] - unloaded[0]), 1e-2 * std::abs(unloaded[0]));
  for (const std::string& formulation : all_formulations) {
    const auto found = eigenvalues_of(loaded, formulation);
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(std::abs(found[k]), std::abs(reference[k]), 1e-5 * std::abs(reference[k])) << formulation << " " << k;
  }
}

// The arm whips round under the load: the energy balance closes, and the tips end together.
TEST(FollowerLoads, DoTheWorkThatIsBookedForThem) {
  const Model model = with_tips(two_link_arm({0, 0.3, 0}, 7e10));
  std::vector<Trajectory> motions;
  for (const std::string& formulation : all_formulations) {
    const bool stiff = formulation == "corotational" || formulation == "erls-fem";
    motions.push_back(
        run(model, {.formulation = formulation}, 0.2, {stiff ? "generalised_alpha" : "exponential", 1e-7, 0, 20}));
    const EnergyBalance& energy = motions.back().energy;
    EXPECT_GT(std::abs(energy.input_work), 1e-2) << formulation;
    EXPECT_LT(std::abs(energy.imbalance()), 2e-3 * std::abs(energy.input_work)) << formulation;
    EXPECT_LT(largest_difference(motions.back(), motions.front()), 1e-4) << formulation;
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
  const auto slope = [&](const Values& v) -> Values {
    return {-std::cos(v.z()), -std::sin(v.z()), v.x() * across - v.y() * along};
  };
  Values v = Values::Zero();
  for (int i = 0; i < steps; ++i) {
    const Values k1 = slope(v), k2 = slope(v + 0.5 * h * k1), k3 = slope(v + 0.5 * h * k2), k4 = slope(v + h * k3);
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
      EXPECT_LT((system.node(0, 1).position - exact).norm(), 2e-3) << formulation << " " << load;
    }
  }
}

// M. Beck, Die Knicklast des einseitig eingespannten, tangential gedrückten Stabes, ZAMP 3 (1952): the straight rod
// flutters above P L²/(E I) = 20.05; it never diverges.
TEST(FollowerLoads, MakeBecksColumnFlutter) {
  for (const std::string formulation : {"corotational", "transfer-functions"})
    for (const double load : {2.6, 19.8, 20.3}) {
      const Model model = slender_cantilever({-load, 0, 0}, 8);
      Formulated system(model, {.formulation = formulation});
      const Equilibrium found = equilibrium(*system.equations, system.state);
      ASSERT_TRUE(found.converged) << formulation << " " << load << ": " << found.message;
      EXPECT_EQ(found.stable, load < 20.05) << formulation << " " << load;
    }
}

}  // namespace
}  // namespace lithe
