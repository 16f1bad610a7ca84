// Cost of one evaluation of the kinematics, and of closing loops from a guess.
#include <benchmark/benchmark.h>

#include "lithe/kinematics/independent.h"
#include "support/model_builder.h"

namespace {

using namespace lithe;

void tree_motion(benchmark::State& run) {
  const Model model = testing::chain(static_cast<int>(run.range(0)));
  const Mechanism mechanism(model);
  const Configuration configuration = unclosed_configuration(mechanism);
  const VectorX rates = VectorX::Ones(mechanism.num_coordinates());
  KinematicState state(mechanism);
  for (auto _ : run) {
    update_position(mechanism, configuration, state);
    update_velocity(mechanism, rates, state);
    update_acceleration(mechanism, rates, state);
    benchmark::DoNotOptimize(state.acceleration.data());
  }
  run.SetComplexityN(run.range(0));
}
BENCHMARK(tree_motion)->RangeMultiplier(10)->Range(1, 1000)->Complexity(benchmark::oN);

void build_mechanism(benchmark::State& run) {
  const Model model = testing::chain(static_cast<int>(run.range(0)));
  for (auto _ : run) benchmark::DoNotOptimize(Mechanism(model).num_frames());
  run.SetComplexityN(run.range(0));
}
BENCHMARK(build_mechanism)->RangeMultiplier(10)->Range(10, 1000)->Complexity(benchmark::oN);

void close_ladder_from_guess(benchmark::State& run) {
  const Model model = testing::ladder(static_cast<int>(run.range(0)));
  const Mechanism mechanism(model);
  for (auto _ : run) {
    Configuration configuration = unclosed_configuration(mechanism);
    benchmark::DoNotOptimize(close_loops(mechanism, configuration).num_iterations);
  }
}
BENCHMARK(close_ladder_from_guess)->Arg(1)->Arg(10)->Arg(50);

// Γ and the velocities of all links at a closed configuration.
void ladder_map(benchmark::State& run) {
  const Model model = testing::ladder(static_cast<int>(run.range(0)));
  const Mechanism mechanism(model);
  Configuration closed = unclosed_configuration(mechanism);
  close_loops(mechanism, closed);
  const IndependentCoordinates independent = choose_independent(mechanism, model, closed);
  KinematicState state(mechanism);
  VelocityMap map(mechanism, independent);
  const VectorX speeds = VectorX::Ones(independent.mobility());
  VectorX rates(mechanism.num_coordinates());
  for (auto _ : run) {
    update_position(mechanism, closed, state);
    update_map(mechanism, independent, state, map);
    rates.noalias() = map.matrix * speeds;
    update_velocity(mechanism, rates, state);
    benchmark::DoNotOptimize(state.velocity.data());
  }
}
BENCHMARK(ladder_map)->Arg(1)->Arg(10)->Arg(50);

}  // namespace

BENCHMARK_MAIN();
