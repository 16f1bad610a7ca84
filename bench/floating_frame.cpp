// The floating-frame formulation: 2 s of the L-shape with 12 modes at a tip error of 1e-5 m, and the cost of one
// evaluation over the number of bodies of a chain; of corotational beams, over the number of elements.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/formulation.h"
#include "support/flexible_models.h"

namespace {

using namespace lithe;
using namespace lithe::testing;

// Processor time, s.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Trajectory run(const Equations& equations, double tolerance) {
  SimulateOptions options;
  options.end_time = 2;
  options.output_step = 0.01;
  options.integration.tolerance = tolerance;
  options.energy_balance = options.keep_states = false;
  return simulate(equations, start_state(equations), options);
}

double tip_error(const Trajectory& a, const Trajectory& b) {
  double largest = 0;
  for (int k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < std::min(a.times.size(), b.times.size()); ++i)
      largest = std::max(largest, std::abs(a.columns[k].values[i] - b.columns[k].values[i]));
  return largest;
}

void l_shape_12_modes() {
  Model model = l_shape(7e10, 2, 12);
  Sensor tip;
  tip.name = "tip";
  tip.link = 0;
  tip.node = 2;
  model.sensors = {tip};
  const auto erls = make_equations(model), floating = make_equations(model, {.formulation = "floating-frame"});
  const Trajectory converged = run(*erls, 1e-8);
  for (const double tolerance : {3e-4, 1e-4, 3e-5, 1e-5}) {
    double best = 1e9;
    Trajectory motion;
    for (int i = 0; i < 5; ++i) {
      const double start = now();
      motion = run(*floating, tolerance);
      best = std::min(best, now() - start);
    }
    std::printf("L-shape, 12 modes, 2 s, tolerance %.0e m/s: %7.2f ms, tip error %.1e m, %ld steps, %ld evaluations\n",
                tolerance, 1e3 * best, tip_error(motion, converged), motion.counters.steps,
                motion.counters.evaluations);
  }
}

Model chain(int num_links) {
  FlexibleBuilder b;
  int parent = -1;
  for (int k = 0; k < num_links; ++k) {
    const int link = b.beam("link" + std::to_string(k), {{0, 0, 0}, {0.2, 0, 0}}, 2, 6);
    b.hinge("joint" + std::to_string(k), JointType::revolute, parent, {parent < 0 ? 0.0 : 0.2, 0, 0}, link, {0, 0, 0},
            Vector3(0, 1, 0.1 * (k % 3)).normalized(), {0.05});
    parent = link;
  }
  return b.model();
}

double evaluation_time(const Model& model, const char* formulation) {
  const auto equations = make_equations(model, {.formulation = formulation});
  const auto workspace = equations->make_workspace();
  const State state = equations->initial_state();
  const Inputs inputs = make_inputs(model);
  Accelerations accelerations;
  double best = 1e9;
  for (int repetition = 0; repetition < 5; ++repetition) {
    const double start = now();
    for (int i = 0; i < 200; ++i) equations->evaluate(state, inputs, *workspace, accelerations);
    best = std::min(best, (now() - start) / 200);
  }
  return best;
}

void chains() {
  for (const int n : {10, 20, 50, 100}) {
    const double time = evaluation_time(chain(n), "floating-frame");
    std::printf("chain of %3d links, 6 modes each: %8.1f us per evaluation, %5.2f us per link\n", n, 1e6 * time,
                1e6 * time / n);
  }
}

void beams() {
  for (const int n : {4, 12, 40}) {
    const double time = evaluation_time(l_shape(7e10, n / 2), "corotational");
    std::printf("corotational L-shape of %2d elements: %8.1f us per evaluation, %5.2f us per element\n", n, 1e6 * time,
                1e6 * time / n);
  }
}

}  // namespace

int main() {
  l_shape_12_modes();
  chains();
  beams();
}
