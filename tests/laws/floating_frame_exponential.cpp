// The exponential method on constrained coordinates: long steps along a moving arm.
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

// Both joints are driven through 0.3 rad while the links vibrate up to 2 kHz.
Model driven_arm() {
  FlexibleBuilder b(7e10, 2700, 0.03, 0.04);
  const int upper = b.beam("upper", {{0, 0, 0}, {0.5, 0, 0.03}}, 3, 6),
            fore = b.beam("fore", {{0, 0, 0}, {0.4, 0, 0}}, 3, 6);
  b.hinge("waist", JointType::revolute, -1, {0, 0, 0}, upper, {0, 0, 0}, Vector3::UnitZ(), {0.0});
  b.hinge("elbow", JointType::revolute, upper, {0.5, 0, 0.03}, fore, {0, 0, 0}, Vector3::UnitY(), {0.2});
  b.model().drives.push_back({"turn", {}, 0, 0, true, SignalSmoothMove{0, 0.1, 0, 0.3}});
  b.model().drives.push_back({"bend", {}, 1, 0, true, SignalSmoothMove{0, 0.1, 0.2, 0.5}});
  return with_tips(b.model());
}

TEST(FloatingFrameExponential, FollowsADrivenArmInAsFewStepsAsErls) {
  const Model model = driven_arm();
  const FormulationChoice floating{.formulation = "floating-frame"};
  const RunSettings settings{.integrator = "exponential", .tolerance = 1e-5, .samples = 10};
  const Trajectory exact = run(model, floating, 0.1, {.tolerance = 1e-7, .samples = 10});
  const Trajectory found = run(model, floating, 0.1, settings), erls = run(model, {}, 0.1, settings);
  EXPECT_LT(largest_difference(exact, found), 1e-5 * 0.1);  // the tolerance is metres per second
  EXPECT_LT(found.counters.steps, 4 * erls.counters.steps);
  EXPECT_LT(found.counters.steps, exact.counters.steps / 3);
}

// Springs at joints and gravity load the links, so that the stiffness of their modes is not the one of deformation
// alone.
TEST(FloatingFrameExponential, ConvergesOnPrestressedLinks) {
  Model model = mixed_tree();
  model.gravity = {0, 0, -9.81};
  for (Joint& joint : model.joints)
    if (joint.type == JointType::cylindrical) joint.stiffness = {300, 2};
  model = with_tips(model);
  const FormulationChoice floating{.formulation = "floating-frame"};
  const auto tips = [&](const char* integrator, double tolerance) {
    return run(model, floating, 0.05, {.integrator = integrator, .tolerance = tolerance, .samples = 10});
  };
  const Trajectory exact = tips("dormand_prince", 1e-9);
  EXPECT_LT(largest_difference(exact, tips("exponential", 1e-8)), 1e-8 * 0.05);
}

}  // namespace
}  // namespace lithe
