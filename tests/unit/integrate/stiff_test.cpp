#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "lithe/base/decompositions.h"
#include "lithe/base/diagnostics.h"
#include "lithe/integrate/exponential/oscillator_functions.h"
#include "support/small_systems.h"

namespace lithe {
namespace {

using namespace lithe::testing;

// 4-point Gauss-Legendre on many pieces of the defining integrals, with the closed-form kernel of the oscillator.
struct Quadrature {
  double position[4], speed[4];
};
Quadrature by_quadrature(double omega, double d, double t) {
  const int pieces = 2000;
  const double x[2] = {0.33998104358485626, 0.86113631159405258}, w[2] = {0.65214515486254614, 0.34785484513745386};
  Quadrature result{};
  const double discriminant = omega * omega - d * d / 4;
  for (int i = 0; i < pieces; ++i)
    for (int j = 0; j < 4; ++j) {
      const double s = (j % 2 ? 1 : -1) * x[j / 2], weight = w[j / 2] * 0.5 * t / pieces;
      const double tau = t * (i + 0.5 + 0.5 * s) / pieces, r = t - tau;
      double impulse, rate;
      if (discriminant > 0) {
        const double f = std::sqrt(discriminant), decay = std::exp(-d * r / 2);
        impulse = decay * std::sin(f * r) / f;
        rate = decay * std::cos(f * r) - d / 2 * impulse;
      } else if (discriminant == 0) {
        impulse = r * std::exp(-d * r / 2);
        rate = std::exp(-d * r / 2) * (1 - d / 2 * r);
      } else {
        const double f = std::sqrt(-discriminant), a = -d / 2 + f, b = -d / 2 - f;
        impulse = (std::exp(a * r) - std::exp(b * r)) / (2 * f);
        rate = (a * std::exp(a * r) - b * std::exp(b * r)) / (2 * f);
      }
      const double ramp = tau / t, ramps[4] = {0, 1, ramp, ramp * ramp / 2};
      for (int k = 1; k < 4; ++k) {
        result.position[k] += weight * impulse * ramps[k];
        result.speed[k] += weight * rate * ramps[k];
      }
    }
  return result;
}

TEST(OscillatorFunctions, EqualTheirIntegralsFromSlowToFastAndOverdamped) {
  for (const double omega : {0.0, 1e-3, 0.3, 0.99, 1.01, 5.0, 300.0})
    for (const double d : {0.0, 1e-3, 0.5, 2.0, 30.0}) {
      const double t = 1.0;
      const OscillatorFunctions f = oscillator_functions(omega * omega, d, t);
      const Quadrature q = by_quadrature(omega, d, t);
      for (int k = 1; k < 4; ++k) {
        // 2000 pieces of at most 0.15 rad: 0.15^8/8! = 6e-12 of integrands below 1/300, and rounding of 8000 terms
        EXPECT_NEAR(f.position[k], q.position[k], 1e-12) << omega << ' ' << d << ' ' << k;
        EXPECT_NEAR(f.speed[k], q.speed[k], 1e-12) << omega << ' ' << d << ' ' << k;
      }
      EXPECT_NEAR(f.yy * f.vv - f.yv * f.vy, std::exp(-d * t), 1e-12);  // Liouville
    }
}

TEST(OscillatorFunctions, ScaleWithTime) {
  const OscillatorFunctions a = oscillator_functions(400.0, 3.0, 0.1), b = oscillator_functions(4.0, 0.3, 1.0);
  for (int k = 1; k < 4; ++k) {
    EXPECT_NEAR(a.position[k], 0.01 * b.position[k], 1e-16);
    EXPECT_NEAR(a.speed[k], 0.1 * b.speed[k], 1e-16);
  }
}

IntegratorOptions fixed(double step) {
  IntegratorOptions options;
  options.fixed_step = step;
  return options;
}

State run(Integrator& integrator, const State& start, double end) {
  StepReport report = integrator.start(start);
  while (report.ok() && integrator.state().time < end) report = integrator.step(end);
  EXPECT_TRUE(report.ok()) << report.text();
  return integrator.state();
}

State raised(const RotatingBeam& beam) {
  State start = beam.initial_state();
  start.coordinates[0] = 135 * M_PI / 180;
  return start;
}

TEST(Exponential, IsExactOnLinearOscillatorsForAnyStep) {
  MatrixX mass(3, 3), stiffness(3, 3);
  mass << 2, 0.3, 0.1, 0.3, 1, 0.2, 0.1, 0.2, 0.5;
  stiffness << 1e8, 2e5, 0, 2e5, 1e4, 30, 0, 30, 2;
  const LinearSystem equations(mass, 1e-3 * mass + 1e-5 * stiffness, stiffness);
  const State start = state_of({0.1, 0.2, 0.3}, {1, 2, 3});
  const auto once = make_integrator("exponential", system_of(equations), fixed(1.0));
  const auto often = make_integrator("exponential", system_of(equations), fixed(1.0 / 1024));
  const State a = run(*once, start, 1.0), b = run(*often, start, 1.0);
  // ω = 7e3 rad/s: the phase itself is known to 7e3 eps, times 1024 products
  EXPECT_LT((a.coordinates - b.coordinates).norm(), 1e-10);
}

// Order does not collapse where the fastest mode turns hundreds of times within a step: ω h = 78e3 * 4e-3 = 310.
TEST(Exponential, KeepsItsOrderFarBeyondTheFastestPeriod) {
  const RotatingBeam equations(24, 8);
  const double h = 4e-3;
  ASSERT_GT(2 * M_PI * equations.highest_frequency() * h, 300);
  const auto reference = make_integrator("exponential", system_of(equations), fixed(5e-5));
  const Eigen::Vector2d exact = equations.tip(run(*reference, raised(equations), 0.5));
  double errors[3];
  for (int level = 0; level < 3; ++level) {
    const auto integrator = make_integrator("exponential", system_of(equations), fixed(h / (1 << level)));
    errors[level] = (equations.tip(run(*integrator, raised(equations), 0.5)) - exact).norm();
  }
  EXPECT_LT(errors[0], 1e-5);
  EXPECT_LT(errors[2], errors[0] / 40);  // two halvings: 256 at order 4, 16 at order 2
}

TEST(Exponential, AgreesWithRungeKuttaThatResolvesEveryMode) {
  const RotatingBeam equations(8, 8, 0.01);  // 1.2 kHz
  const auto reference = make_integrator("dormand_prince", system_of(equations), fixed(1e-5));
  const Eigen::Vector2d exact = equations.tip(run(*reference, raised(equations), 1.0));
  const auto integrator = make_integrator("exponential", system_of(equations), fixed(1e-3));
  EXPECT_LT((equations.tip(run(*integrator, raised(equations), 1.0)) - exact).norm(), 1e-8);
}

TEST(Exponential, MeetsTheToleranceAtTheTipWithLongSteps) {
  const RotatingBeam equations(24, 8);
  const auto reference = make_integrator("exponential", system_of(equations), fixed(1e-4));
  const Eigen::Vector2d exact = equations.tip(run(*reference, raised(equations), 2.0));
  for (const double tolerance : {1e-4, 1e-5, 1e-6}) {
    IntegratorOptions options;
    options.tolerance = tolerance;
    options.scales = equations.tip_scales();
    const auto integrator = make_integrator("exponential", system_of(equations), options);
    const State end = run(*integrator, raised(equations), 2.0);
    EXPECT_LT((equations.tip(end) - exact).norm(), 2 * tolerance);
    // Mean ωh of the highest mode above 100, although steps keep away from resonances and grow slowly.
    EXPECT_LT(integrator->counters().steps, 1250);
  }
}

// Steps that something else limits, like a controller's samples: half the evaluations, and still within the tolerance.
TEST(Exponential, SparesEvaluationsWhereStepsAreShorterThanAccuracyAsks) {
  const RotatingBeam equations(24, 8);
  const auto reference = make_integrator("exponential", system_of(equations), fixed(1e-4));
  const Eigen::Vector2d exact = equations.tip(run(*reference, raised(equations), 1.0));
  IntegratorOptions options;
  options.tolerance = 1e-4;
  options.max_step = options.initial_step = 2e-4;
  options.scales = equations.tip_scales();
  const auto integrator = make_integrator("exponential", system_of(equations), options);
  const State end = run(*integrator, raised(equations), 1.0);
  EXPECT_LT((equations.tip(end) - exact).norm(), options.tolerance);
  EXPECT_GT(integrator->counters().steps, 4900);
  EXPECT_LT(integrator->counters().evaluations, 2.2 * integrator->counters().steps);
}

TEST(Exponential, FollowsAMassMatrixThatChangesWithConfiguration) {
  const StiffArm equations(1e4);
  const State start = state_of({0.5, 0, 0.4, 0}, {0.2, 0, 1.0, 0});
  IntegratorOptions tight;
  tight.tolerance = 1e-6;
  const auto reference = make_integrator("dormand_prince", system_of(equations), tight);
  const Eigen::Vector2d exact = equations.tip(run(*reference, start, 1.0));
  IntegratorOptions options;
  options.tolerance = 1e-4;
  const auto integrator = make_integrator("exponential", system_of(equations), options);
  EXPECT_LT((equations.tip(run(*integrator, start, 1.0)) - exact).norm(), 1e-4);
  EXPECT_GT(integrator->counters().linearisations, 5);
  // 1/4.5; it was 1/25 when steps did not count what they miss of vibrations between their samples.
  EXPECT_LT(integrator->counters().evaluations, reference->counters().evaluations / 4);
}

TEST(Exponential, StaysStableOverAHundredThousandStiffSteps) {
  const RotatingBeam equations(12, 8);
  NoWorkspace workspace;
  const State start = raised(equations);
  const double before = equations.energies(start, {}, workspace).total();
  const auto integrator = make_integrator("exponential", system_of(equations), fixed(2e-3));
  const State end = run(*integrator, start, 200.0);
  // 3.5 J of swing; 5e-9 J per second in the test above's terms
  EXPECT_NEAR(equations.energies(end, {}, workspace).total(), before, 1e-3);
}

// Steps of exactly one and of exactly three periods of a mode, over which the forces of its vibration do not average
// out at the nodes of the step. Without a filter the first of these changes the energy by 5e-7 J.
TEST(Exponential, AFixedStepInResonanceWithAVibrationFeedsNothingIntoTheSwing) {
  const RotatingBeam equations(12, 8);
  NoWorkspace workspace;
  const State start = raised(equations);
  const double before = equations.energies(start, {}, workspace).total();
  LinearBlocks blocks;
  ASSERT_EQ(equations.linearise(start, {}, workspace, blocks), EvaluationStatus::ok);
  const SymmetricPairs modes = symmetric_values(blocks.stiffness, blocks.mass);
  for (const auto& [mode, periods] : {std::pair{5, 1}, {8, 3}, {9, 4}}) {
    const double h = 2 * M_PI * periods / std::sqrt(modes.values[mode]);
    const auto integrator = make_integrator("exponential", system_of(equations), fixed(h));
    const State end = run(*integrator, start, std::round(1 / h) * h);
    EXPECT_NEAR(equations.energies(end, {}, workspace).total(), before, 2.5e-7) << h;
  }
}

// Mechanisms whose evaluation is cheap and whose modes are not.
class ManyOscillators : public SmallSystem {
 public:
  using SmallSystem::SmallSystem;
  EvaluationStatus evaluate(const State& s, const Inputs&, Workspace&, Accelerations& a) const override {
    a.values = -s.coordinates;
    return EvaluationStatus::ok;
  }
  EvaluationStatus linearise(const State&, const Inputs&, Workspace&, LinearBlocks&) const override {
    return EvaluationStatus::singular_mass;
  }
  Energies energies(const State& s, const Inputs&, Workspace&) const override {
    return {0.5 * s.speeds.squaredNorm(), 0, 0.5 * s.coordinates.squaredNorm()};
  }
};

TEST(AutomaticIntegrator, IsTheExplicitOneWhereDecomposingAllCoordinatesWouldCostMore) {
  const ManyOscillators few(500), many(501);
  EXPECT_EQ(make_integrator("automatic", system_of(few), {})->name(), "exponential");
  EXPECT_EQ(make_integrator("automatic", system_of(many), {})->name(), "dormand_prince");
  EXPECT_EQ(make_integrator("automatic", system_of(many), fixed(1e-3))->name(), "exponential");
}

TEST(DenseIntegrators, RefuseMechanismsTooLargeForThem) {
  const ManyOscillators equations(2001);
  for (const char* name : {"exponential", "generalised_alpha"}) try {
      make_integrator(name, system_of(equations), {});
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("this mechanism has 2001: use 'dormand_prince'"), std::string::npos);
    }
}

// Of springs that are a million times faster than the swing: what Newton's iteration leaves of their deflections makes
// accelerations that mean nothing, and must not bend the motion between the ends of a step.
TEST(Radau, BendsNothingBetweenTheEndsOfItsSteps) {
  const StiffArm equations(1e6);
  const auto integrator = make_integrator("radau", system_of(equations), {});
  ASSERT_TRUE(integrator->start(state_of({0.5, 0, 0.4, 0}, {0.2, 0, 1.0, 0})).ok());
  double at_ends = 0, between = 0, longest = 0;
  State probe = integrator->state();
  const auto deflection = [](const State& s) {
    return std::max(std::abs(s.coordinates[1]), std::abs(s.coordinates[3]));
  };
  while (integrator->state().time < 1) {
    ASSERT_TRUE(integrator->step(1).ok());
    const double from = integrator->previous().time, h = integrator->state().time - from;
    at_ends = std::max(at_ends, deflection(integrator->state()));
    longest = std::max(longest, h);
    for (const double part : {0.2, 0.4, 0.6, 0.8}) {
      integrator->interpolate(from + part * h, probe);
      between = std::max(between, deflection(probe));
    }
  }
  EXPECT_GT(longest, 1e-3);  // a hundred and fifty periods
  EXPECT_LT(at_ends, 1e-7);  // 40 N m on 1e10 N m/rad, and the ringing of the start
  EXPECT_LT(between, 0.1 * IntegratorOptions().tolerance * longest);  // a tenth of what such a step may be wrong by
}

TEST(GeneralisedAlpha, DampsWhatTheStepDoesNotResolveByItsSpectralRadius) {
  const LinearSystem equations = oscillator(1e3);
  for (const double rho : {0.0, 0.5, 1.0}) {
    IntegratorOptions options = fixed(1.0);
    options.spectral_radius = rho;
    options.tolerance = 1e-12;
    const auto integrator = make_integrator("generalised_alpha", system_of(equations), options);
    ASSERT_TRUE(integrator->start(state_of({1e-3}, {0})).ok());
    const int steps = 40;
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(integrator->step(1e3).ok());
    const double left = std::abs(integrator->state().coordinates[0]);
    // amplification has a double root ρ, so amplitudes behave as n ρ^n
    if (rho < 1)
      EXPECT_LT(left, 1e-3 * 10 * steps * std::pow(rho, steps - 2) + 1e-12);
    else
      EXPECT_GT(left, 1e-5);
  }
}

TEST(GeneralisedAlpha, DoesBoundedWorkInAFixedStep) {
  const RotatingBeam equations(24, 8);
  IntegratorOptions options = fixed(1e-3);
  options.tolerance = 1e-5;
  options.max_newton_iterations = 6;
  const auto integrator = make_integrator("generalised_alpha", system_of(equations), options);
  ASSERT_TRUE(integrator->start(raised(equations)).ok());
  for (int i = 0; i < 1000; ++i) {
    const IntegratorCounters before = integrator->counters();
    ASSERT_TRUE(integrator->step(10).ok());
    EXPECT_LE(integrator->counters().evaluations - before.evaluations, 12);
    EXPECT_LE(integrator->counters().linearisations - before.linearisations, 1);
  }
}

}  // namespace
}  // namespace lithe
