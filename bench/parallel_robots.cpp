// Parallel robots with flexible legs at a fixed step of 1 ms, as a controller would step them: the processor time of
// every step, the worst one, and the error of the tool against a converged run.
//   parallel_robots [--profile]    with it the steps of both robots once and nothing else, for a profiler
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"

namespace {

using namespace lithe;

constexpr double step = 1e-3;  // s

struct Robot {
  std::string name;
  Model model;
  double end_time = 1;  // s
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// The example with twelve flexible links in its legs, whose lengths are now driven, and a move of its tool.
Model hexapod() {
  std::string text = text_of(LITHE_MODELS_DIR "/stewart_gough.toml");
  text = text.substr(0, text.find("[[analyses]]"));
  replace_all(text, "elements = 6",
              "elements = 6\ndamping = {modal_ratios = \"1 %\"}\nreduction = {internal_modes = 0}");
  replace_all(text, "stiffness = \"20 MN/m\"", "");
  text += R"([[moves]]
name = "around"
link = "platform"
node = "tool"
joints = ["slide 1", "slide 2", "slide 3", "slide 4", "slide 5", "slide 6"]
waypoints = [
  {position = [0.1, 0, 0.9], orientation = {rpy = [0, 0, 0]}},
  {position = [0, 0.1, 0.95], orientation = {rpy = [0, 0, "5 deg"]}},
  {position = [0, 0, 0.9], orientation = {rpy = [0, 0, 0]}},
]
speed = 1
acceleration = 8
jerk = 300
)";
  return read_model_text(text, "hexapod");
}

// Positions of one node alone.
Model with_tool(Model model, const std::string& link, const std::string& node) {
  Sensor tool;
  tool.name = "tool";
  tool.quantity = Quantity::position;
  for (std::size_t l = 0; l < model.links.size(); ++l)
    if (model.links[l].name == link) tool.link = static_cast<int>(l);
  const auto& nodes = model.links[static_cast<std::size_t>(tool.link)].nodes;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (nodes[k].name == node) tool.node = static_cast<int>(k);
  model.sensors = {tool};
  return model;
}

// Processor time of this thread: what others do on the machine does not count.
double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Trajectory run(const Equations& equations, const char* integrator, double tolerance, double fixed_step, double end) {
  SimulateOptions options;
  options.end_time = end;
  options.output_step = 0.01;
  options.integrator = integrator;
  options.integration.tolerance = tolerance;
  options.integration.fixed_step = fixed_step;
  options.energy_balance = options.keep_states = false;
  return simulate(equations, start_state(equations), options);
}

double largest_distance(const Trajectory& a, const Trajectory& b) {
  if (a.end != RunEnd::finished || b.end != RunEnd::finished) return std::nan("");
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.times.size(), b.times.size()); ++i) {
    Vector3 difference;
    for (int k = 0; k < 3; ++k) difference[k] = a.columns[k].values[i] - b.columns[k].values[i];
    largest = std::max(largest, difference.norm());
  }
  return largest;
}

struct StepTimes {
  double worst = 0, mean = 0;  // s
  bool finished = false;
};

StepTimes time_steps(const Equations& equations, double end) {
  const Model& model = equations.model();
  System system;
  system.equations = &equations;
  system.prototype = make_inputs(model);
  system.inputs = [&model](double time, const State&, Inputs& inputs) { evaluate_inputs(model, time, inputs); };
  IntegratorOptions options;
  options.fixed_step = step;
  const auto integrator = make_integrator("exponential", system, options);
  StepTimes times;
  if (!integrator->start(start_state(equations)).ok()) return times;
  const int steps = static_cast<int>(end / step + 0.5);
  for (int i = 1; i <= steps; ++i) {
    const double start = now();
    if (!integrator->step(i * step).ok()) return times;
    const double seconds = now() - start;
    times.worst = std::max(times.worst, seconds);
    times.mean += seconds / steps;
  }
  times.finished = true;
  return times;
}

void measure(const Robot& robot, bool profile) {
  const auto equations = make_equations(robot.model, {});
  const int passes = profile ? 1 : 5;
  StepTimes best;
  for (int i = 0; i < passes; ++i) {
    const StepTimes times = time_steps(*equations, robot.end_time);
    if (i == 0 || times.worst < best.worst) best = times;
  }
  if (profile) return;
  std::printf(
      "%s, %d coordinates, %.2f s%s: worst step %.0f us, mean %.0f us (of %d passes the one with the best worst)",
      robot.name.c_str(), equations->num_coordinates(), robot.end_time, best.finished ? "" : " (NOT FINISHED)",
      1e6 * best.worst, 1e6 * best.mean, passes);
  std::fflush(stdout);
  const Trajectory converged = run(*equations, "radau", 1e-7, 0, robot.end_time);
  const double doubt = largest_distance(run(*equations, "exponential", 1, step / 4, robot.end_time), converged);
  const Trajectory fixed = run(*equations, "exponential", 1, step, robot.end_time);
  std::printf(", error of the tool %.1e m (exponential with a quarter of the step: %.1e m)\n",
              largest_distance(fixed, converged), doubt);
}

}  // namespace

int main(int count, char** arguments) {
  const bool profile = count > 1 && std::strcmp(arguments[1], "--profile") == 0;
  measure({"delta", with_tool(read_model(LITHE_MODELS_DIR "/delta.toml"), "platform", "gripper"), 0.8}, profile);
  measure({"hexapod", with_tool(hexapod(), "platform", "tool"), 0.6}, profile);
  return 0;
}
