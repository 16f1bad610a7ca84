// The energy balance of runs whose steps are much longer than the vibrations in them, and how it is judged.
#include "lithe/analyse/motion/work_integral.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/run_notes.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"
#include "support/flexible_models.h"

namespace lithe::testing {
namespace {

// Clamped at the origin, with a force at the tip.
Model loaded_cantilever(const Signal& force, double ratio) {
  FlexibleBuilder b;
  const int beam = b.beam("beam", {{0, 0, 0}, {1, 0, 0}}, 6);
  b.hinge("clamp", JointType::fixed, -1, {0, 0, 0}, beam, {0, 0, 0}, Vector3::UnitZ());
  b.model().gravity.setZero();
  b.model().links[beam].damping.modal_ratios = {ratio};
  b.model().loads.push_back({"push", {}, beam, 1, false, false, Vector3::UnitZ(), force});
  return b.model();
}

Trajectory moved(const Model& model, double end) {
  const auto equations = make_equations(model, {});
  SimulateOptions options;
  options.end_time = end;
  options.output_step = end / 50;
  return simulate(*equations, start_state(*equations), options);
}

// A constant force is exact in a few long steps, and so is its work: the force times the way of the tip. What dampers
// take is the work less the energy that is left.
TEST(EnergyBalance, ClosesInStepsOfManyVibrations) {
  for (const double ratio : {0.0, 0.02}) {
    const Trajectory motion = moved(loaded_cantilever(SignalConstant{10}, ratio), 1);
    ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
    EXPECT_LT(motion.counters.steps, 60);
    EXPECT_GT(motion.energy.largest_kinetic, 1e-3);
    EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-6 * motion.energy.largest_kinetic) << ratio;
    EXPECT_TRUE(motion.warnings.empty()) << motion.warnings.front();
  }
}

TEST(EnergyBalance, ClosesForForcesThatVary) {
  for (const Signal& force : {Signal(SignalSine{10, 2, 0.3, 1, 0}), Signal(SignalRamp{0.1, 0.6, 0, 10})}) {
    const Trajectory motion = moved(loaded_cantilever(force, 0.01), 1);
    ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
    EXPECT_LT(std::abs(motion.energy.imbalance()), 1e-4 * motion.energy.largest_kinetic);
    EXPECT_TRUE(motion.warnings.empty()) << motion.warnings.front();
  }
}

// Steps of a period of the first vibration with numerical damping: the energy vanishes, and the run says so.
TEST(EnergyBalance, IsBrokenWhereTheMethodTakesTheEnergy) {
  const auto equations = make_equations(loaded_cantilever(SignalConstant{10}, 0), {});
  SimulateOptions options;
  options.end_time = 2;
  options.output_step = 0.05;
  options.integrator = "generalised_alpha";
  options.integration.fixed_step = 0.02;
  options.integration.spectral_radius = 0;
  const Trajectory motion = simulate(*equations, start_state(*equations), options);
  EXPECT_EQ(motion.end, RunEnd::failed);
  EXPECT_NE(motion.message.find("the energy balance is open by"), std::string::npos) << motion.message;
  EXPECT_EQ(motion.states.size(), 41u);  // all of it is kept
}

// Work and cost of the same steps, with the quadrature at instants that the integrator knows and without.
struct TwoIntegrals {
  double input_off = 0, loss_off = 0, turnover = 0, cost = 0, cost_without = 0;
  long steps = 0;
};

TwoIntegrals integrate_twice(const Model& model, const char* method, double end, double tolerance) {
  const auto equations = make_equations(model, {});
  const InputFunction inputs = [&](double time, const State&, Inputs& result) {
    evaluate_inputs(equations->model(), time, result);
  };
  System system{equations.get(), inputs, make_inputs(equations->model())};
  IntegratorOptions options;
  options.tolerance = tolerance;
  const auto integrator = make_integrator(method, system, options);
  WorkIntegral quick(*equations, inputs, true), fine(*equations, inputs, true);
  StepReport report = integrator->start(start_state(*equations));
  while (report.ok() && integrator->state().time < end) {
    report = integrator->step(end);
    quick.add_step(*integrator, end, integrator->known_workspace());
    fine.add(*integrator, integrator->previous().time, integrator->state().time);
  }
  EXPECT_TRUE(report.ok()) << report.text();
  return {quick.input_work() - fine.input_work(),
          quick.dissipated() - fine.dissipated(),
          fine.turnover(),
          quick.cost(),
          fine.cost(),
          integrator->counters().steps};
}

Model damped_slider_crank() {
  Model model = read_model(LITHE_MODELS_DIR "/slider_crank.toml");
  for (Link& link : model.links) link.damping.modal_ratios = {0.01};
  return model;
}

// The drive's force at the stages of a step comes free: what is left of the cost is the looks that check it. The same
// work to a tenth of what the balance may be open by.
TEST(WorkIntegral, CostsLittleWhereTheIntegratorKnowsTheMotion) {
  const TwoIntegrals work = integrate_twice(damped_slider_crank(), "exponential", 0.2, 1e-6);
  EXPECT_LT(work.cost, 0.6 * work.cost_without);
  EXPECT_LT(std::abs(work.input_off) + std::abs(work.loss_off), 1e-5 * work.turnover);
}

// Three evaluations a step where the integrator has no accelerations of its own.
TEST(WorkIntegral, NeedsNoEvaluationsBetweenTheStagesOfRadau) {
  const TwoIntegrals work = integrate_twice(damped_slider_crank(), "radau", 0.2, 1e-6);
  EXPECT_LT(work.cost, 2.5 * static_cast<double>(work.steps));
  EXPECT_EQ(work.input_off, 0);
}

// Steps of many vibrations: Simpson's rule would sample them, so that the looks keep to the integral without them.
TEST(WorkIntegral, KeepsTheFineIntegralWhereInstantsMissVibrations) {
  const TwoIntegrals work = integrate_twice(loaded_cantilever(SignalSine{10, 2, 0.3, 1, 0}, 0), "exponential", 1, 1e-4);
  EXPECT_LT(std::abs(work.input_off), 1e-5 * work.turnover);
}

EnergyBalance balance(double imbalance) {
  EnergyBalance energy;
  energy.end = imbalance;
  return energy;
}

EnergyScale scale(double stored, double turnover, double inherited = 0) {
  EnergyScale result;
  result.look({.kinetic = stored, .gravity = 0, .elastic = 0});
  result.turnover = turnover;
  result.inherited = inherited;
  return result;
}

TEST(EnergyBalance, IsJudgedByStoredEnergyAndWhatPassed) {
  EXPECT_EQ(open_balance(balance(0.004), scale(1, 0)), "");
  EXPECT_NE(open_balance(balance(-0.006), scale(1, 0)), "");
  EXPECT_EQ(broken_balance(balance(0.09), scale(1, 0)), "");
  EXPECT_NE(broken_balance(balance(-0.11), scale(1, 0)), "");
  EXPECT_EQ(open_balance(balance(0.1), scale(1, 1e3)), "");     // 0.01 % of what passed
  EXPECT_NE(open_balance(balance(0.6), scale(1, 1e6)), "");     // half of what is stored, whatever passed
  EXPECT_NE(broken_balance(balance(1.1), scale(1, 1e9)), "");   // all of it
  EXPECT_EQ(open_balance(balance(0.5), scale(1, 0, 0.5)), "");  // another run's
  EXPECT_EQ(broken_balance(balance(0.5), scale(1, 0, 0.5)), "");
}

// Lost, by an integrator that damps, and no more than links and springs held.
TEST(EnergyBalance, WarnsOfVibrationsThatAnIntegratorTakesOut) {
  EnergyScale rings = scale(0.2, 0);
  rings.look({.kinetic = 0, .gravity = 0, .elastic = 0.8});
  EXPECT_NE(broken_balance(balance(-0.3), rings), "");
  rings.damps_vibrations = true;
  EXPECT_EQ(broken_balance(balance(-0.3), rings), "");
  EXPECT_NE(open_balance(balance(-0.3), rings).find("takes out vibrations"), std::string::npos);
  EXPECT_NE(broken_balance(balance(0.3), rings), "");   // gained
  EXPECT_NE(broken_balance(balance(-0.9), rings), "");  // more than vibrated
}

// Many steps that resolve vibrations of links, and nothing that would damp these.
TEST(RunNotes, NameTheRemedyWhereVibrationsNeverDieOut) {
  const auto undamped = make_equations(loaded_cantilever(SignalConstant{10}, 0), {});
  const auto damped = make_equations(loaded_cantilever(SignalConstant{10}, 0.01), {});
  EXPECT_NE(undamped_note(*undamped, 100000, 1).find("[damping] ratio = 0.01"), std::string::npos);
  EXPECT_EQ(undamped_note(*damped, 100000, 1), "");
  EXPECT_EQ(undamped_note(*undamped, 1000, 0.01), "");   // a short run
  EXPECT_EQ(undamped_note(*undamped, 10000, 1000), "");  // steps of many vibrations
}

}  // namespace
}  // namespace lithe::testing
