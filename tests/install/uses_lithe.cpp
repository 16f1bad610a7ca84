// The whole library against the installed package: every analysis of a command as one call.
#include <lithe/lithe.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>

constexpr const char* rod = R"(
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
[[drives]]
name = "motor"
joint = "pivot"
motion = {move = {end_time = 0.05, end_value = 0.1}}
[[analyses]]
kind = "simulate"
end_time = 0.1
)";

using namespace lithe;

int main(int, char** argv) {
  const std::filesystem::path folder = std::filesystem::path(argv[0]).parent_path();
  std::ofstream(folder / "rod.toml") << rod;
  const Model model = read_model(folder / "rod.toml");
  int failures = 0;
  const auto expect = [&](const char* what, bool good) {
    std::cout << what << (good ? ": ok\n" : ": failed\n");
    failures += good ? 0 : 1;
  };
  const SimulatedMotion motion = simulate(model, spec_of<SimulateSpec>(model));
  expect("simulate", motion.end == RunEnd::finished && motion.times.back() == 0.1);
  write_motion(motion, folder / "results", "motion");
  expect("write", std::filesystem::exists(folder / "results" / "motion.csv"));
  expect("spectrum", spectrum(motion, {.sensor = "tip.z"}).frequencies.size() > 1);
  const NaturalModesResult modes = natural_modes(model, {});
  expect("modes", modes.mechanism.has_value());
  expect("equilibrium", find_equilibrium(model, {}).found.converged);
  expect("inverse dynamics", inverse_dynamics(model, {.end_time = 0.1}).end == RunEnd::finished);
  expect("linearise", linearise(model, {}).models.size() == 1);
  expect("condense", condense(model, {.tool = "rod:tip"}).condensed.status == CondenseStatus::ok);
  expect("compare", compare(model, spec_of<CompareSpec>(model)).largest("m") < 1e-5);
  const SweepResult joint = sweep(model, {.axes = {"joint.pivot = 0, 0.5"}, .analysis = "modes"});
  expect("sweep of a joint", joint.points.at(1).status == PointStatus::ok);
  const ParametricModel file(folder / "rod.toml");  // numbers of the file can be changed by their path
  const SweepResult lighter = sweep(file, {.axes = {"materials.steel.density = 2700, 7800"}, .analysis = "modes"});
  expect("sweep of a number", lighter.column("frequency_1").size() == 2);
  expect("state space", state_space(model, {.sample_time = 1e-3}).system.sample_time == 1e-3);
  expect("sensitivity", sensitivity(model).status == EvaluationStatus::ok);
  const SettleSpec still{.tool = "rod:tip", .after = 0.2};
  expect("settle", settle(model, still).points.size() == 1);
  expect("settling map",
         settle_map(file, {still, {"materials.steel.density = 2700, 7800"}}).column("residual").size() == 2);
  expect("shape", shape_move(model, {.settle = still}).failure.empty());
  expect("feedforward", elastic_feedforward(model, {}, {}).failure.empty());
  const MeasuredData measured{"modes", {{"mode", "", {1}}, {"frequency", "Hz", {modes.mechanism->frequencies[0]}}}};
  const IdentifyResult found = identify(file, {measured}, {.fit = {"materials.steel.young_modulus"}});
  expect("identify", found.failure.empty() && std::abs(found.numbers.at(0).value / 210e9 - 1) < 1e-6);
  expect("run", run_all(model).at(0).result.has_value());
  return failures;
}
