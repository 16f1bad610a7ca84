// Every analysis as one call: what the commands do, without the command line.
#include "lithe/analyse/analyses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "lithe/analyse/contributions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/read/read_model.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

const std::string arm = R"(
lithe = 1
gravity = [0, 0, -9.81]
[materials.steel]
density = 7800
young_modulus = "210 GPa"
poisson_ratio = 0.3
[sections.bar]
shape = "rectangle"
width = "10 mm"
height = "10 mm"
[[links]]
name = "rod"
nodes = {root = [0, 0, 0], tip = [0.5, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
elements = 4
[links.reduction]
method = "none"
kept_modes = 4
[[joints]]
name = "pivot"
child = "rod"
child_node = "root"
axis = [0, 1, 0]
[[sensors]]
name = "tip"
quantity = "position"
link = "rod"
node = "tip"
)";

Model with(const std::string& text) { return read_model_text(arm + text, "arm.toml"); }

// A file that gives what is required and nothing else has the defaults of the specs: they are in one place.
TEST(Specs, OfAFileWithoutSettingsAreTheDefaults) {
  const Model model = with(R"(
[[analyses]]
kind = "simulate"
end_time = 1
[[analyses]]
kind = "modes"
[[analyses]]
kind = "equilibrium"
[[analyses]]
kind = "inverse_dynamics"
end_time = 1
[[analyses]]
kind = "spectrum"
sensor = "tip"
component = "x"
[[analyses]]
kind = "condense"
[[analyses]]
kind = "sweep"
axes = ["joint.pivot = 0 : 1 : 2"]
[[analyses]]
kind = "linearise"
[[analyses]]
kind = "control"
)");
  const std::vector<Analysis> all = analyses_of(model);
  ASSERT_EQ(all.size(), std::size(analysis_kinds));
  const SimulateSpec simulate = spec_of<SimulateSpec>(model), defaults;
  EXPECT_EQ(simulate.output_step, defaults.output_step);
  EXPECT_EQ(simulate.tolerance, defaults.tolerance);
  EXPECT_EQ(simulate.step, defaults.step);
  EXPECT_EQ(simulate.spectral_radius, defaults.spectral_radius);
  EXPECT_EQ(simulate.integrator, defaults.integrator);
  const SimulateOptions options;  // what the layer below does where nobody says anything
  EXPECT_EQ(options.end_time, defaults.end_time);
  EXPECT_EQ(options.output_step, defaults.output_step);
  EXPECT_EQ(options.integrator, defaults.integrator);
  EXPECT_EQ(options.integration.tolerance, defaults.tolerance);
  EXPECT_EQ(options.integration.fixed_step, defaults.step);
  EXPECT_EQ(options.integration.spectral_radius, defaults.spectral_radius);
  EXPECT_EQ(options.end_stops, defaults.end_stops);
  EXPECT_EQ(options.checkpoint_interval, defaults.checkpoint_interval);
  for (const Analysis& analysis : all) {
    const FormulationChoice* choice = formulation_of(analysis.spec);
    if (!choice) continue;
    const FormulationChoice wanted;
    EXPECT_EQ(choice->formulation, wanted.formulation) << analysis.kind();
    EXPECT_EQ(choice->gauge, wanted.gauge) << analysis.kind();
    EXPECT_EQ(choice->variant, wanted.variant) << analysis.kind();
    EXPECT_EQ(choice->reference, wanted.reference) << analysis.kind();
    EXPECT_EQ(choice->geometric_stiffening, wanted.geometric_stiffening) << analysis.kind();
    EXPECT_EQ(choice->bending_shortens, wanted.bending_shortens) << analysis.kind();
  }
  EXPECT_EQ(spec_of<ModesSpec>(model).count, ModesSpec{}.count);
  EXPECT_EQ(spec_of<ModesSpec>(model).reduced, ModesSpec{}.reduced);
  EXPECT_EQ(spec_of<EquilibriumSpec>(model).hold_joints, EquilibriumSpec{}.hold_joints);
  EXPECT_EQ(spec_of<EquilibriumSpec>(model).tolerance, EquilibriumSpec{}.tolerance);
  EXPECT_EQ(spec_of<EquilibriumSpec>(model).time, EquilibriumSpec{}.time);
  EXPECT_EQ(spec_of<InverseDynamicsSpec>(model).tolerance, InverseDynamicsSpec{}.tolerance);
  EXPECT_EQ(spec_of<InverseDynamicsSpec>(model).flexible, InverseDynamicsSpec{}.flexible);
  EXPECT_EQ(spec_of<SpectrumSpec>(model).sensor, "tip.x");
  EXPECT_EQ(spec_of<SpectrumSpec>(model).window, SpectrumSpec{}.window);
  EXPECT_EQ(spec_of<SpectrumSpec>(model).peaks, SpectrumSpec{}.peaks);
  EXPECT_EQ(spec_of<CondenseSpec>(model).route, CondenseSpec{}.route);
  EXPECT_EQ(spec_of<CondenseSpec>(model).count, CondenseSpec{}.count);
  EXPECT_EQ(spec_of<CondenseSpec>(model).hold_spins, CondenseSpec{}.hold_spins);
  EXPECT_EQ(spec_of<SweepSpec>(model).count, SweepSpec{}.count);
  EXPECT_EQ(spec_of<SweepSpec>(model).analysis, SweepSpec{}.analysis);
  EXPECT_EQ(spec_of<SweepSpec>(model).orientation, SweepSpec{}.orientation);
  EXPECT_EQ(spec_of<LineariseSpec>(model).about, LineariseSpec{}.about);
  EXPECT_EQ(spec_of<LineariseSpec>(model).count, LineariseSpec{}.count);
  EXPECT_EQ(spec_of<LineariseSpec>(model).floquet, LineariseSpec{}.floquet);
  EXPECT_EQ(spec_of<ControlSpec>(model).payloads, ControlSpec{}.payloads);
}

TEST(Specs, TakeWhatTheyDoNotSayFromTheSimulation) {
  const Model model = with(R"(
[[analyses]]
kind = "control"
output_step = 0.01
[[analyses]]
kind = "simulate"
end_time = 3
tolerance = 1e-8
formulation = "floating_frame"
reference = "chord"
)");
  const ControlSpec spec = spec_of<ControlSpec>(model);
  EXPECT_EQ(spec.simulate.end_time, 3);
  EXPECT_EQ(spec.simulate.tolerance, 1e-8);
  EXPECT_EQ(spec.simulate.output_step, 0.01);
  EXPECT_EQ(spec.simulate.formulation.formulation, "floating-frame");
  EXPECT_EQ(spec.simulate.formulation.reference, "chord");
  EXPECT_EQ(spec_of<CompareSpec>(model).simulate.end_time, 3);  // of which the file has none
}

TEST(Specs, PointAtARangeThatIsNone) {
  const Model model = with("[[analyses]]\nkind = \"linearise\"\nspeeds = \"5:1:3\"\n");
  try {
    analyses_of(model);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("arm.toml:32:1: error: analysis linearise: speeds"), std::string::npos)
        << error.what();
  }
}

