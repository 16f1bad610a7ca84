// Long open chains: implicit steps that are solved link by link.
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/integrate/generalised_alpha.h"
#include "support/formulations.h"

namespace lithe::testing {
namespace {

Model resisting_arm() {
  Model model = spatial_2r();
  model.joints[1].stiffness = {3.0};
  model.joints[1].damping = {0.02};
  model.joints[1].friction = {0.05};
  model.joints[1].friction_speed = 0.5;
  model.joints[1].inertia = {1e-3};
  model.links[0].damping.stiffness_factor = 1e-5;
  model.links[1].damping.modal_ratios = {0.02};
  model.loads.push_back({"push", {}, 1, 2, false, true, Vector3(0.3, 1, -0.5), SignalSine{0.5, 20, 0, 0, 0}});
  return model;
}

// The solution of a step does not depend on the tangent that Newton's iteration uses.
TEST(RecursiveGeneralisedAlpha, StepsAsWithDenseMatrices) {
  const Model model = resisting_arm();
  const ErlsCms equations(reduce(model));
  ASSERT_TRUE(equations.solves_recursively());
  const System system{&equations, [&](double time, const State&, Inputs& i) { evaluate_inputs(model, time, i); },
                      make_inputs(model)};
  IntegratorOptions options;
  options.fixed_step = 2e-5;
  options.tolerance = 1e-11;  // of Newton's iteration
  GeneralisedAlpha dense(system, options), recursive(system, options, &equations);
  for (Integrator* integrator : {static_cast<Integrator*>(&dense), static_cast<Integrator*>(&recursive)}) {
    ASSERT_TRUE(integrator->start(equations.initial_state()).ok());
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(integrator->step(1.0).ok());
  }
  EXPECT_LT((dense.state().coordinates - recursive.state().coordinates).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_EQ(recursive.counters().linearisations, 0);
}

TEST(RecursiveGeneralisedAlpha, MeetsTheToleranceWithStepsOfItsOwn) {
  const Model model = with_tips(resisting_arm());
  const auto with = [&](const char* name, bool recursive) {
    const auto equations = make_equations(model, {});
    SimulateOptions options;
    options.end_time = 0.05;
    options.output_step = 0.005;
    options.integrator = name;
    options.integration.tolerance = 1e-5;
    if (recursive)
      options.make = [](const std::string&, System system, IntegratorOptions settings) -> std::unique_ptr<Integrator> {
        const auto* erls = dynamic_cast<const ErlsCms*>(system.equations);
        return std::make_unique<GeneralisedAlpha>(std::move(system), std::move(settings), erls);
      };
    return simulate(*equations, start_state(*equations), options);
  };
  const Trajectory exact = run(model, {}, 0.05, {.tolerance = 1e-9, .samples = 10});
  const double error = largest_difference(exact, with("generalised_alpha", true));
  EXPECT_LT(error, 1e-5 * 0.05 * 10);
}

TEST(LongChains, OfManyCoordinatesAreIntegratedImplicitlyWithoutDenseMatrices) {
  FlexibleBuilder b;
  int parent = -1;
  for (int i = 0; i < 130; ++i) {
    const std::string name = "link" + std::to_string(i);
    const int link = b.beam(name, {{0, 0, 0}, {0.1, 0, 0}}, 1, 3);
    b.hinge("joint" + std::to_string(i), JointType::revolute, parent, {parent < 0 ? 0.0 : 0.1, 0, 0}, link, {0, 0, 0},
            Vector3(0, 1, i % 2).normalized(), {0.01});
    parent = link;
  }
  const ErlsCms equations(reduce(b.model()));
  ASSERT_GT(equations.num_coordinates(), 500);
  IntegratorOptions options;
  options.fixed_step = 1e-4;
  const auto integrator =
      make_integrator("generalised_alpha", {&equations, {}, make_inputs(b.model())}, std::move(options));
  ASSERT_TRUE(integrator->start(equations.initial_state()).ok());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(integrator->step(1.0).ok());
  EXPECT_EQ(integrator->counters().linearisations, 0);
}

}  // namespace
}  // namespace lithe::testing
