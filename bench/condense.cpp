// Condensation: one configuration of the Ragnar robot, a point of its map, and a large frame.
#include "lithe/analyse/condense/condense.h"

#include <benchmark/benchmark.h>

#include "lithe/analyse/sweep/sweep.h"
#include "lithe/base/text.h"
#include "lithe/fem/assemble.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/model/sections/section_properties.h"
#include "lithe/read/read_model.h"

namespace {

using namespace lithe;

const Model& ragnar() {
  static const Model model = read_model(LITHE_MODELS_DIR "/ragnar.toml");
  return model;
}

CondenseOptions tool_of(const Model& model, const std::string& node) {
  CondenseOptions options;
  options.tool = find_node(model, node);
  return options;
}

// Screws, condensation, 30 frequencies, K_E and M_E, in a configuration that is known.
void ragnar_configuration(benchmark::State& run) {
  const Condenser condenser(ragnar(), tool_of(ragnar(), "platform:E"));
  const Configuration configuration = initial_configuration(condenser.mechanism(), condenser.model());
  CondenseGeometry geometry = condenser.make_geometry();
  for (auto _ : run) {
    const CondensedModel result = condenser.condense(configuration, geometry);
    benchmark::DoNotOptimize(condensed_frequencies(result, 30).data());
    benchmark::DoNotOptimize(result.tool->mass->data());
  }
}
BENCHMARK(ragnar_configuration)->Unit(benchmark::kMicrosecond);

struct Nothing : SweepStore {
  bool is_done(long long) const override { return false; }
  void put(long long, const PointResult&, const std::vector<double>&) override {}
};

// The workspace of [SC], figure 14, with inverse kinematics; n x n points.
void ragnar_map(benchmark::State& run) {
  Sweep sweep;
  for (int c = 0; c < 2; ++c) {
    SweepAxis axis;
    axis.variable.kind = SweepVariable::Kind::tool;
    axis.variable.component = c;
    const auto n = run.range(0);
    for (int k = 0; k < n; ++k) axis.values.push_back((c == 0 ? 0.24 : 0.45) * (2.0 * k / (n - 1) - 1));
    sweep.axes.push_back(axis);
  }
  SweepSetting height;
  height.variable.kind = SweepVariable::Kind::tool;
  height.variable.component = 2;
  height.value = -0.57;
  sweep.settings = {height};
  sweep.columns = condense_columns(30, true);
  const CondenseOptions options = tool_of(ragnar(), "platform:E");
  sweep.make_analysis = [&](const std::vector<double>&) { return condense_analysis(ragnar(), options, 30); };
  Nothing store;
  for (auto _ : run) {
    SweepOptions settings;
    settings.num_threads = static_cast<int>(run.range(1));
    benchmark::DoNotOptimize(run_sweep(sweep, store, settings));
  }
}
BENCHMARK(ragnar_map)
    ->Args({100, 1})
    ->Args({100, 2})
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Iterations(1);

// A lattice of nx x ny x nz nodes whose neighbours are joined by single beams.
Model lattice(int nx, int ny, int nz) {
  Model model;
  model.name = "lattice";
  model.materials = {{"steel", 7850, 2.05e11, 7.9e10}};
  model.sections = {tube_section(0.02, 0.017)};
  Link link;
  link.name = "frame";
  const auto index = [&](int i, int j, int k) { return (k * ny + j) * nx + i; };
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) link.nodes.push_back({cat("n", index(i, j, k)), Vector3(0.3 * i, 0.3 * j, 0.3 * k)});
  const auto join = [&](int a, int b) {
    BeamSegment segment;
    segment.from = a;
    segment.to = b;
    segment.num_elements = 1;
    segment.theory = BeamTheory::euler_bernoulli;
    link.segments.push_back(segment);
  };
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        if (i + 1 < nx) join(index(i, j, k), index(i + 1, j, k));
        if (j + 1 < ny) join(index(i, j, k), index(i, j + 1, k));
        if (k + 1 < nz) join(index(i, j, k), index(i, j, k + 1));
      }
  model.links = {link};
  return model;
}

// Assembly and condensation to ten nodes.
void large_frame(benchmark::State& run) {
  const Model model =
      lattice(static_cast<int>(run.range(0)), static_cast<int>(run.range(1)), static_cast<int>(run.range(2)));
  const auto n = static_cast<int>(model.links[0].nodes.size());
  std::vector<int> kept;
  for (int k = 0; k < 10; ++k) kept.push_back(k * (n - 1) / 9);
  for (auto _ : run) benchmark::DoNotOptimize(superelement(assemble(model, model.links[0]), kept).stiffness.data());
  run.counters["elements"] = static_cast<double>(model.links[0].segments.size());
}
// A tower, a plane grid, a slab, a block: 20,000 beams each.
BENCHMARK(large_frame)
    ->Args({4, 4, 510})
    ->Args({101, 100, 1})
    ->Args({58, 58, 2})
    ->Args({19, 19, 19})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
