// Motion of a mechanism for laws about it: fixed steps of the explicit integrator, and what can be seen of a state.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/integrate/runge_kutta.h"

namespace lithe::testing {

// Equations with everything that is needed to look at them.
struct Watched {
  explicit Watched(const Model& model, Gauge gauge = Gauge::encoder) : Watched(model, options_with(gauge)) {}
  Watched(const Model& model, const ErlsOptions& options)
      : reduced(reduce(model)),
        equations(reduced, options),
        workspace(equations.make_workspace()),
        inputs(make_inputs(model)) {}
  static ErlsOptions options_with(Gauge gauge) {
    ErlsOptions options;
    options.gauge = gauge;
    return options;
  }

  EvaluationStatus evaluate(const State& state) { return equations.evaluate(state, inputs, *workspace, accelerations); }
  // Motion of a node at a state; evaluates it first.
  NodeMotion node(const State& state, int link, int node) {
    EXPECT_EQ(evaluate(state), EvaluationStatus::ok);
    return equations.node_motion(state, inputs, accelerations, link, node, *workspace);
  }
  // All nodes of all links, in the model's order.
  std::vector<Vector3> positions(const State& state) {
    EXPECT_EQ(evaluate(state), EvaluationStatus::ok);
    std::vector<Vector3> result;
    for (int link = 0; link < static_cast<int>(equations.model().links.size()); ++link)
      for (int k = 0; k < static_cast<int>(equations.model().links[link].nodes.size()); ++k)
        result.push_back(equations.node_motion(state, inputs, accelerations, link, k, *workspace).position);
    return result;
  }
  double energy(const State& state) { return equations.energies(state, inputs, *workspace).total(); }

  ReducedModel reduced;
  ErlsCms equations;
  std::unique_ptr<Workspace> workspace;
  Inputs inputs;
  Accelerations accelerations;
};

// Fixed steps of the Dormand-Prince method to `end`. `after_step` sees every state.
template <class AfterStep>
State move_watched(const Watched& system, const State& start, double end, double step, AfterStep after_step,
                   const InputFunction& inputs = {}) {
  IntegratorOptions options;
  options.fixed_step = step;
  RungeKutta integrator({&system.equations, inputs, system.inputs}, options);
  StepReport report = integrator.start(start);
  while (report.ok() && integrator.state().time < end) {
    report = integrator.step(end);
    after_step(integrator.state());
  }
  EXPECT_TRUE(report.ok()) << report.text();
  return integrator.state();
}
State move(const Watched& system, const State& start, double end, double step, const InputFunction& inputs = {});

double largest_distance(const std::vector<Vector3>& a, const std::vector<Vector3>& b);

}  // namespace lithe::testing
