// Controllers: one step of predictive control, Riccati equations, and a closed loop at 1 kHz against real time.
#include <benchmark/benchmark.h>

#include <cmath>

#include "lithe/analyse/control/make_control.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/control/linear/discretise.h"
#include "lithe/control/linear/riccati.h"
#include "lithe/control/predictive.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace {

using namespace lithe;

// Two motors, each with an inertia and two flexible modes: 12 states, as a five-bar has.
StateSpace two_axes(double sample_time) {
  StateSpace s;
  s.a = MatrixX::Zero(12, 12);
  s.b = MatrixX::Zero(12, 2);
  s.c = MatrixX::Zero(2, 12);
  s.d = MatrixX::Zero(2, 2);
  for (int k = 0; k < 6; ++k) {
    const double omega = k < 2 ? 0 : 12.0 * k;
    s.a(k, 6 + k) = k < 2 ? 1 : omega;
    s.a(6 + k, k) = -omega;
    s.a(6 + k, 6 + k) = -0.02 * omega;
    s.b(6 + k, 0) = k % 2 == 0 ? 3 : 0.7;
    s.b(6 + k, 1) = k % 2 == 0 ? -0.6 : 2.5;
    s.c(k % 2, k) = k < 2 ? 1 : 0.05;
  }
  return zero_order_hold(s, sample_time);
}

PredictiveOptions limited(const StateSpace& system) {
  PredictiveOptions options;
  options.horizon = 30;
  options.state_weight = 2500 * system.c.transpose() * system.c + 1e-3 * MatrixX::Identity(12, 12);
  options.input_weight = 0.25 * MatrixX::Identity(2, 2);
  options.upper_input = VectorX::Constant(2, 2.0);
  options.lower_input = -options.upper_input;
  options.upper_rate = VectorX::Constant(2, 1.0);
  options.lower_rate = -options.upper_rate;
  options.upper_output = VectorX::Constant(2, 0.6);
  options.lower_output = -options.upper_output;
  options.softness = 1e4;
  return options;
}

// Every sample of a move of half a radian that starts at the torque limits; the longest sample is told, too.
void mpc_step(benchmark::State& run) {
  const StateSpace system = two_axes(0.01);
  PredictiveController controller(system, limited(system));
  VectorX x = VectorX::Zero(12), u = VectorX::Zero(2);
  long iterations = 0, samples = 0;
  int most = 0, k = 0;
  for (auto _ : run) {
    if (k++ % 200 == 0) {
      x.setZero();
      x[0] = 0.5;
      x[1] = -0.4;
      u.setZero();
      controller.forget();
    }
    const PredictiveReport report = controller.solve(x, u, u);
    if (report.status != QpStatus::solved) run.SkipWithError("no plan");
    x = system.a * x + system.b * u;
    iterations += report.iterations;
    most = std::max(most, report.active);
    ++samples;
  }
  run.counters["iterations"] = static_cast<double>(iterations) / static_cast<double>(samples);
  run.counters["most_active"] = most;
}
BENCHMARK(mpc_step)->Unit(benchmark::kMicrosecond);

// The first sample of that move from a cold start, the worst one.
void mpc_step_cold(benchmark::State& run) {
  const StateSpace system = two_axes(0.01);
  PredictiveController controller(system, limited(system));
  VectorX x = VectorX::Zero(12), u(2);
  x[0] = 0.5;
  x[1] = -0.4;
  PredictiveReport report;
  for (auto _ : run) {
    controller.forget();
    report = controller.solve(x, VectorX::Zero(2), u);
    benchmark::DoNotOptimize(u.data());
  }
  run.counters["iterations"] = report.iterations;
  run.counters["active"] = report.active;
}
BENCHMARK(mpc_step_cold)->Unit(benchmark::kMicrosecond);

void discrete_riccati_12_states(benchmark::State& run) {
  const StateSpace s = two_axes(0.01);
  const MatrixX q = s.c.transpose() * s.c + 1e-6 * MatrixX::Identity(12, 12), r = MatrixX::Identity(2, 2);
  for (auto _ : run) benchmark::DoNotOptimize(solve_discrete_riccati(s.a, s.b, q, r).gain.data());
}
BENCHMARK(discrete_riccati_12_states)->Unit(benchmark::kMicrosecond);

// One second of the flexible arm under LQG at 1 kHz.
void closed_loop(benchmark::State& run, const char* file, const std::vector<int>& which) {
  const Model model = read_model(std::string(LITHE_MODELS_DIR "/") + file + ".toml");
  const auto equations = make_equations(model);
  const State start = equations->initial_state();
  SimulateOptions options;
  options.end_time = 1;
  options.output_step = 0.01;
  options.control = make_control_loop(*equations, start, which);
  for (auto _ : run) {
    const Trajectory motion = simulate(*equations, start, options);
    if (motion.end != RunEnd::finished) run.SkipWithError(motion.message.c_str());
  }
  run.counters["times_real_time"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
  run.counters["coordinates"] = equations->num_coordinates();
}
void closed_loop_arm_lqg_1khz(benchmark::State& run) { closed_loop(run, "control_arm", {3}); }
BENCHMARK(closed_loop_arm_lqg_1khz)->Unit(benchmark::kMillisecond);
void closed_loop_arm_pid_1khz(benchmark::State& run) { closed_loop(run, "control_arm", {0}); }
BENCHMARK(closed_loop_arm_pid_1khz)->Unit(benchmark::kMillisecond);
void closed_loop_five_bar_lqg_1khz(benchmark::State& run) { closed_loop(run, "control_five_bar", {2}); }
BENCHMARK(closed_loop_five_bar_lqg_1khz)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
