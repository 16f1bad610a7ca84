// The user's choice of coordinates in the formulation transfer-functions: the same physics whatever is independent,
// fixed deformations as limits of stiffness, prescribed nodal coordinates and deformations.
#include <Eigen/Eigenvalues>

#include "lithe/model/coordinate_choice.h"
#include "support/at_rest.h"

namespace lithe {
namespace {

using namespace testing;

const FormulationChoice transfer{.formulation = "transfer-functions"};
const std::vector<int> every_deformation = {0, 1, 2, 3, 4, 5};

ChosenCoordinate nodal(int link, int node, int component, CoordinateRole role = CoordinateRole::independent) {
  ChosenCoordinate chosen;
  chosen.place = {"test.toml", 300, 1};
  chosen.role = role;
  chosen.link = link;
  chosen.node = node;
  chosen.component = component;
  return chosen;
}

ChosenCoordinate deformed(int link, std::vector<int> deformations, CoordinateRole role,
                          std::vector<int> elements = {}) {
  ChosenCoordinate chosen = nodal(link, -1, 0, role);
  chosen.deformations = std::move(deformations);
  chosen.elements = std::move(elements);
  return chosen;
}

ChosenCoordinate moved(ChosenCoordinate chosen, const Signal& motion) {
  chosen.role = CoordinateRole::prescribed;
  chosen.motion = motion;
  return chosen;
}

Model with(Model model, std::vector<ChosenCoordinate> items) {
  model.coordinates = std::make_shared<const CoordinateChoice>(CoordinateChoice{std::move(items)});
  check_model(model);
  return model;
}

// Clamped at the ground.
Model cantilever(int elements = 3) {
  FlexibleBuilder b;
  const int beam = b.beam("beam", {{0, 0, 0}, {0.4, 0.1, 0.2}}, elements);
  b.joint("clamp", JointType::fixed, -1, {}, beam);
  return b.model();
}

// One hinge about -y, so that the tip rises with the angle.
Model pendulum(double angle = 0, double speed = 0) {
  FlexibleBuilder b;
  const int arm = b.beam("arm", {{0, 0, 0}, {0.5, 0, 0}}, 2);
  b.hinge("hinge", JointType::revolute, -1, {0, 0, 0}, arm, {0, 0, 0}, -Vector3::UnitY(), {angle}, {speed});
  return b.model();
}

struct Case {
  std::string name;
  Model model;
  std::vector<ChosenCoordinate> items;
  int joint_coordinates;
};

std::vector<Case> cases() {
  const CoordinateRole dependent = CoordinateRole::dependent, independent = CoordinateRole::independent;
  Model planar = flexible_four_bar();
  planar.space = Space::planar;
  planar.joints[0].independent.reset();
  return {{"tip of a cantilever", cantilever(), {nodal(0, 1, 0), nodal(0, 1, 1), nodal(0, 1, 2)}, 0},
          {"which bending depends",
           cantilever(),
           {nodal(0, 1, 2), deformed(0, {2}, dependent, {1}), deformed(0, {0}, independent, {0})},
           0},
          {"height for the angle", pendulum(0.3, 1), {nodal(0, 1, 2)}, 1},
          {"place of a hand", spatial_2r(7e10, -1), {nodal(1, 2, 1), nodal(1, 2, 2)}, 2},
          {"rocker of a planar loop", planar, {nodal(2, 1, 0)}, 1},
          {"angle of a node", planar, {nodal(2, 1, node_rotation)}, 1},
          {"beside the crank of an overconstrained loop", flexible_four_bar(), {nodal(1, 1, 1)}, 1}};
}

VectorX squared_frequencies(const Model& model) {
  const LinearBlocks blocks = blocks_at_rest(model, transfer);
  return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX>(0.5 * (blocks.stiffness + blocks.stiffness.transpose()),
                                                           blocks.mass, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

// Without gravity, since the stiffness about a configuration that only drives hold depends on what they hold.
TEST(TransferCoordinates, ChangeNoFrequency) {
  for (auto& [name, model, items, joints] : cases()) {
    model.gravity.setZero();
    const VectorX automatic = squared_frequencies(model), chosen = squared_frequencies(with(model, items));
    ASSERT_EQ(automatic.size(), chosen.size()) << name;
    const double rounding = 1e-12 * automatic.maxCoeff();
    for (Eigen::Index k = 0; k < automatic.size(); ++k)
      EXPECT_NEAR(chosen(k), automatic(k), 1e-9 * automatic(k) + rounding) << name << " " << k;
  }
}

TEST(TransferCoordinates, AreThoseAskedFor) {
  for (const auto& [name, model, items, joints] : cases()) {
    const Formulated system(with(model, items), transfer);
    EXPECT_EQ(system.equations->num_joint_coordinates(), joints) << name;
    const std::vector<std::string> names = system.equations->coordinate_names();
    for (const ChosenCoordinate& item : items) {
      if (item.node < 0) continue;
      EXPECT_EQ(std::count(names.begin(), names.end(), describe(model, item)), 1) << name;
    }
  }
}

// Fourth-order differences of M ẍ, in motion and deformed.
TEST(TransferCoordinates, LinearisationIsTheDerivativeOfTheEquations) {
  for (const auto& [name, model, items, joints] : cases()) {
    Formulated system(with(model, items), transfer);
    const int n = system.equations->num_coordinates();
    for (int i = 0; i < n; ++i) {
      const double wave = std::sin(1.0 + 2 * i);
      system.state.coordinates(i) += (i < joints ? 0.01 : 2e-4) * wave;
      system.state.speeds(i) += (i < joints ? 0.5 : 0.02) * wave;
    }
    LinearBlocks blocks;
    ASSERT_EQ(system.equations->linearise(system.state, system.inputs, *system.workspace, blocks), EvaluationStatus::ok)
        << name;
    MatrixX jacobians[2] = {MatrixX(n, n), MatrixX(n, n)};
    for (int k = 0; k < n; ++k)
      for (const int rate : {0, 1}) {
        const double h = rate ? 1.0 : (k < joints ? 1e-4 : 1e-5);
        const auto at = [&](double step) {
          State state = system.state;
          (rate ? state.speeds : state.coordinates)(k) += step;
          Accelerations result;
          EXPECT_EQ(system.equations->evaluate(state, system.inputs, *system.workspace, result), EvaluationStatus::ok);
          return result.values;
        };
        jacobians[rate].col(k) = -blocks.mass * (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      }
    EXPECT_LT((jacobians[0] - blocks.stiffness).norm(), 1e-6 * blocks.stiffness.norm()) << name;
    EXPECT_LT((jacobians[1] - blocks.damping).norm(), 1e-7 * blocks.damping.norm()) << name;
  }
}

TEST(TransferCoordinates, ChangeNoMotion) {
  const Model model = with_tips(pendulum(0.3, 1));
  const RunSettings settings{.integrator = "exponential", .tolerance = 1e-7, .samples = 4};
  const ChosenCoordinate unstretched = deformed(0, {0, 1}, CoordinateRole::fixed);
  const Trajectory automatic = run(with(model, {unstretched}), transfer, 0.04, settings);
  const Trajectory height = run(with(model, {unstretched, nodal(0, 1, 2)}), transfer, 0.04, settings);
  EXPECT_LT(largest_difference(automatic, height), 1e-7);
}

// A shaft without torsion is one whose shear modulus is beyond all bounds: Euler's beams know it in torsion alone. What
// is missing is proportional to its inverse, so that two moduli tell the limit.
TEST(TransferCoordinates, FixedTorsionIsTheLimitOfItsStiffness) {
  Model model = l_shape(7e10, 2);
  model.gravity.setZero();
  for (BeamSegment& segment : model.links[0].segments) segment.theory = BeamTheory::euler_bernoulli;
  const VectorX fixed = squared_frequencies(with(model, {deformed(0, {1}, CoordinateRole::fixed)}));
  const VectorX soft = squared_frequencies(model);
  model.materials[0].shear_modulus *= 1000;
  const VectorX stiff = squared_frequencies(model);
  model.materials[0].shear_modulus *= 10;
  const VectorX stiffer = squared_frequencies(model);
  ASSERT_EQ(fixed.size() + 4, stiff.size());
  EXPECT_GT(fixed(4) / soft(4), 1.1);
  for (Eigen::Index k = 1; k < 6; ++k) EXPECT_NEAR((10 * stiffer(k) - stiff(k)) / (9 * fixed(k)), 1, 1e-5) << k;
}

// A rod whose deformations are all fixed is a rigid body: about its end ρA l³/3 + ρ I l, with gravity m g l/2.
TEST(TransferCoordinates, FixedDeformationsMakeALinkRigid) {
  const Model model = with(pendulum(), {deformed(0, every_deformation, CoordinateRole::fixed)});
  Formulated system(model, transfer);
  ASSERT_EQ(system.equations->num_coordinates(), 1);
  system.evaluate();
  const Section& section = model.sections[0];
  const double length = 0.5, density = model.materials[0].density;
  const double mass = density * section.area * length;
  const double inertia = mass * length * length / 3 + density * section.second_moment_y * length;
  EXPECT_NEAR(system.accelerations.values(0), -mass * 9.81 * length / 2 / inertia, 1e-9);
}

// y = ½ sin θ: the hinge of the rigid arm follows, with its rates, and half the weight is on the drive at rest.
TEST(TransferCoordinates, PrescribedHeightMovesTheHinge) {
  const std::vector<ChosenCoordinate> items = {
      deformed(0, every_deformation, CoordinateRole::fixed),
      moved(nodal(0, 1, 2), SignalSine{.amplitude = 0.1, .frequency = 0.5, .offset = 0.2})};
  Formulated system(with(pendulum(), items), transfer);
  ASSERT_EQ(system.equations->num_coordinates(), 0);
  for (const double time : {0.0, 0.3, 0.9}) {
    evaluate_inputs(system.equations->model(), time, system.inputs);
    system.state.time = time;
    const SignalValue height = evaluate(items[1].motion, time), angle = system.joint(0);
    const double sine = 2 * height.value, cosine = std::sqrt(1 - sine * sine), rate = 2 * height.rate / cosine;
    EXPECT_NEAR(angle.value, std::asin(sine), 1e-12);
    EXPECT_NEAR(angle.rate, rate, 1e-12);
    EXPECT_NEAR(angle.acceleration, (2 * height.acceleration + sine * rate * rate) / cosine, 1e-11);
  }
}

TEST(TransferCoordinates, PrescribedMotionsTakeTheForceOfTheirSupport) {
  Model model = pendulum();
  model.coordinates =
      with(model, {deformed(0, every_deformation, CoordinateRole::fixed), moved(nodal(0, 1, 2), SignalConstant{0})})
          .coordinates;
  Formulated system(model, transfer);
  const double weight = 9.81 * model.materials[0].density * model.sections[0].area * 0.5;
  EXPECT_NEAR(
      system.equations->prescribed_force(system.state, system.inputs, system.accelerations, 1, 1, *system.workspace),
      weight / 2, 1e-9);
}

// Lifted by the tip from rest to rest: half the height, and little that vibrates.
TEST(TransferCoordinates, TheWorkOfAPrescribedNodeClosesTheBalance) {
  const Model model = with(pendulum(), {deformed(0, {0, 1, 4, 5}, CoordinateRole::fixed),
                                        moved(nodal(0, 1, 2), SignalSmoothMove{0, 0.1, 0, 0.1})});
  const Trajectory motion = run(model, transfer, 0.1, {.integrator = "exponential", .tolerance = 1e-5, .samples = 2});
  const double weight = 9.81 * model.materials[0].density * model.sections[0].area * 0.5;
  EXPECT_NEAR(motion.energy.input_work, weight * 0.05, 1e-2 * weight * 0.05);
  EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-4 * weight * 0.05);
}

// Hanging, the root carries the whole weight though its elongation is fixed and has no strain.
TEST(TransferCoordinates, FixedDeformationsCarryStress) {
  const Model model = with(pendulum(-std::numbers::pi / 2), {deformed(0, {0}, CoordinateRole::fixed)});
  Formulated system(model, transfer);
  system.evaluate();
  Vector3 force, moment;
  ASSERT_TRUE(system.equations->section_load(system.state, system.inputs, system.accelerations, 0, 0, force, moment,
                                             *system.workspace));
  EXPECT_NEAR(force.x(), 9.81 * model.materials[0].density * model.sections[0].area * 0.5, 1e-9);
  ASSERT_TRUE(system.equations->section_load(system.state, system.inputs, system.accelerations, 0, 1, force, moment,
                                             *system.workspace));
  EXPECT_NEAR(force.x(), 0, 1e-9);
}

// An actuator: the elongation of an otherwise rigid bar moves its tip as a slider would.
TEST(TransferCoordinates, PrescribedElongationIsAnActuator) {
  const SignalSine motion{.amplitude = 0.02, .frequency = 3};
  const Model model = with(cantilever(1), {deformed(0, {1, 2, 3, 4, 5}, CoordinateRole::fixed),
                                           moved(deformed(0, {0}, CoordinateRole::independent), motion)});
  Formulated system(model, transfer);
  evaluate_inputs(model, 0.1, system.inputs);
  const SignalValue length = evaluate(Signal(motion), 0.1);
  const Vector3 axis = Vector3(0.4, 0.1, 0.2).normalized();
  const NodeMotion tip = system.node(0, 1);
  EXPECT_LT((tip.displacement - length.value * axis).norm(), 1e-14);
  EXPECT_LT((tip.acceleration - length.acceleration * axis).norm(), 1e-12);
}

// A beam held at its tip too is clamped and propped: (3.9266)² √(EI/m l⁴), to the accuracy of six elements.
TEST(TransferCoordinates, FixedNodesAreSupports) {
  FlexibleBuilder b(7e10, 2700, 0.002, 0.002);
  const int beam = b.beam("beam", {{0, 0, 0}, {0.4, 0, 0}}, 6);
  b.joint("clamp", JointType::fixed, -1, {}, beam);
  b.model().gravity.setZero();
  b.model().space = Space::planar;
  const Model model = with(b.model(), {nodal(beam, 1, 1, CoordinateRole::fixed)});
  const double stiffness = 7e10 * model.sections[0].second_moment_z, mass = 2700 * model.sections[0].area;
  const double expected = std::pow(3.92660231 / 0.4, 4) * stiffness / mass;
  EXPECT_NEAR(squared_frequencies(model)(0) / expected, 1, 5e-4);
}

std::string refusal(const Model& model, const FormulationChoice& choice = transfer) {
  try {
    make_equations(model, choice);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(TransferCoordinates, AreRefusedWhereTheyCannotBe) {
  const Model arm = with(pendulum(), {nodal(0, 1, 2)});
  for (const char* other : {"erls-cms", "erls-fem", "floating-frame", "corotational"})
    EXPECT_NE(refusal(arm, {.formulation = other}).find("use transfer-functions"), std::string::npos) << other;
  const ChosenCoordinate rigid = deformed(0, every_deformation, CoordinateRole::fixed);
  EXPECT_NE(refusal(with(pendulum(), {rigid, nodal(0, 1, 1)})).find("y of node 'arm1' of link 'arm' cannot be chosen"),
            std::string::npos);
  EXPECT_NE(refusal(with(pendulum(), {rigid, nodal(0, 1, 2), nodal(0, 1, 0)})).find("follows from the other"),
            std::string::npos);
  EXPECT_NE(refusal(with(pendulum(), {deformed(0, {0}, CoordinateRole::dependent)})).find("cannot be dependent"),
            std::string::npos);
  EXPECT_NE(refusal(with(pendulum(), {rigid, moved(nodal(0, 1, 2), SignalConstant{0.7})})).find("cannot be reached"),
            std::string::npos);
}

}  // namespace
}  // namespace lithe
