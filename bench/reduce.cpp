// Assembly and reduction of a large frame: 2,000 beam elements, 12,000 unknowns.
#include "lithe/reduce/reduce.h"

#include <benchmark/benchmark.h>

#include "lithe/fem/assemble.h"
#include "lithe/reduce/solvers/eigensolver_spectra.h"

namespace lithe {
namespace {

// A ladder in space: two rails with rungs, every rung turned a little against the one before.
Model ladder(int num_rungs, int elements_per_segment) {
  Model model;
  model.materials = {{"steel", 7850, 2.1e11, 8.1e10}};
  Section section;
  section.area = 4e-4;
  section.second_moment_y = 2e-8;
  section.second_moment_z = 1e-8;
  section.torsion_constant = 2.5e-8;
  model.sections = {section};
  Link link;
  link.name = "ladder";
  for (int k = 0; k < num_rungs; ++k) {
    const Vector3 side(0, std::cos(0.05 * k), std::sin(0.05 * k));
    const Vector3 middle(0.2 * k, 0, 0);
    link.nodes.push_back({"", middle + 0.15 * side});
    link.nodes.push_back({"", middle - 0.15 * side});
  }
  const auto join = [&](int from, int to) {
    BeamSegment segment;
    segment.from = from;
    segment.to = to;
    segment.num_elements = elements_per_segment;
    segment.theory = BeamTheory::euler_bernoulli;
    link.segments.push_back(segment);
  };
  for (int k = 0; k < num_rungs; ++k) {
    join(2 * k, 2 * k + 1);
    if (k + 1 < num_rungs) join(2 * k, 2 * k + 2), join(2 * k + 1, 2 * k + 3);
  }
  model.links = {link};
  return model;
}

const Model& large_model() {
  static const Model model = ladder(67, 10);  // 199 segments
  return model;
}

ReductionChoice choice_of(ReductionMethod method) {
  ReductionChoice choice;
  choice.method = method;
  choice.interface_nodes = {0, 132};
  if (method == ReductionMethod::none)
    choice.num_kept_modes = 20;
  else
    choice.num_internal_modes = 20;
  return choice;
}

void assemble_frame(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(assemble(large_model(), large_model().links[0]).mass.nonZeros());
}
BENCHMARK(assemble_frame)->Unit(benchmark::kMillisecond);

void reduce_frame(benchmark::State& state, ReductionMethod method, SparseEigenSolver solver) {
  const FiniteElementBody body = assemble(large_model(), large_model().links[0]);
  set_sparse_eigensolver(solver);
  double lowest = 0;
  for (auto _ : state) lowest = reduce(body, choice_of(method), {}, {}).squared_frequencies(0);
  state.counters["dofs"] = body.num_dofs();
  state.counters["lowest_hz"] = std::sqrt(lowest) / 6.283185307179586;
  set_sparse_eigensolver(nullptr);
}
BENCHMARK_CAPTURE(reduce_frame, free_modes_spectra, ReductionMethod::none, &spectra_lanczos)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reduce_frame, free_modes_subspace, ReductionMethod::none, &subspace_iteration)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reduce_frame, craig_bampton, ReductionMethod::craig_bampton, &spectra_lanczos)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reduce_frame, rubin, ReductionMethod::rubin, &spectra_lanczos)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lithe

BENCHMARK_MAIN();