TEST(Analyses, SimulateMovesAsItsStagesDo) {
  const Model model = with("");
  const SimulatedMotion motion = simulate(model, {.end_time = 0.1});
  ASSERT_EQ(motion.end, RunEnd::finished);
  const auto equations = make_equations(model);
  SimulateOptions options;
  options.end_time = 0.1;
  const Trajectory stages = simulate(*equations, start_state(*equations), options);
  ASSERT_EQ(motion.times, stages.times);
  EXPECT_EQ(motion.column("tip.z")->values, stages.column("tip.z")->values);  // bit by bit
  EXPECT_EQ(motion.equations->name(), "erls-cms");
}

TEST(Analyses, SpectrumOfTheMotionFindsThePendulum) {
  const SimulatedMotion motion = simulate(with(""), {.end_time = 4});
  SpectrumSpec spec;
  spec.sensor = "tip.z";
  spec.max_frequency = 20;
  EXPECT_FALSE(spectrum(motion, spec).peaks.empty());
  spec.sensor = "top";
  EXPECT_THROW(spectrum(motion, spec), InputError);
}

TEST(Analyses, ModesAreOfTheMechanismOrOfALinkByName) {
  const Model model = with("");
  const NaturalModesResult whole = natural_modes(model, {});
  ASSERT_TRUE(whole.mechanism) << whole.failure;
  EXPECT_EQ(whole.mechanism->num_modes(), 5);  // the hinge and four elastic modes
  ModesSpec spec;
  spec.link = "rod";
  spec.clamp = {"root"};
  spec.count = 2;
  const NaturalModesResult link = natural_modes(model, spec);
  ASSERT_TRUE(link.link);
  // Cantilever: (1.8751)²/2π sqrt(EI/(ρA l⁴)) = 33.5 Hz for a square bar of 10 mm and 0.5 m.
  EXPECT_NEAR(link.link->frequencies[0], 33.5, 0.1);
  EXPECT_EQ(link.subject, "link 'rod', held at 'root'");
  spec.link = "bar";
  EXPECT_THROW(natural_modes(model, spec), InputError);
}

