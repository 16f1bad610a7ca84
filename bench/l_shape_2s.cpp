// 2 s of the L-shape of [CMP] with all 30 modes (24 elastic ones, up to 24.6 kHz), released at 135 degrees under
// gravity: time and error at the tip, at 200 instants, for a few tolerances and for fixed steps.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/reproduce/papers/l_shape.h"
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/read/read_model.h"

namespace {

using namespace lithe;

struct Timed {
  Trajectory trajectory;
  double seconds = 0;  // best of the repetitions
};

Timed run(const Equations& equations, const char* integrator, double tolerance, double fixed_step, int repetitions) {
  SimulateOptions options;
  options.end_time = 2;
  options.output_step = 0.01;
  options.integrator = integrator;
  options.integration.tolerance = tolerance;
  options.integration.fixed_step = fixed_step;
  options.energy_balance = options.keep_states = false;
  Timed result;
  result.seconds = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    result.trajectory = simulate(equations, start_state(equations), options);
    result.seconds =
        std::min(result.seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return result;
}

double tip_error(const Trajectory& a, const Trajectory& b) {
  double largest = a.end == RunEnd::finished ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.times.size(), b.times.size()); ++i) {
    Vector3 difference;
    for (int k = 0; k < 3; ++k) difference[k] = a.columns[k].values[i] - b.columns[k].values[i];
    largest = std::max(largest, difference.norm());
  }
  return largest;
}

}  // namespace

int main() {
  Model model = read_model(LITHE_MODELS_DIR "/l_shape_cmp.toml");
  Sensor tip;
  tip.name = "tip";
  tip.quantity = Quantity::position;
  tip.link = 0;
  tip.node = 2;
  model.sensors = {tip};
  const ErlsCms equations(reduce(published_l_shape(model, {false, 4, 30, 30})));
  const Trajectory converged = run(equations, "exponential", 1, 2.5e-5, 1).trajectory;
  const Trajectory independent = run(equations, "generalised_alpha", 1e-9, 2e-5, 1).trajectory;
  std::printf("converged against generalised-alpha with 20 us steps: %.1e m\n", tip_error(converged, independent));
  for (const double tolerance : {1e-4, 3e-5, 1e-5, 3e-6, 1e-6}) {
    const Timed r = run(equations, "exponential", tolerance, 0, 5);
    std::printf("tolerance %.0e m/s: %7.2f ms, tip error %.1e m, %ld steps, %ld evaluations\n", tolerance,
                1e3 * r.seconds, tip_error(r.trajectory, converged), r.trajectory.counters.steps,
                r.trajectory.counters.evaluations);
  }
  for (const double step : {5e-3, 2.5e-3, 2e-3, 1e-3, 5e-4}) {
    const Timed r = run(equations, "exponential", 1, step, 5);
    std::printf("step %.1f ms: %7.2f ms, tip error %.1e m, %ld evaluations\n", 1e3 * step, 1e3 * r.seconds,
                tip_error(r.trajectory, converged), r.trajectory.counters.evaluations);
  }
}
