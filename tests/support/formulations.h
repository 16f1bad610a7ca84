// Any formulation with everything that is needed to look at it, and motion of what its sensors see.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/contract/constrained_equations.h"
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
Model with_tips(Model model);

struct RunSettings {
  std::string integrator = "dormand_prince";
  double tolerance = 1e-9, step = 0;
  int samples = 40;
};

Trajectory run(const Model& model, const FormulationChoice& choice, double end, const RunSettings& settings = {});

// Over all sensors, energies left out.
double largest_difference(const Trajectory& a, const Trajectory& b);

}  // namespace lithe::testing