TEST(Analyses, EquilibriumHoldsTheWeightOfTheArm) {
  const EquilibriumResult result = find_equilibrium(with(""), {});
  ASSERT_TRUE(result.found.converged) << result.found.message;
  const double weight = 7800 * 0.01 * 0.01 * 0.5 * 9.81;
  // Deflections shorten the lever by less than a part in a thousand.
  EXPECT_NEAR(std::abs(result.summary.joints.at(0).holding_force), weight * 0.25, 1e-3 * weight * 0.25);
}

TEST(Analyses, InverseDynamicsFindsTheTorqueThatHoldsTheArm) {
  const Model model = with("[[drives]]\nname = \"motor\"\njoint = \"pivot\"\nmotion = 0\n");
  const SimulatedMotion motion = inverse_dynamics(model, {.end_time = 0.01, .flexible = false});
  ASSERT_EQ(motion.end, RunEnd::finished);
  ASSERT_FALSE(motion.columns.empty());
  const double weight = 7800 * 0.01 * 0.01 * 0.5 * 9.81;
  EXPECT_NEAR(std::abs(motion.columns.front().values.back()), weight * 0.25, 1e-9);
  EXPECT_THROW(inverse_dynamics(with(""), {}), InputError);  // no drive prescribes a motion
}

TEST(Analyses, LineariseGivesTheSameFrequenciesAsModes) {
  const Model model = with("");
  LineariseSpec spec;
  spec.about = LineariseAbout::initial;
  spec.response = {10, 20};
  const LineariseResult result = linearise(model, spec);
  ASSERT_TRUE(result.failure.empty()) << result.failure;
  ASSERT_EQ(result.modes.size(), 1u);
  EXPECT_EQ(result.response.size(), 2u);
  EXPECT_TRUE(result.about_rest);
  const NaturalModesResult modes = natural_modes(model, {});
  const LinearModes& linear = result.modes.front();
  EXPECT_NEAR(linear.frequency(linear.eigenvalues.size() - 1),
              modes.mechanism->frequencies[modes.mechanism->num_modes() - 1], 1e-6);
}

TEST(Analyses, CondenseFindsTheCantileversStiffness) {
  CondenseSpec spec;
  spec.tool = "rod:tip";
  spec.held = {"pivot"};
  spec.count = 2;
  const CondenseResult result = condense(with(""), spec);
  ASSERT_EQ(result.condensed.status, CondenseStatus::ok) << result.condensed.message;
  ASSERT_TRUE(result.condensed.tool && result.condensed.tool->compliance);
  // l³/3EI = 0.23810 mm/N, and 0.4 % of shear at this slenderness.
  const double bending = std::pow(0.5, 3) / (3 * 210e9 * std::pow(0.01, 4) / 12);
  EXPECT_NEAR((*result.condensed.tool->compliance)(2, 2), bending, 0.005 * bending);
  spec.route = "by hand";
  EXPECT_THROW(condense(with(""), spec), InputError);
}

TEST(Analyses, CompareRunsTwoFormulations) {
  CompareSpec spec;
  spec.simulate.end_time = 0.05;
  const Comparison comparison = compare(with(""), spec);
  ASSERT_TRUE(comparison.finished());
  EXPECT_LT(comparison.largest("m"), 1e-5);
}

TEST(Analyses, SweepRepeatsAnalysesOverJointValues) {
  const Model model = with("");
  SweepSpec spec;
  spec.analysis = "equilibrium";
  spec.axes = {"joint.pivot = 0 deg, 60 deg"};
  spec.threads = 1;
  const SweepResult result = sweep(model, spec);
  ASSERT_EQ(result.points.size(), 2u);
  EXPECT_EQ(result.num_computed, 2);
  ASSERT_EQ(result.points[1].status, PointStatus::ok) << result.points[1].reason;
  const std::vector<double> torque = result.column("holding.pivot");
  const EquilibriumResult home = find_equilibrium(model, {});
  EXPECT_DOUBLE_EQ(torque[0], home.summary.joints.at(0).holding_force);
  // The lever of the weight shrinks with cos 60°; deflections shorten it by less than a part in a thousand.
  EXPECT_NEAR(torque[1], 0.5 * torque[0], 1e-3 * std::abs(torque[0]));
  EXPECT_THROW(result.column("holding.elbow"), InputError);
}

TEST(Analyses, SweepOverNumbersNeedsAModelWithSuch) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "lithe_swept_arm.toml";
  std::ofstream(file) << arm;
  SweepSpec spec;
  spec.analysis = "modes";
  spec.count = 2;
  spec.axes = {"materials.steel.young_modulus = 52.5 GPa, 210 GPa"};
  EXPECT_THROW(sweep(with(""), spec), InputError);
  const SweepResult result = sweep(ParametricModel(file), spec);
  std::filesystem::remove(file);
  ASSERT_EQ(result.points.size(), 2u);
  ASSERT_EQ(result.points[0].status, PointStatus::ok) << result.points[0].reason;
  const std::vector<double> frequencies = result.column("frequency_2");    // the first is the free hinge
  EXPECT_NEAR(frequencies[1], 2 * frequencies[0], 1e-6 * frequencies[1]);  // as the root of the modulus
}

