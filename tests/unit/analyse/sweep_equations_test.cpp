#include "lithe/analyse/sweep/sweep_equations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

#include "lithe/analyse/modes/modes.h"
#include "lithe/base/diagnostics.h"
#include "lithe/kinematics/configuration.h"
#include "lithe/kinematics/position.h"
#include "support/flexible_models.h"

namespace lithe {
namespace {

using testing::FlexibleBuilder;

struct Found {
  std::map<long long, std::pair<PointStatus, std::vector<double>>> points;
  std::map<long long, std::string> reasons;
};

class MemoryStore : public SweepStore {
 public:
  bool is_done(long long index) const override {
    const std::lock_guard lock(mutex_);
    return found.points.count(index) > 0;
  }
  void put(long long index, const PointResult& result, const std::vector<double>& values) override {
    const std::lock_guard lock(mutex_);
    found.points[index] = {result.status, values};
    found.reasons[index] = result.reason;
  }
  Found found;

 private:
  mutable std::mutex mutex_;
};

constexpr double length = 0.6, modulus = 7e10, width = 0.008, height = 0.012, density = 2700;

// Two bars in a vertical plane on hinges.
Model arm(JointType second = JointType::revolute) {
  FlexibleBuilder builder(modulus, density, width, height);
  const int upper = builder.beam("upper", {{0, 0, 0}, {length, 0, 0}}, 2, 6);
  const int lower = builder.beam("lower", {{0, 0, 0}, {length, 0, 0}}, 2, 6);
  builder.hinge("first", JointType::revolute, -1, {0, 0, 0}, upper, {0, 0, 0}, Vector3::UnitY());
  builder.hinge("second", second, upper, {length, 0, 0}, lower, {0, 0, 0}, Vector3::UnitY());
  return builder.model();
}

Sweep over_joint(int joint, std::vector<double> values, const std::function<std::unique_ptr<EquationsPoints>()>& make) {
  Sweep sweep;
  SweepAxis axis;
  axis.variable.kind = SweepVariable::Kind::joint;
  axis.variable.joint = joint;
  axis.values = std::move(values);
  sweep.axes = {axis};
  sweep.columns = make()->columns();
  sweep.make_analysis = [make](const std::vector<double>&) -> std::unique_ptr<PointAnalysis> { return make(); };
  return sweep;
}

Found run(const Sweep& sweep, int threads = 2) {
  MemoryStore store;
  run_sweep(sweep, store, {.num_threads = threads, .stop = nullptr, .progress = {}});
  return store.found;
}

double value(const Sweep& sweep, const Found& store, long long index, const std::string& name) {
  for (std::size_t c = 0; c < sweep.columns.size(); ++c)
    if (sweep.columns[c].name == name) return store.points.at(index).second[c];
  ADD_FAILURE() << "no column " << name;
  return 0;
}

EquationsPointOptions moving(const std::string& formulation = "erls-cms") {
  EquationsPointOptions options;
  options.formulation.formulation = formulation;
  options.moves_configuration = true;
  return options;
}

TEST(SweepEquations, FindsTheModesOfTheModelThatStartsThere) {
  for (const char* formulation : {"erls-cms", "floating-frame"}) {
    EquationsPointOptions options = moving(formulation);
    const Sweep sweep = over_joint(1, {-0.5, 0.9}, [=] { return modes_points(arm(), options, 4); });
    const Found store = run(sweep);
    Model there = arm();
    there.joints[1].initial_value = {0.9};
    const auto equations = make_equations(there, options.formulation);
    const ModesResult wanted = mechanism_modes(*equations, equations->initial_state(), 0);
    for (int k = 2; k < 4; ++k)
      EXPECT_NEAR(value(sweep, store, 1, "frequency_" + std::to_string(k + 1)) / wanted.modes.frequencies[k], 1, 1e-9)
          << formulation;
  }
}

// An arm that brakes hold: its own weight bends it as a clamped bar, PL³/3EI and qL⁴/8EI put together.
TEST(SweepEquations, FindsTheSagOfABarInEveryInclination) {
  FlexibleBuilder builder(modulus, density, width, height);
  const int bar = builder.beam("bar", {{0, 0, 0}, {length, 0, 0}}, 4);
  builder.hinge("hinge", JointType::revolute, -1, {0, 0, 0}, bar, {0, 0, 0}, Vector3::UnitY());
  const Model model = builder.model();
  EquationsPointOptions options = moving();
  options.tool = NodeOfLink{bar, 1};
  const std::vector<double> angles{0, 0.5, 1.0};
  const Sweep sweep = over_joint(0, angles, [=] { return equilibrium_points(model, options, {}); });
  const Found store = run(sweep);
  const double line_weight = density * width * height * 9.81, moment = width * height * height * height / 12;
  const double flat = line_weight * std::pow(length, 4) / (8 * modulus * moment);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(value(sweep, store, k, "sag") / (flat * std::cos(angles[k])), 1, 2e-3) << k;
    EXPECT_NEAR(value(sweep, store, k, "largest_displacement"), value(sweep, store, k, "sag"), 1e-15);
    EXPECT_NEAR(
        std::abs(value(sweep, store, k, "holding.hinge")) / (line_weight * length * length / 2 * std::cos(angles[k])),
        1, 1e-3);
    EXPECT_NEAR(value(sweep, store, k, "joint.hinge"), angles[k], 1e-12);
  }
}

TEST(SweepEquations, TellsAHangingPendulumFromAnUprightOne) {
  testing::ModelBuilder builder;
  const int bob = builder.link("bob");
  builder.model().gravity = {0, 0, -9.81};
  builder.model().links[bob].rigid_inertia.centre = {0, 0, -1};
  builder.joint("pivot", JointType::revolute, -1, {testing::z_along(Vector3::UnitY()), {0, 0, 0}}, bob,
                {testing::z_along(Vector3::UnitY()), {0, 0, 0}});
  const Model model = builder.model();
  LinearPointOptions wanted;
  wanted.about = "initial";
  wanted.count = 1;
  const Sweep sweep = over_joint(0, {0, std::numbers::pi}, [=] { return linear_points(model, moving(), wanted); });
  const Found store = run(sweep);
  const double omega = std::sqrt(9.81 / 2);  // m g l / (I + m l²) with all of them one
  EXPECT_EQ(value(sweep, store, 0, "stable"), 1);
  EXPECT_NEAR(value(sweep, store, 0, "frequency_1"), omega / (2 * std::numbers::pi), 1e-9);
  EXPECT_EQ(value(sweep, store, 1, "stable"), 0);
  EXPECT_NEAR(value(sweep, store, 1, "growth"), omega, 1e-8);
}

// A rigid bar that a smooth move turns in the plane: torque = inertia times acceleration, whatever angle it starts at.
TEST(SweepEquations, ShiftsPrescribedMotionsAndFindsTheirPeakTorque) {
  testing::ModelBuilder builder;
  const int bar = builder.link("bar");
  builder.joint("axis", JointType::revolute, -1, {}, bar, {});
  Drive drive;
  drive.name = "motor";
  drive.joint = 0;
  drive.prescribes_motion = true;
  drive.signal = SignalSmoothMove{0, 1, 0, 1};
  builder.model().drives = {drive};
  const Model model = builder.model();
  MotionPointOptions wanted;
  wanted.simulation.end_time = 1;
  wanted.simulation.output_step = 1e-3;
  const Sweep sweep = over_joint(0, {0, 0.7}, [=] { return inverse_dynamics_points(model, moving(), wanted, true); });
  const Found store = run(sweep);
  const double peak = 10 / std::sqrt(3.0);  // of the quintic's acceleration; the bar's inertia is 1
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(value(sweep, store, k, "motor.peak"), peak, 1e-4 * peak);
  EXPECT_THROW(inverse_dynamics_points(arm(), moving(), wanted, true), InputError);
}

TEST(SweepEquations, SharesOneRowAmongThreadsWithTheSameNumbers) {
  MotionPointOptions wanted;
  wanted.simulation.end_time = 0.01;
  const Sweep sweep = over_joint(1, {0, 0.2, 0.4, 0.6, 0.8}, [=] { return simulate_points(arm(), moving(), wanted); });
  const Found one = run(sweep, 1), four = run(sweep, 4);
  EXPECT_EQ(one.points.size(), 5u);
  for (const auto& [index, point] : one.points) {
    ASSERT_EQ(point.first, PointStatus::ok) << one.reasons.at(index);
    for (std::size_t c = 0; c < point.second.size(); ++c)  // bit by bit, NaN included
      EXPECT_EQ(std::isnan(point.second[c]), std::isnan(four.points.at(index).second[c]));
    EXPECT_EQ(value(sweep, one, index, "first.final"), value(sweep, four, index, "first.final"));
    EXPECT_EQ(value(sweep, one, index, "end_energy"), value(sweep, four, index, "end_energy"));
  }
}

TEST(SweepEquations, ReachesEveryOrientationOfABallJoint) {
  const Model model = arm(JointType::spherical);
  const Mechanism mechanism(model);
  const Configuration home = initial_configuration(mechanism, model);
  Configuration turned = home;
  turned.references[0] = Quaternion(Eigen::AngleAxisd(2.0, Vector3(1, 2, -1).normalized()));
  turned.coordinates << 0.3, 0.4, -0.2, 0.7;
  const Model moved = in_configuration(model, mechanism, home, turned);
  const Mechanism again(moved);
  KinematicState first(mechanism), second(again);
  update_position(mechanism, turned, first);
  update_position(again, initial_configuration(again, moved), second);
  const Pose a = first.pose(mechanism.frame_of_link(1)), b = second.pose(again.frame_of_link(1));
  EXPECT_LT((a.rotation - b.rotation).norm() + (a.position - b.position).norm(), 1e-12);
}

TEST(SweepEquations, MovesSpringsAlongUnlessToldOtherwise) {
  Model model = arm();
  model.joints[1].stiffness = {5};
  model.joints[1].rest_value = {0.1};
  const Mechanism mechanism(model);
  const Configuration home = initial_configuration(mechanism, model);
  Configuration moved = home;
  moved.coordinates[mechanism.coordinate_of(1, 0)] += 0.5;
  EXPECT_NEAR(in_configuration(model, mechanism, home, moved).joints[1].rest_value[0], 0.6, 1e-15);
  EXPECT_EQ(in_configuration(model, mechanism, home, moved, SpringRest::stays).joints[1].rest_value[0], 0.1);
}

TEST(SweepEquations, HoldsJointsWhereTheConfigurationHasThem) {
  EquationsPointOptions options = moving();
  options.held = {"first", "second"};
  const Sweep sweep = over_joint(1, {0.5}, [=] { return modes_points(arm(), options, 1); });
  const Found store = run(sweep);
  EXPECT_EQ(value(sweep, store, 0, "free_motions"), 0);
  EXPECT_GT(value(sweep, store, 0, "frequency_1"), 1);
  options.held = {"third"};
  EXPECT_THROW(run(over_joint(1, {0.5}, [=] { return modes_points(arm(), options, 1); })), InputError);
}

TEST(SettlingTime, IsWhenAValueStaysNearItsLast) {
  std::vector<double> times, values;
  for (int k = 0; k <= 1000; ++k) {
    times.push_back(0.01 * k);
    values.push_back(std::exp(-times.back()));
  }
  EXPECT_NEAR(settling_time(times, values, 0.02), -std::log(0.02), 0.02);
  EXPECT_EQ(settling_time({0, 1}, {3, 3}, 0.02), 0);
}

}  // namespace
}  // namespace lithe
