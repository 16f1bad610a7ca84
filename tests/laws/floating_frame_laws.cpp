// The floating-frame formulation of the program: its own laws, and agreement with ERLS, which shares nothing with it
// but the modes of the links.
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/integrate/integrator.h"
#include "support/formulations.h"

namespace lithe {
namespace {

using namespace testing;

const FormulationChoice floating{.formulation = "floating-frame"};

TEST(FloatingFrameLaws, TheLShapeWithAllModesMovesAsInErlsCms) {
  const Model model = with_tips(l_shape(7e10, 2));
  const RunSettings settings{.integrator = "exponential", .tolerance = 1e-8};
  // One link with its frame at the joint: the same model, so that only the integrators differ.
  EXPECT_LT(largest_difference(run(model, {}, 2, settings), run(model, floating, 2, settings)), 1e-6);
}

// Where frames lie differently in the deformed link, or where the links are two, the models differ to second order in
// the deflection: by 256 when E is 16 times larger. A first-order error would fall 16-fold.
TEST(FloatingFrameLaws, TwoLinksDifferFromErlsAtSecondOrder) {
  for (const char* reference : {"tangent", "chord", "free"}) {
    FormulationChoice choice = floating;
    choice.reference = reference;
    double difference[2];
    for (const int stiff : {0, 1}) {
      const Model model = with_tips(spatial_2r(stiff ? 16 * 5e9 : 5e9, 3));
      const RunSettings settings{.tolerance = 1e-10};
      difference[stiff] = largest_difference(run(model, {}, 0.1, settings), run(model, choice, 0.1, settings));
    }
    EXPECT_LT(difference[0], 1e-3) << reference;
    EXPECT_GT(difference[0], 1e-6) << reference;  // the deflection is visible in it
    EXPECT_GT(difference[0] / difference[1], 100) << reference;
  }
}

TEST(FloatingFrameLaws, LoopsAndAllJointTypesMoveAsInErlsCms) {
  const RunSettings settings{.tolerance = 1e-8, .samples = 10};
  // Deflections are below 1e-4 of the length: squared, 1e-8 m.
  const struct {
    Model model;
    double end;
  } cases[] = {{flexible_four_bar(7e10, false), 0.03}, {flexible_four_bar(7e10, true), 0.03}, {mixed_tree(), 0.05}};
  for (const auto& [model, end] : cases) {
    const Model watched = with_tips(model);
    EXPECT_LT(largest_difference(run(watched, {}, end, settings), run(watched, floating, end, settings)), 1e-7);
  }
}

// Of all links about the origin, from the velocities of a body with unit speeds: p = ∂T/∂v is read off the kinetic
// energy, T(ν + s) - T(ν) - T(s) = νᵀ M s with s a rigid motion of the whole in the world.
struct WorldMomentum {
  Vector3 linear, angular;
};

WorldMomentum momentum(Formulated& system) {
  const auto& constrained = dynamic_cast<const ConstrainedEquations&>(*system.equations);
  State state = system.state;
  constrained.recentre(state);
  const auto kinetic = [&](const VectorX& speeds) {
    State moved = state;
    moved.speeds = speeds;
    return system.equations->energies(moved, system.inputs, *system.workspace).kinetic;
  };
  WorldMomentum result;
  const double now = kinetic(state.speeds);
  for (int k = 0; k < 6; ++k) {
    VectorX rigid = VectorX::Zero(state.speeds.size());
    const Vector3 axis = Vector3::Unit(k % 3);
    for (std::size_t f = 0; f < state.configuration.references.size(); ++f) {  // one body: frames first
      const auto at = static_cast<Eigen::Index>(f);
      const Matrix3 R = state.configuration.references[f].toRotationMatrix();
      const Vector3 p = state.configuration.coordinates.segment<3>(3 * at);
      rigid.segment<3>(6 * at) = R.transpose() * (k < 3 ? axis : Vector3(axis.cross(p)));
      if (k >= 3) rigid.segment<3>(6 * at + 3) = R.transpose() * axis;
    }
    const double value = kinetic(state.speeds + rigid) - now - kinetic(rigid);
    (k < 3 ? result.linear : result.angular)[k % 3] = value;
  }
  return result;
}

TEST(FloatingFrameLaws, AFreeFlexibleBodyKeepsItsMomentum) {
  for (const char* formulation : {"floating-frame", "corotational"}) {
    Formulated system(free_frame(7e9, 1, 6), {.formulation = formulation});
    const WorldMomentum start = momentum(system);
    IntegratorOptions options;
    options.fixed_step = 2e-6;
    auto integrator = make_integrator("dormand_prince", {system.equations.get(), {}, system.inputs}, options);
    StepReport report = integrator->start(system.state);
    while (report.ok() && integrator->state().time < 0.02) report = integrator->step(0.02);
    ASSERT_TRUE(report.ok()) << report.text();
    system.state = integrator->state();
    const WorldMomentum end = momentum(system);
    EXPECT_LT((end.linear - start.linear).norm(), 1e-10 * start.linear.norm()) << formulation;
    EXPECT_LT((end.angular - start.angular).norm(), 1e-10 * start.angular.norm()) << formulation;
  }
}

// Without any joint there is no row of constraints to decompose.
TEST(FloatingFrameLaws, AFreeBodyHasTheFrequenciesOfErlsCms) {
  Model model = free_frame(7e10, 2);
  model.gravity.setZero();
  for (Joint& joint : model.joints) joint.initial_speed.assign(joint.initial_speed.size(), 0.0);
  VectorX frequencies[3];
  int i = 0;
  for (const char* name : {"erls-cms", "floating-frame", "corotational"}) {
    const auto equations = make_equations(model, {.formulation = name});
    const ModesResult result = mechanism_modes(*equations, equations->initial_state(), 12);
    ASSERT_EQ(result.status, EvaluationStatus::ok) << name;
    frequencies[i++] = result.modes.frequencies;
  }
  for (int k = 6; k < 12; ++k)
    for (int other : {1, 2}) EXPECT_NEAR(frequencies[other][k], frequencies[0][k], 1e-6 * frequencies[0][k]) << k;
}

// Peers take gravity's moment about the undeformed centre of mass. What holds a sagging arm must balance its weight at
// the deformed centre; where that is, a field along x tells (m g x).
TEST(FloatingFrameLaws, GravitysMomentIsThatOfTheDeformedCentre) {
  Model model = l_shape(2e9, 2);
  model.joints[0].initial_value = {-0.3};
  model.drives.push_back({"hold", {}, 0, 0, true, SignalConstant{-0.3}});
  Formulated system(model, floating);
  const double before = system.energies().gravity;
  const Equilibrium found = equilibrium(*system.equations, system.state);
  ASSERT_TRUE(found.converged) << found.message;
  Model sideways = model;
  sideways.gravity = {-9.81, 0, 0};
  Formulated probe(sideways, floating);
  const auto lever = [&](const State& state) {
    return probe.equations->energies(state, probe.inputs, *probe.workspace).gravity / 9.81;  // m x
  };
  system.state = found.state;
  system.evaluate();
  const double torque =
      system.equations->prescribed_force(system.state, system.inputs, system.accelerations, 0, 0, *system.workspace);
  // The weight at x turns about y by +m g x; the drive opposes it.
  EXPECT_NEAR(torque, -9.81 * lever(found.state), 1e-9);
  EXPECT_GT(std::abs(9.81 * (lever(found.state) - lever(probe.equations->initial_state()))), 1e-3);
  EXPECT_LT(system.energies().gravity, before);
}

// A bar that turns at constant speed stretches as x + u = sin(k x)/(k cos(k L)), k² = ρ ω²/E.
TEST(FloatingFrameLaws, CentrifugalStretchIsTheAnalyticOne) {
  constexpr double E = 4e9, density = 2700, length = 0.5, speed = 60;
  FlexibleBuilder b(E, density, 0.02, 0.02);
  const int bar = b.beam("bar", {{0, 0, 0}, {length, 0, 0}}, 8);
  b.model().links[bar].damping.stiffness_factor = 2e-3;
  b.hinge("axle", JointType::revolute, -1, {0, 0, 0}, bar, {0, 0, 0}, Vector3::UnitZ());
  b.model().gravity.setZero();
  b.model().drives.push_back({"spin", {}, 0, 0, true, SignalTable{{-1, 100}, {-speed, 100 * speed}}});
  const Model model = with_tips(b.model());
  const double k = std::sqrt(density * speed * speed / E), exact = std::tan(k * length) / k;
  for (const char* formulation : {"floating-frame", "corotational"}) {
    const Trajectory motion =
        run(model, {.formulation = formulation}, 0.6, {.integrator = "generalised_alpha", .step = 2e-4});
    const double x = motion.columns[0].values.back(), y = motion.columns[1].values.back();
    EXPECT_NEAR(std::hypot(x, y) - length, exact - length, 2e-3 * (exact - length)) << formulation;
  }
}

TEST(FloatingFrameLaws, PrescribedAndSprungJointsActAsInErlsCms) {
  Model model = spatial_2r(16 * 7e10, 2);
  model.joints[1].stiffness = {2.0};
  model.joints[1].rest_value = {-0.5};
  model.joints[1].damping = {0.05};
  model.joints[1].friction = {0.02};
  model.joints[1].friction_speed = 0.05;
  model.joints[1].inertia = {1e-3};
  model.joints[0].initial_value = {0.4};
  model.joints[0].initial_speed = {0};
  model.drives.push_back({"swing", {}, 0, 0, true, SignalSmoothMove{0, 0.1, 0.4, 1.0}});
  model.loads.push_back({"push", {}, 1, 2, false, true, Vector3(0.3, 1, -0.5), SignalSine{0.5, 20, 0, 0, 0}});
  model = with_tips(model);
  for (const Quantity quantity : {Quantity::joint_value, Quantity::joint_force, Quantity::reaction_force})
    for (const int joint : {0, 1}) {
      Sensor sensor;
      sensor.name = "joint " + std::to_string(joint) + " " + std::to_string(static_cast<int>(quantity));
      sensor.quantity = quantity;
      sensor.joint = joint;
      model.sensors.push_back(sensor);
    }
  const Trajectory erls = run(model, {}, 0.1, {.tolerance = 1e-9, .samples = 10});
  const Trajectory ffr = run(model, floating, 0.1, {.tolerance = 1e-9, .samples = 10});
  for (std::size_t c = 0; c + 4 < erls.columns.size(); ++c) {
    double scale = 1e-2, apart = 0;
    for (std::size_t i = 0; i < erls.times.size(); ++i) {
      scale = std::max(scale, std::abs(erls.columns[c].values[i]));
      apart = std::max(apart, std::abs(erls.columns[c].values[i] - ffr.columns[c].values[i]));
    }
    // Deflections are below 1 % of the links; forces follow their vibration, whose phase differs.
    EXPECT_LT(apart, (erls.columns[c].unit[0] == 'N' ? 4e-2 : 1e-4) * scale) << erls.columns[c].name;
  }
  EXPECT_LT(std::abs(ffr.energy.imbalance()), 1e-8);
}

// Rigid planar four-bar in space: 3 of its 20 rows say nothing new.
Model rigid_four_bar() {
  Model model = flexible_four_bar();
  for (Link& link : model.links) {
    const double length = link.nodes.back().position.x();
    link.rigid = true;
    link.segments.clear();
    link.rigid_inertia = {length,
                          {length / 2, 0, 0},
                          Vector3(1e-4, length * length * length / 12, length * length * length / 12).asDiagonal()};
  }
  return model;
}

TEST(FloatingFrameLaws, RedundantConstraintsNeitherDisturbTheMotionNorTheReactions) {
  Model model = with_tips(rigid_four_bar());
  Sensor sensor;
  sensor.name = "pin";
  sensor.quantity = Quantity::reaction_force;
  sensor.joint = 2;
  model.sensors.push_back(sensor);
  const RunSettings settings{.tolerance = 1e-10, .samples = 20};
  const Trajectory erls = run(model, {}, 1, settings), ffr = run(model, floating, 1, settings);
  double force = 0;
  for (std::size_t c = 0; c + 4 < erls.columns.size(); ++c)
    for (std::size_t i = 0; i < erls.times.size(); ++i) {
      const bool reaction = erls.columns[c].unit == "N";
      if (reaction) force = std::max(force, std::abs(erls.columns[c].values[i]));
      // Forces in the plane are determined.
      EXPECT_NEAR(erls.columns[c].values[i], ffr.columns[c].values[i], reaction ? 1e-5 : 1e-8) << erls.columns[c].name;
    }
  EXPECT_GT(force, 1);
}

// Reactions are those of the state that is asked about, whatever was looked at before with the same workspace.
TEST(FloatingFrameLaws, ReactionsFollowStateInputsAndGravity) {
  Formulated system(with_tips(spatial_2r(5e9, 2)), floating);
  const State rest = system.state;
  const auto reaction = [&](Formulated& of, const State& state, const Inputs& inputs) {
    Vector3 force, torque;
    EXPECT_TRUE(of.equations->reaction(state, inputs, of.accelerations, 0, force, torque, *of.workspace));
    return force;
  };
  State moving = rest;
  moving.speeds[0] = 3;
  Inputs loaded = system.inputs;
  loaded.joint_forces[0][0] += 5;
  const auto fresh = [&](const State& state, const Inputs& inputs) {
    Formulated other(with_tips(spatial_2r(5e9, 2)), floating);
    return reaction(other, state, inputs);
  };
  for (const State* state : {&rest, static_cast<const State*>(&moving), &rest})
    for (const Inputs* inputs : {&system.inputs, &loaded, &system.inputs}) {
      EXPECT_EQ(reaction(system, *state, *inputs), fresh(*state, *inputs));
      EXPECT_EQ(reaction(system, *state, *inputs), fresh(*state, *inputs));  // known by now
    }
  const Vector3 weighed = reaction(system, rest, system.inputs);
  dynamic_cast<const ConstrainedEquations&>(*system.equations).scale_gravity(2, *system.workspace);
  EXPECT_GT((reaction(system, rest, system.inputs) - weighed).norm(), 0.1);
}

TEST(FloatingFrameLaws, ConstraintsHoldOverAMillionSteps) {
  FlexibleBuilder b;
  const int bob = b.link("bob");
  b.model().links[bob].rigid_inertia = {1.0, {0.3, 0.05, 0}, Vector3(0.01, 0.02, 0.025).asDiagonal()};
  b.hinge("pivot", JointType::revolute, -1, {0.1, 0, 0}, bob, {0, 0, 0}, Vector3(0.1, 1, 0.2).normalized(), {0.2});
  Formulated system(b.model(), floating);
  const double energy = system.energies().total();
  IntegratorOptions options;
  options.fixed_step = 1e-3;
  options.tolerance = 1e-6;
  auto integrator = make_integrator("generalised_alpha", {system.equations.get(), {}, system.inputs}, options);
  StepReport report = integrator->start(system.state);
  double worst = 0;
  for (long i = 0; report.ok() && i < 1000000; ++i) {
    report = integrator->step(1e9);
    if (i % 1000 != 0) continue;
    system.state = integrator->state();
    worst = std::max(worst, system.violation());
  }
  ASSERT_TRUE(report.ok()) << report.text();
  EXPECT_LT(worst, 1e-12);
  system.state = integrator->state();
  // An oscillation at 1 Hz with h = 1e-3: the method's own energy error is of order (ωh)² of the energy of motion.
  EXPECT_NEAR(system.energies().total(), energy, 1e-3);
}

TEST(FloatingFrameLaws, TheImplicitMethodIsOfSecondOrder) {
  const Model model = with_tips(spatial_2r(7e10, 1));
  const Trajectory exact = run(model, floating, 0.05, {.tolerance = 1e-11});
  double error[2];
  for (const int fine : {0, 1})
    error[fine] = largest_difference(
        exact, run(model, floating, 0.05,
                   {.integrator = "generalised_alpha", .tolerance = 1e-9, .step = fine ? 1.25e-5 : 2.5e-5}));
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.3);
}

TEST(FloatingFrameLaws, HangsAtRestWithItsWeightInTheJoint) {
  Model model = spatial_2r(7e10, 3);
  model.joints[0].initial_value = {1.4};
  model.joints[1].initial_value = {-0.3};
  Formulated system(model, floating);
  const Equilibrium found = equilibrium(*system.equations, system.state);
  ASSERT_TRUE(found.converged) << found.message;
  EXPECT_TRUE(found.stable);
  system.state = found.state;
  system.evaluate();
  Vector3 force, torque;
  ASSERT_TRUE(system.equations->reaction(system.state, system.inputs, system.accelerations, 0, force, torque,
                                         *system.workspace));
  const double length = std::hypot(0.4, 0.1) + 0.28 + 0.2, weight = 2700 * 0.008 * 0.012 * length * 9.81;
  EXPECT_LT((force - Vector3(0, 0, weight)).norm(), 1e-6 * weight);
  // A hinge without a drive carries no moment about its axis.
  EXPECT_NEAR(torque.dot(Vector3(0, 1, 0.2).normalized()), 0, 1e-9);
}

}  // namespace
}  // namespace lithe
