#include "support/formulations.h"

#include "lithe/analyse/equilibrium/equilibrium.h"

namespace lithe::testing {

Model with_tips(Model model) {
  model.sensors.clear();
  for (std::size_t k = 0; k < model.links.size(); ++k) {
    if (model.links[k].nodes.empty()) continue;
    Sensor sensor;
    sensor.name = model.links[k].name;
    sensor.link = static_cast<int>(k);
    sensor.node = static_cast<int>(model.links[k].nodes.size()) - 1;
    model.sensors.push_back(sensor);
  }
  return model;
}

Trajectory run(const Model& model, const FormulationChoice& choice, double end, const RunSettings& settings) {
  const auto equations = make_equations(model, choice);
  SimulateOptions options;
  options.end_time = end;
  options.output_step = end / settings.samples;
  options.integrator = settings.integrator;
  options.integration.tolerance = settings.tolerance;
  options.integration.fixed_step = settings.step;
  Trajectory motion = simulate(*equations, start_state(*equations), options);
  EXPECT_EQ(motion.end, RunEnd::finished) << motion.message;
  return motion;
}

double largest_difference(const Trajectory& a, const Trajectory& b) {
  EXPECT_EQ(a.times.size(), b.times.size());
  double largest = 0;
  for (std::size_t c = 0; c + 4 < a.columns.size(); ++c)
    for (std::size_t i = 0; i < std::min(a.times.size(), b.times.size()); ++i)
      largest = std::max(largest, std::abs(a.columns[c].values[i] - b.columns[c].values[i]));
  return largest;
}

}  // namespace lithe::testing