TEST(Analyses, RunAllMakesEveryAnalysisOfTheModel) {
  Model model = with(R"(
[[analyses]]
kind = "simulate"
name = "fall"
end_time = 0.1
[[analyses]]
kind = "spectrum"
sensor = "tip"
component = "z"
[[analyses]]
kind = "spectrum"
sensor = "tip"
component = "z"
[[analyses]]
kind = "equilibrium"
)");
  std::swap(model.analyses[0], model.analyses[1]);  // a file in this order is refused, a program may make it
  const std::vector<AnalysisOutcome> all = run_all(model);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_FALSE(all[0].result);  // no motion before it, and the others are made all the same
  EXPECT_NE(all[0].failure.find("there is no simulation before it"), std::string::npos) << all[0].failure;
  EXPECT_EQ(all[1].analysis.name, "fall");
  const SimulatedMotion alone = simulate(model, {.end_time = 0.1});
  EXPECT_EQ(std::get<SimulatedMotion>(*all[1].result).column("tip.z")->values, alone.column("tip.z")->values);
  EXPECT_EQ(std::get<Spectrum>(*all[2].result).values, spectrum(alone, SpectrumSpec{.sensor = "tip.z"}).values);
  EXPECT_TRUE(std::get<EquilibriumResult>(*all[3].result).found.converged);
}

TEST(Analyses, StateSpaceHasThePolesOfTheLinearModel) {
  StateSpaceSpec spec;
  spec.sensors = {"tip.z"};
  const StateSpaceResult result = state_space(with(""), spec);
  EXPECT_EQ(result.full_states, 10);  // the hinge and four elastic modes, positions and velocities
  EXPECT_EQ(result.system.num_outputs(), 1);
  spec.states = 4;
  spec.reduction = "modal";
  spec.sample_time = 1e-3;
  const StateSpaceResult sampled = state_space(with(""), spec);
  EXPECT_EQ(sampled.system.num_states(), 4);
  EXPECT_EQ(sampled.system.sample_time, 1e-3);
  spec.reduction = "by hand";
  EXPECT_THROW(state_space(with(""), spec), InputError);
  EXPECT_THROW(state_space(with(""), {.sample_time = 0, .delay = 2}), InputError);
}

TEST(Analyses, EndWhenTheyAreCancelled) {
  std::atomic<bool> cancel = true;
  SimulateHooks hooks;
  hooks.cancel = &cancel;
  EXPECT_EQ(simulate(with(""), {}, hooks).end, RunEnd::cancelled);
}

// A rod that hangs with a mass carries 2.01 % of its Euler load, the limit being 2 %: 1 % stiffer it is below, 1 %
// softer above. Shares are of models that all have geometric stiffening.
TEST(Contributions, AreOfOneKindOfEquationsNearTheLimitOfStiffening) {
  constexpr double E = 2e11, density = 7800, side = 0.006, length = 1, gravity = 9.81;
  testing::FlexibleBuilder b(E, density, side, side);
  const int rod = b.beam("rod", {{0, 0, 0}, {0, 0, -length}}, 4);
  b.hinge("top", JointType::revolute, -1, {0, 0, 0}, rod, {0, 0, 0}, Vector3::UnitY());
  const double euler = E * std::pow(side, 4) / 12 * std::pow(std::numbers::pi / length, 2);
  const double mass = 0.0201 * euler / gravity - density * side * side * length;
  ASSERT_GT(mass, 0);
  b.model().links[0].lumped_masses.push_back({.node = 1, .mass = mass});
  ContributionSpec spec;
  spec.tool = "rod:rod1";
  spec.held = {"top"};
  const ContributionResult found = contributions(b.model(), {}, spec);
  spec.formulation.geometric_stiffening = Stiffening::on;
  const ContributionResult stiff = contributions(b.model(), {}, spec);
  spec.formulation.geometric_stiffening = Stiffening::off;
  const ContributionResult soft = contributions(b.model(), {}, spec);
  ASSERT_EQ(found.failure, "");
  ASSERT_EQ(found.parts.size(), 1U);
  EXPECT_NEAR(found.parts[0].compliance[0], stiff.parts[0].compliance[0], 1e-9);
  // The weight's part of the stiffness does not follow E.
  EXPECT_LT(stiff.parts[0].compliance[0], soft.parts[0].compliance[0] - 0.005);
}

}  // namespace
}  // namespace lithe
