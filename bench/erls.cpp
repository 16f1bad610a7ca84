// Cost of one evaluation of the equations of motion (ERLS-CMS) and of one exact linearisation.
#include <benchmark/benchmark.h>

#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/read/read_model.h"
#include "support/flexible_models.h"

namespace {

using namespace lithe;

Model model_file(const char* name) { return read_model(std::string(LITHE_MODELS_DIR "/") + name + ".toml"); }

Model industrial(int modes_per_link) {
  Model model = model_file("industrial_6r");
  for (Link& link : model.links) {
    link.reduction.num_internal_modes.reset();
    link.reduction.num_kept_modes = modes_per_link;
  }
  return model;
}

// An arm whose joints are free to move, so that they count among the coordinates.
Model without_drives(Model model) {
  model.drives.clear();
  return model;
}

// A chain of flexible links with six modes each, hinged about y and z in turn.
Model flexible_chain(int num_links) {
  testing::FlexibleBuilder b;
  for (int i = 0; i < num_links; ++i) {
    const int link = b.beam("link" + std::to_string(i), {{0, 0, 0}, {0.2, 0, 0}}, 2, 6);
    const Vector3 axis = i % 2 == 0 ? Vector3::UnitY() : Vector3::UnitZ();
    b.hinge("joint" + std::to_string(i), JointType::revolute, link - 1, i == 0 ? Vector3::Zero() : Vector3(0.2, 0, 0),
            link, Vector3::Zero(), axis, {0.1}, {0.2});
  }
  return b.model();
}

// A moving, slightly bent state, so that no term is zero.
State busy(const ErlsCms& equations) {
  State state = equations.initial_state();
  for (int i = 0; i < equations.num_coordinates(); ++i) {
    if (i >= equations.num_joint_coordinates()) state.coordinates[i] += 1e-5 * (i % 3 - 1);
    state.speeds[i] += 1e-3 * (i % 5 - 2);
  }
  return state;
}

void evaluate_model(benchmark::State& run, const Model& model) {
  const ErlsCms equations(reduce(model));
  const State state = busy(equations);
  const auto workspace = equations.make_workspace();
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0.1, inputs);
  Accelerations accelerations;
  accelerations.values.setZero(equations.num_coordinates());
  if (equations.evaluate(state, inputs, *workspace, accelerations) != EvaluationStatus::ok) run.SkipWithError("failed");
  for (auto _ : run) {
    equations.evaluate(state, inputs, *workspace, accelerations);
    benchmark::DoNotOptimize(accelerations.values.data());
  }
  run.counters["coordinates"] = equations.num_coordinates();
}

void linearise_model(benchmark::State& run, const Model& model) {
  const ErlsCms equations(reduce(model));
  const State state = busy(equations);
  const auto workspace = equations.make_workspace();
  Inputs inputs = make_inputs(model);
  evaluate_inputs(model, 0.1, inputs);
  LinearBlocks blocks;
  for (auto _ : run) {
    equations.linearise(state, inputs, *workspace, blocks);
    benchmark::DoNotOptimize(blocks.mass.data());
  }
  run.counters["coordinates"] = equations.num_coordinates();
}

void evaluate_l_shape_24_modes(benchmark::State& run) { evaluate_model(run, model_file("l_shape_cmp")); }
BENCHMARK(evaluate_l_shape_24_modes)->Unit(benchmark::kMicrosecond);

void evaluate_6r(benchmark::State& run) {
  evaluate_model(run, without_drives(industrial(static_cast<int>(run.range(0)))));
}
BENCHMARK(evaluate_6r)->Arg(6)->Arg(8)->Unit(benchmark::kMicrosecond);

void evaluate_6r_prescribed(benchmark::State& run) { evaluate_model(run, industrial(static_cast<int>(run.range(0)))); }
BENCHMARK(evaluate_6r_prescribed)->Arg(6)->Arg(8)->Unit(benchmark::kMicrosecond);

void evaluate_four_bar(benchmark::State& run) { evaluate_model(run, model_file("four_bar")); }
BENCHMARK(evaluate_four_bar)->Unit(benchmark::kMicrosecond);

void evaluate_chain(benchmark::State& run) {
  evaluate_model(run, flexible_chain(static_cast<int>(run.range(0))));
  run.SetComplexityN(run.range(0));
}
BENCHMARK(evaluate_chain)
    ->Arg(10)
    ->Arg(20)
    ->Arg(40)
    ->Arg(70)
    ->Arg(100)
    ->Unit(benchmark::kMicrosecond)
    ->Complexity(benchmark::oN);

void linearise_l_shape_24_modes(benchmark::State& run) { linearise_model(run, model_file("l_shape_cmp")); }
BENCHMARK(linearise_l_shape_24_modes)->Unit(benchmark::kMicrosecond);

void linearise_6r_8_modes(benchmark::State& run) { linearise_model(run, without_drives(industrial(8))); }
BENCHMARK(linearise_6r_8_modes)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
