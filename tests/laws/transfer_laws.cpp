// Laws of the formulation transfer-functions: exact derivatives, power balance, agreement with the others.
#include <Eigen/Cholesky>
#include <random>

#include "lithe/base/decompositions.h"
#include "lithe/formulate/transfer/transfer_functions.h"
#include "support/at_rest.h"
#include "support/braced_frame.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

const FormulationChoice transfer{.formulation = "transfer-functions"};

struct Case {
  std::string name;
  Model model;
};

Model spinning_arm() {
  FlexibleBuilder b(7e9);
  const int arm = b.beam("arm", {{0, 0, 0}, {0.4, 0, 0}}, 2);
  b.hinge("axle", JointType::revolute, -1, {0, 0, 0}, arm, {0, 0, 0}, Vector3::UnitZ());
  b.model().drives.push_back({"spin", {}, 0, 0, true, SignalTable{{-1, 100}, {-20, 2000}}});
  return b.model();
}

std::vector<Case> cases() {
  return {{"l_shape", l_shape()},
          {"spatial_2r", spatial_2r()},
          {"spatial_2r lumped", with_lumped_mass(spatial_2r())},
          {"mixed_tree", mixed_tree()},
          {"four_bar", flexible_four_bar(7e10, false)},
          {"four_bar overconstrained", flexible_four_bar()},
          {"four_bar with springs", active_four_bar(7e10, false, 2, false)},
          {"free_frame", free_frame()},
          {"spinning_arm", spinning_arm()},
          {"triangle", braced_frame()}};
}

// A state with deformations and speeds, loads that stand in the world.
void disturb(Formulated& system, double size) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int joints = system.equations->num_joint_coordinates();
  for (int i = 0; i < system.equations->num_coordinates(); ++i) {
    const bool joint = i < joints;
    system.state.coordinates(i) += (joint ? 0.02 : size) * uniform(random);
    system.state.speeds(i) += (joint ? 0.5 : 40 * size) * uniform(random);
  }
}

Inputs with_load(Inputs inputs, const Model& model) {
  NodalLoad load;
  load.link = 0;
  load.node = static_cast<int>(model.links[0].nodes.size()) - 1;
  load.force = {1, -2, 3};
  load.torque = {0.1, 0.2, -0.1};
  inputs.nodal_loads.push_back(load);
  load.follows_link = true;
  inputs.nodal_loads.push_back(load);
  return inputs;
}

VectorX accelerations_at(Formulated& system, const State& state) {
  Accelerations result;
  EXPECT_EQ(system.equations->evaluate(state, system.inputs, *system.workspace, result), EvaluationStatus::ok);
  return result.values;
}

// Fourth-order differences of M ẍ(x, ẋ): K = -M ∂ẍ/∂x, C = -M ∂ẍ/∂ẋ. In the rates ẍ is quadratic: any step will do.
TEST(TransferLaws, LinearisationIsTheDerivativeOfTheEquations) {
  for (const auto& [name, model] : cases()) {
    Formulated system(model, transfer);
    disturb(system, 1e-3);
    system.inputs = with_load(system.inputs, model);
    LinearBlocks blocks;
    ASSERT_EQ(system.equations->linearise(system.state, system.inputs, *system.workspace, blocks), EvaluationStatus::ok)
        << name;
    const int n = system.equations->num_coordinates();
    MatrixX stiffness(n, n), damping(n, n);
    for (int k = 0; k < n; ++k)
      for (const bool rate : {false, true}) {
        const double h = rate ? 1.0 : (k < system.equations->num_joint_coordinates() ? 1e-4 : 1e-5);
        const auto at = [&](double step) {
          State state = system.state;
          (rate ? state.speeds : state.coordinates)(k) += step;
          return accelerations_at(system, state);
        };
        const VectorX jacobian = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        (rate ? damping : stiffness).col(k) = -blocks.mass * jacobian;
      }
    EXPECT_LT((stiffness - blocks.stiffness).norm(), 1e-7 * blocks.stiffness.norm()) << name;
    EXPECT_LT((damping - blocks.damping).norm(), 1e-7 * blocks.damping.norm()) << name;
  }
}

// What drives do is all that changes the energy; here only a prescribed spin does.
TEST(TransferLaws, EnergyIsConserved) {
  for (const auto& [name, model] : cases()) {
    Formulated system(model, transfer);
    if (!model.drives.empty()) continue;
    disturb(system, 1e-3);
    system.evaluate();
    LinearBlocks blocks;
    ASSERT_EQ(system.equations->linearise(system.state, system.inputs, *system.workspace, blocks),
              EvaluationStatus::ok);
    const double h = 1e-8;
    const auto at = [&](double step) {
      State state = system.state;
      state.coordinates += step * state.speeds + 0.5 * step * step * system.accelerations.values;
      state.speeds += step * system.accelerations.values;
      return system.equations->energies(state, system.inputs, *system.workspace).total();
    };
    const double power = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    // Against what flows between the coordinates.
    const double scale = system.state.speeds.cwiseAbs().dot((blocks.mass * system.accelerations.values).cwiseAbs());
    EXPECT_LT(std::abs(power), 1e-7 * scale) << name;
  }
}

