#include "lithe/analyse/motion/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "support/small_systems.h"

namespace lithe {
namespace {

using namespace lithe::testing;

// Quarter period of a pendulum of length 1 released at rest: K(sin(θ/2)) / √g.
double quarter_period(double angle) { return std::comp_ellint_1(std::sin(angle / 2)) / std::sqrt(9.81); }

Pendulum pendulum_with_joint() {
  Pendulum pendulum;
  pendulum.add_joints();
  return pendulum;
}

Drive drive_of(Signal signal) {
  Drive drive;
  drive.name = "motor";
  drive.signal = std::move(signal);
  return drive;
}

TEST(Simulate, RecordsAtTheRequestedTimesAndAtTheEnd) {
  const Pendulum equations = pendulum_with_joint();
  SimulateOptions options;
  options.end_time = 0.25;
  options.output_step = 0.1;
  const Trajectory motion = simulate(equations, state_of({1}, {0}), options);
  ASSERT_EQ(motion.times.size(), 4u);
  EXPECT_EQ(motion.times[0], 0);
  EXPECT_EQ(motion.times[1], 0.1);
  EXPECT_EQ(motion.times[2], 0.2);
  EXPECT_EQ(motion.times[3], 0.25);
  ASSERT_NE(motion.column("joint1"), nullptr);
  EXPECT_EQ(motion.column("joint1")->unit, "rad");
  EXPECT_EQ(motion.column("joint1")->values.size(), 4u);
  EXPECT_EQ(motion.end, RunEnd::finished);
  SimulateOptions listed = options;
  listed.output_times = {0.033, 0.2};
  const Trajectory other = simulate(equations, state_of({1}, {0}), listed);
  ASSERT_EQ(other.times.size(), 4u);  // the start, the two, the end
  EXPECT_NEAR(other.column("joint1")->values[2], motion.column("joint1")->values[2], 1e-6);
}

TEST(Simulate, FindsThePeriodOfALargeSwing) {
  const Pendulum equations = pendulum_with_joint();
  for (const char* integrator : {"exponential", "dormand_prince", "generalised_alpha"}) {
    SimulateOptions options;
    options.integrator = integrator;
    options.integration.tolerance = 1e-7;
    options.end_time = 4 * quarter_period(2.0);
    options.output_step = 0.01;
    const Trajectory motion = simulate(equations, state_of({2.0}, {0}), options);
    EXPECT_NEAR(motion.column("joint1")->values.back(), 2.0, 2e-6) << integrator;
    EXPECT_NEAR(motion.states.back().speeds[0], 0.0, 2e-5) << integrator;
  }
}

TEST(Simulate, LocatesAnEventOnDenseOutput) {
  const Pendulum equations = pendulum_with_joint();
  SimulateOptions options;
  options.end_time = 10;
  options.integration.tolerance = 1e-10;
  options.integrator = "dormand_prince";
  options.events.push_back({"bottom", [](const State& s) { return s.coordinates[0]; }, -1, true});
  const Trajectory motion = simulate(equations, state_of({1.2}, {0}), options);
  EXPECT_EQ(motion.end, RunEnd::stopped);
  ASSERT_EQ(motion.events.size(), 1u);
  EXPECT_NEAR(motion.events[0].time, quarter_period(1.2), 1e-8);
  EXPECT_NEAR(motion.times.back(), quarter_period(1.2), 1e-8);
  EXPECT_NE(motion.message.find("bottom"), std::string::npos);
}

TEST(Simulate, NotesEventsThatDoNotStop) {
  const Pendulum equations = pendulum_with_joint();
  SimulateOptions options;
  const double quarter = quarter_period(1.2);
  options.end_time = 8.5 * quarter;
  options.integration.tolerance = 1e-8;
  options.events.push_back({"bottom", [](const State& s) { return s.coordinates[0]; }, 0, false});
  const Trajectory motion = simulate(equations, state_of({1.2}, {0}), options);
  ASSERT_EQ(motion.events.size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(motion.events[i].time, (2 * i + 1) * quarter, 1e-6);
}

// A torque that jumps at a time no step would hit by itself; energy balance closes to the tolerance.
TEST(Simulate, StepsOntoJumpsAndBalancesEnergy) {
  Pendulum equations = pendulum_with_joint();
  equations.editable_model().drives.push_back(drive_of(SignalSteps{{0.1234567, 0.5}, {3.0, -2.0}}));
  for (const char* integrator : {"exponential", "dormand_prince"}) {
    SimulateOptions options;
    options.integrator = integrator;
    options.integration.tolerance = 1e-7;
    const Trajectory motion = simulate(equations, state_of({0}, {0}), options);
    ASSERT_EQ(motion.end, RunEnd::finished);
    EXPECT_GT(std::abs(motion.energy.input_work), 0.01);
    EXPECT_NEAR(motion.energy.imbalance(), 0, 1e-6) << integrator;
    // at rest until the jump, then nearly θ = τ t²/2
    const std::vector<double>& angle = motion.column("joint1")->values;
    EXPECT_EQ(angle[123], 0);
    EXPECT_NEAR(angle[124], 1.5 * std::pow(0.124 - 0.1234567, 2), 1e-11);
  }
}

TEST(Simulate, KeepsWhatWasComputedBeforeAFailure) {
  class Broken : public Pendulum {
   public:
    EvaluationStatus evaluate(const State& s, const Inputs& i, Workspace& w, Accelerations& a) const override {
      Pendulum::evaluate(s, i, w, a);
      return s.time > 0.3 ? EvaluationStatus::loop_not_closed : EvaluationStatus::ok;
    }
  };
  const Broken equations;
  SimulateOptions options;
  options.output_step = 0.1;
  const Trajectory motion = simulate(equations, state_of({1}, {0}), options);
  EXPECT_EQ(motion.end, RunEnd::failed);
  EXPECT_EQ(motion.report.cause, EvaluationStatus::loop_not_closed);
  EXPECT_NEAR(motion.report.time, 0.3, 1e-6);
  ASSERT_GE(motion.times.size(), 3u);
  EXPECT_NEAR(motion.times.back(), 0.3, 1e-6);
  EXPECT_NE(motion.message.find("stopped at 0.3"), std::string::npos) << motion.message;
}

// Steps end beside an instant at which the equations cannot be evaluated; the instant is recorded all the same.
TEST(Simulate, SaysWhatCouldNotBeRecorded) {
  class Gap : public Pendulum {
   public:
    EvaluationStatus evaluate(const State& s, const Inputs& i, Workspace& w, Accelerations& a) const override {
      Pendulum::evaluate(s, i, w, a);
      return std::abs(s.time - 0.25) < 1e-3 ? EvaluationStatus::loop_not_closed : EvaluationStatus::ok;
    }
    Energies energies(const State& s, const Inputs& i, Workspace& w) const override {
      if (std::abs(s.time - 0.25) < 1e-3) return unknown_energies(EvaluationStatus::loop_not_closed);
      return Pendulum::energies(s, i, w);
    }
  };
  const Gap equations;
  SimulateOptions options;
  options.integrator = "generalised_alpha";
  options.integration.fixed_step = 0.1;
  options.output_step = 0.05;
  options.end_time = 0.5;
  options.energy_balance = true;
  const Trajectory motion = simulate(equations, state_of({1}, {0}), options);
  ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
  const std::vector<double>& energy = motion.column("total_energy")->values;
  ASSERT_EQ(energy.size(), 11u);
  for (std::size_t k = 0; k < energy.size(); ++k) EXPECT_EQ(std::isnan(energy[k]), k == 5) << k;
  EXPECT_TRUE(std::isfinite(motion.energy.largest_kinetic) && std::isfinite(motion.energy.end));
  const auto told = std::find_if(motion.warnings.begin(), motion.warnings.end(), [](const std::string& warning) {
    return warning.find("(NaN) at 0.25 s: a loop") != std::string::npos;
  });
  EXPECT_NE(told, motion.warnings.end());
}

TEST(Simulate, KeepsWhatWasComputedBeforeAnInterrupt) {
  const Pendulum equations = pendulum_with_joint();
  std::atomic<bool> cancel{false};
  SimulateOptions options;
  options.end_time = 1e6;
  options.output_step = 1;
  options.cancel = &cancel;
  options.progress = [&](double time) { cancel = time > 2.5; };
  const Trajectory motion = simulate(equations, state_of({1}, {0}), options);
  EXPECT_EQ(motion.end, RunEnd::cancelled);
  ASSERT_GE(motion.times.size(), 4u);
  EXPECT_EQ(motion.times[2], 2.0);
  EXPECT_GT(motion.times.back(), 2.5);
}

TEST(Simulate, GoesOnBitByBitFromACheckpoint) {
  RotatingBeam equations(8, 8);
  equations.add_joints();
  equations.editable_model().drives.push_back(drive_of(SignalSine{2.0, 3.0, 0, 0, 0}));
  for (const char* integrator : {"exponential", "dormand_prince", "generalised_alpha"}) {
    SimulateOptions options;
    options.integrator = integrator;
    options.integration.tolerance = 1e-4;
    options.end_time = 0.3;
    options.output_step = 0.01;
    options.checkpoint_interval = 0.1;
    std::vector<Checkpoint> saved;
    options.checkpoint = [&](const Checkpoint& c) { saved.push_back(c); };
    const Trajectory whole = simulate(equations, equations.initial_state(), options);
    ASSERT_EQ(saved.size(), 2u);
    const Trajectory rest = simulate(equations, saved[0], options);
    ASSERT_LT(rest.times.size(), whole.times.size());
    const std::size_t shift = whole.times.size() - rest.times.size();
    for (std::size_t i = 0; i < rest.times.size(); ++i) {
      EXPECT_EQ(whole.times[shift + i], rest.times[i]);
      EXPECT_EQ(whole.states[shift + i].coordinates, rest.states[i].coordinates) << integrator;
      EXPECT_EQ(whole.states[shift + i].speeds, rest.states[i].speeds);
    }
    EXPECT_EQ(whole.energy.input_work, rest.energy.input_work);
    EXPECT_EQ(whole.energy.start, rest.energy.start);
  }
}

// What the exponential method remembers of its steps (that the step has settled, how long it has been so, the bend of
// the forces) must not outlive a checkpoint.
TEST(Simulate, GoesOnBitByBitFromACheckpointAfterTheStepHasSettled) {
  RotatingBeam equations(8, 8);
  equations.add_joints();
  equations.editable_model().drives.push_back(drive_of(SignalSine{2.0, 0.5, 0, 0, 0}));
  SimulateOptions options;
  options.integration.tolerance = 1e-5;
  options.end_time = 3;
  options.output_step = 0.05;
  options.checkpoint_interval = 1;
  std::vector<Checkpoint> saved;
  options.checkpoint = [&](const Checkpoint& c) { saved.push_back(c); };
  const Trajectory whole = simulate(equations, equations.initial_state(), options);
  ASSERT_EQ(saved.size(), 2u);
  options.checkpoint = {};
  for (const Checkpoint& checkpoint : saved) {
    const Trajectory rest = simulate(equations, checkpoint, options);
    EXPECT_EQ(whole.states.back().coordinates, rest.states.back().coordinates);
    EXPECT_EQ(whole.states.back().speeds, rest.states.back().speeds);
    EXPECT_EQ(whole.energy.input_work, rest.energy.input_work);
  }
}

// A damped spring at the limit: the pendulum falls against it, bounces, and comes to rest pressed on it.
TEST(Simulate, HoldsAJointAtItsEndStop) {
  Pendulum equations = pendulum_with_joint();
  equations.editable_model().joints[0].limits[0] = {0.2, 3.0};
  SimulateOptions options;
  options.end_time = 10;
  options.integration.tolerance = 1e-5;
  const Trajectory motion = simulate(equations, state_of({1.0}, {0}), options);
  ASSERT_EQ(motion.end, RunEnd::finished) << motion.message;
  ASSERT_GE(motion.events.size(), 4u);
  EXPECT_EQ(motion.events[0].name, "joint1: lower limit");
  // the free fall from 1 rad reaches 0.2 rad with this speed; penetration v/ω of the stop's spring at most
  const double speed = std::sqrt(2 * 9.81 * (std::cos(0.2) - std::cos(1.0))), omega = 2 * M_PI * 100;
  const std::vector<double>& angle = motion.column("joint1")->values;
  EXPECT_GT(*std::min_element(angle.begin(), angle.end()), 0.2 - 1.1 * speed / omega);
  const double pressed = 0.2 - 9.81 * std::sin(0.2) / (omega * omega);  // statics of the unit inertia
  EXPECT_NEAR(angle.back(), pressed, 1e-4);
  const std::vector<double>& energy = motion.column("total_energy")->values;
  EXPECT_LT(*std::max_element(energy.begin(), energy.end()), energy[0] + 1e-3);
}

TEST(Simulate, CanEndAtALimit) {
  Pendulum equations = pendulum_with_joint();
  equations.editable_model().joints[0].limits[0] = {0.2, 3.0};
  SimulateOptions options;
  options.end_time = 10;
  options.end_stops = EndStops::stop;
  const Trajectory motion = simulate(equations, state_of({1.0}, {0}), options);
  EXPECT_EQ(motion.end, RunEnd::stopped);
  EXPECT_NEAR(motion.column("joint1")->values.back(), 0.2, 1e-6);
}

TEST(Simulate, RefusesOptionsThatMakeNoSense) {
  const Pendulum equations;
  SimulateOptions options;
  options.integrator = "euler";
  EXPECT_THROW(simulate(equations, state_of({1}, {0}), options), InputError);
  options = {};
  options.end_time = 0;
  EXPECT_THROW(simulate(equations, state_of({1}, {0}), options), InputError);
  options = {};
  options.output_step = -1;
  EXPECT_THROW(simulate(equations, state_of({1}, {0}), options), InputError);
  options = {};
  options.integration.tolerance = 0;
  EXPECT_THROW(simulate(equations, state_of({1}, {0}), options), InputError);
}

}  // namespace
}  // namespace lithe
