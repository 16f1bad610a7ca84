// Any formulation with everything that is needed to look at it, and motion of what its sensors see.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lithe/analyse/simulate.h"
#include "lithe/formulate/constrained_equations.h"
#include "lithe/formulate/formulation.h"
#include "support/flexible_models.h"

namespace lithe::testing {

struct Formulated {
  explicit Formulated(const Model& model, const FormulationChoice& choice = {})
      : equations(make_equations(model, choice)), workspace(equations->make_workspace()), inputs(make_inputs(model)) {
    evaluate_inputs(model, 0.0, inputs);
    state = equations->initial_state();
    accelerations.values.setZero(equations->num_coordinates());
  }
  void evaluate() { ASSERT_EQ(equations->evaluate(state, inputs, *workspace, accelerations), EvaluationStatus::ok); }
  NodeMotion node(int link, int index) {
    return equations->node_motion(state, inputs, accelerations, link, index, *workspace);
  }
  SignalValue joint(int index, int freedom = 0) {
    return equations->joint_motion(state, inputs, accelerations, index, freedom, *workspace);
  }
  Energies energies() { return equations->energies(state, inputs, *workspace); }
  double violation() {
    return dynamic_cast<const ConstrainedEquations&>(*equations).constraint_violation(state, inputs, *workspace);
  }

  std::unique_ptr<Equations> equations;
  std::unique_ptr<Workspace> workspace;
  Inputs inputs;
  State state;
  Accelerations accelerations;
};

// Sensors at the last node of every link that has one.
inline Model with_tips(Model model) {
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

struct RunSettings {
  std::string integrator = "dormand_prince";
  double tolerance = 1e-9, step = 0;
  int samples = 40;
};

inline Trajectory run(const Model& model, const FormulationChoice& choice, double end,
                      const RunSettings& settings = {}) {
  const auto equations = make_equations(model, choice);
  SimulateOptions options;
  options.end_time = end;
  options.output_step = end / settings.samples;
  options.integrator = settings.integrator;
  options.integration.tolerance = settings.tolerance;
  options.integration.fixed_step = settings.step;
  Trajectory motion = simulate(*equations, at_rest(*equations), options);
  EXPECT_EQ(motion.end, RunEnd::finished) << motion.message;
  return motion;
}

// Over all sensors, energies left out.
inline double largest_difference(const Trajectory& a, const Trajectory& b) {
  EXPECT_EQ(a.times.size(), b.times.size());
  double largest = 0;
  for (std::size_t c = 0; c + 4 < a.columns.size(); ++c)
    for (std::size_t i = 0; i < std::min(a.times.size(), b.times.size()); ++i)
      largest = std::max(largest, std::abs(a.columns[c].values[i] - b.columns[c].values[i]));
  return largest;
}

}  // namespace lithe::testing