TEST(TransferLaws, MassIsSymmetricAndPositive) {
  for (const auto& [name, model] : cases()) {
    Formulated system(model, transfer);
    disturb(system, 1e-3);
    LinearBlocks blocks;
    ASSERT_EQ(system.equations->linearise(system.state, system.inputs, *system.workspace, blocks),
              EvaluationStatus::ok);
    EXPECT_LT((blocks.mass - blocks.mass.transpose()).norm(), 1e-14 * blocks.mass.norm()) << name;
    EXPECT_EQ(Eigen::LLT<MatrixX>(blocks.mass).info(), Eigen::Success) << name;
  }
}

VectorX frequencies(const Model& model, const FormulationChoice& choice) {
  const LinearBlocks blocks = blocks_at_rest(model, choice);
  return symmetric_values(blocks.stiffness, blocks.mass).values.cwiseAbs().cwiseSqrt();
}

// Without gravity and at rest nothing stiffens: nodal beams of both formulations are then the same.
TEST(TransferLaws, FrequenciesAtRestAreThoseOfErls) {
  for (Model model : {l_shape(7e10, 2), spatial_2r(7e10, -1), flexible_four_bar(7e10, false)}) {
    model.gravity.setZero();
    for (const bool lumped : {true, false}) {
      const Model one = lumped ? with_lumped_mass(model) : model;
      const VectorX ours = frequencies(one, transfer), theirs = frequencies(one, {.formulation = "erls-fem"});
      ASSERT_EQ(ours.size(), theirs.size());
      // Consistent: rotary inertia of the sections is interpolated linearly here, and by the bent axis there.
      for (Eigen::Index k = 0; k < std::min<Eigen::Index>(ours.size(), 8); ++k) {
        if (theirs(k) < 1) continue;  // rigid motions
        EXPECT_NEAR(ours(k) / theirs(k), 1, lumped ? 1e-7 : 1e-3) << k;
      }
    }
  }
}

// A planar model has three deformations per element, and the motion in its plane of the same model in space.
TEST(TransferLaws, PlanarModelsAreTheInPlanePartOfSpatialOnes) {
  FlexibleBuilder b;
  const int upper = b.beam("upper", {{0, 0, 0}, {0.4, 0, 0}}, 2), fore = b.beam("fore", {{0, 0, 0}, {0.3, 0, 0}}, 2);
  b.hinge("shoulder", JointType::revolute, -1, {0, 0, 0}, upper, {0, 0, 0}, Vector3::UnitZ(), {0.4}, {2.0});
  b.hinge("elbow", JointType::revolute, upper, {0.4, 0, 0}, fore, {0, 0, 0}, Vector3::UnitZ(), {-0.7}, {1.0});
  b.model().gravity = {0, -9.81, 0};
  Formulated spatial(b.model(), transfer);
  b.model().space = Space::planar;
  Formulated planar(b.model(), transfer);
  ASSERT_EQ(planar.equations->num_coordinates(), 2 + 3 * 4);
  planar.evaluate();
  spatial.evaluate();
  for (const int link : {upper, fore}) {
    const NodeMotion a = planar.node(link, 1), c = spatial.node(link, 1);
    EXPECT_LT((a.acceleration - c.acceleration).norm(), 1e-9 * c.acceleration.norm());
    EXPECT_LT((a.angular_acceleration - c.angular_acceleration).norm(), 1e-9 * c.angular_acceleration.norm());
  }
}

// Against ERLS the difference is of second order in the deflection: it falls 256-fold where E grows 16-fold.
TEST(TransferLaws, SmallDeflectionsMoveAsInErls) {
  double difference[2];
  for (const int stiff : {0, 1}) {
    Model model = with_tips(with_lumped_mass(spatial_2r(stiff ? 16 * 2e10 : 2e10, -1)));
    const RunSettings settings{.integrator = "exponential", .tolerance = 1e-6, .samples = 5};
    difference[stiff] = largest_difference(run(model, {.formulation = "erls-fem"}, 0.03, settings),
                                           run(model, transfer, 0.03, settings));
  }
  EXPECT_LT(difference[0], 1e-4);
  EXPECT_GT(difference[0] / difference[1], 30);
}

// The same beams with positions and rotations of all nodes as coordinates.
TEST(TransferLaws, LargeDeflectionsMoveAsInCorotational) {
  const Model model = with_tips(with_lumped_mass(l_shape(1e9, 3)));
  const RunSettings settings{.integrator = "automatic", .step = 5e-4, .samples = 10};
  const Trajectory theirs = run(model, {.formulation = "corotational"}, 0.2, settings);
  const Trajectory ours = run(model, transfer, 0.2, {.integrator = "generalised_alpha", .step = 2e-4, .samples = 10});
  EXPECT_LT(largest_difference(ours, theirs), 2e-3);
}

}  // namespace
}  // namespace lithe
