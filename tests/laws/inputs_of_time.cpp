// Inputs that depend on time alone: no difference of a step's stages shows how badly they were sampled.
#include "lithe/analyse/modes/modes.h"
#include "support/formulations.h"

namespace lithe::testing {
namespace {

const FormulationChoice floating{.formulation = "floating-frame"};

Model rigid_pendulum(const Signal& torque) {
  FlexibleBuilder b;
  const int arm = b.beam("arm", {{0, 0, 0}, {0.4, 0, 0}}, 1, 0);
  b.hinge("hub", JointType::revolute, -1, {0, 0, 0}, arm, {0, 0, 0}, Vector3::UnitZ());
  b.model().drives[b.drive(0)].signal = torque;
  return with_tips(b.model());
}

Model shaken_cantilever() {
  FlexibleBuilder b;
  const int beam = b.beam("beam", {{0, 0, 0}, {0.5, 0, 0}}, 1);
  b.hinge("clamp", JointType::fixed, -1, {0, 0, 0}, beam, {0, 0, 0}, Vector3::UnitZ());
  b.model().gravity.setZero();
  Load load;
  load.link = beam;
  load.node = 1;
  load.direction = Vector3::UnitZ();
  load.signal = SignalSine{.amplitude = 2, .frequency = 30};
  b.model().loads.push_back(load);
  return with_tips(b.model());
}

// A slide with a mast on it; pushed, or moved along a given path.
Model cart_with_mast(const Signal& signal, bool prescribed) {
  FlexibleBuilder b;
  const int cart = b.link("cart");
  b.model().links[cart].rigid_inertia = {0.5, Vector3::Zero(), 1e-3 * Matrix3::Identity()};
  const int mast = b.beam("mast", {{0, 0, 0}, {0, 0, 0.5}}, 1);
  b.hinge("rail", JointType::prismatic, -1, {0, 0, 0}, cart, {0, 0, 0}, Vector3::UnitX());
  b.hinge("foot", JointType::fixed, cart, {0, 0, 0}, mast, {0, 0, 0}, Vector3::UnitZ());
  b.model().drives[b.drive(0, 0, prescribed)].signal = signal;
  return with_tips(b.model());
}

void expect_tolerance_holds(const Model& model, double end, const std::string& what) {
  const Trajectory reference = run(model, {}, end, {.tolerance = 1e-9});
  for (const double tolerance : {1e-5, 1e-7}) {
    const Trajectory motion = run(model, {}, end, {.integrator = "exponential", .tolerance = tolerance});
    EXPECT_LT(largest_difference(motion, reference), tolerance * end) << what << ", tolerance " << tolerance;
  }
}

TEST(InputsOfTime, AreIntegratedToTheTolerance) {
  expect_tolerance_holds(rigid_pendulum(SignalSine{.amplitude = 0.3, .frequency = 2}), 1.25, "torque, sine");
  expect_tolerance_holds(rigid_pendulum(smooth_table({0, 0.1, 0.25, 0.4, 0.7, 1}, {0, 0.2, -0.1, 0.3, -0.2, 0})), 1,
                         "torque, smooth table");
  expect_tolerance_holds(shaken_cantilever(), 0.15, "force on a node");
  expect_tolerance_holds(cart_with_mast(SignalSine{.amplitude = 5, .frequency = 10}, false), 0.3, "pushed cart");
  expect_tolerance_holds(cart_with_mast(SignalSine{.amplitude = 0.01, .frequency = 10}, true), 0.3, "carried cart");
  expect_tolerance_holds(cart_with_mast(SignalSmoothMove{0, 0.2, 0, 0.3}, true), 0.3, "moved cart");
}

// Inputs that a parabola follows cost nothing.
TEST(InputsOfTime, ThatAreConstantOrRampsTakeNoFurtherEvaluations) {
  for (const Signal& signal : {Signal(SignalConstant{0.3}), Signal(SignalRamp{0, 1, 0, 0.3})}) {
    const IntegratorCounters used = run(rigid_pendulum(signal), {}, 1, {.integrator = "exponential"}).counters;
    EXPECT_LE(used.evaluations, 4 * (used.steps + used.rejected) + 2);
  }
}

// A crank that is carried round twice. No coordinate is left whose error could tell how far a step may go.
TEST(InputsOfTime, CarryALoopOnItsOwnBranch) {
  Model model = four_bar(0.4, 0.1, 0.35, 0.25, 0.3);
  for (Link& link : model.links) link.rigid_inertia = {0.2, {0.05, 0, 0}, 1e-3 * Matrix3::Identity()};
  Drive drive;
  drive.joint = 0;
  drive.prescribes_motion = true;
  drive.signal = SignalSmoothMove{0, 1, 0.3, 12.9};
  model.drives.push_back(drive);
  for (Link& link : model.links) link.nodes.push_back({"far", {0.2, 0, 0}});
  model = with_tips(model);
  const Trajectory closely = run(model, {}, 1, {.step = 1e-3});
  for (const char* integrator : {"exponential", "dormand_prince"}) {
    const Trajectory motion = run(model, {}, 1, {.integrator = integrator});
    EXPECT_LT(largest_difference(motion, closely), 1e-9) << integrator;
    EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-3 * motion.energy.largest_kinetic) << integrator;
  }
}

// The modes of a reference do not follow springs of joints on a moving parent.
TEST(FloatingFrameIntegrator, OfSprungJointsMeetsTheTolerance) {
  Model model = cart_with_mast(SignalConstant{0}, false);
  model.drives.clear();
  model.joints[1].type = JointType::cylindrical;
  for (std::vector<double>* values : {&model.joints[1].initial_value, &model.joints[1].initial_speed})
    values->assign(2, 0.0);
  model.joints[1].initial_value_given.assign(2, true);
  model.joints[1].limits.resize(2);
  model.joints[1].stiffness = {400, 2};
  model.joints[0].stiffness = {50};
  model.joints[0].initial_speed = {0.5};
  const Trajectory reference = run(model, {}, 0.1, {.tolerance = 1e-9});
  EXPECT_LT(largest_difference(run(model, floating, 0.1, {.integrator = "automatic", .tolerance = 1e-6}), reference),
            1e-6);
}

}  // namespace
}  // namespace lithe::testing
