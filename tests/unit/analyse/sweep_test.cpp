#include "lithe/analyse/sweep/sweep.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "lithe/kinematics/configuration.h"
#include "lithe/read/read_model.h"

namespace lithe {
namespace {

class MemoryStore : public SweepStore {
 public:
  bool is_done(long long index) const override {
    const std::lock_guard lock(mutex_);
    return points.count(index) > 0;
  }
  void put(long long index, const PointResult& result, const std::vector<double>& values) override {
    const std::lock_guard lock(mutex_);
    points[index] = {result.status, values};
  }
  std::map<long long, std::pair<PointStatus, std::vector<double>>> points;

 private:
  mutable std::mutex mutex_;
};

SweepAxis tool_axis(int component, double first, double last, int count) {
  SweepAxis axis;
  axis.variable.kind = SweepVariable::Kind::tool;
  axis.variable.component = component;
  for (int k = 0; k < count; ++k) axis.values.push_back(first + (last - first) * k / (count - 1));
  return axis;
}

Sweep platform_sweep(const Model& model, std::vector<SweepAxis> axes) {
  Sweep sweep;
  sweep.axes = std::move(axes);
  sweep.columns = condense_columns(3, true);
  CondenseOptions options;
  options.tool = find_node(model, "platform:centre");
  sweep.make_analysis = [model, options](const std::vector<double>&) { return condense_analysis(model, options, 3); };
  return sweep;
}

const Model& planar() {
  static const Model model = read_model(LITHE_MODELS_DIR "/planar_3rrr.toml");
  return model;
}

TEST(Sweep, HasTheSameNumbersWhateverTheNumberOfThreads) {
  const Sweep sweep = platform_sweep(planar(), {tool_axis(0, -0.05, 0.05, 5), tool_axis(1, -0.05, 0.05, 4)});
  std::vector<MemoryStore> stores(3);
  for (int k = 0; k < 3; ++k) run_sweep(sweep, stores[k], {.num_threads = 2 * k + 1, .stop = nullptr, .progress = {}});
  ASSERT_EQ(stores[0].points.size(), 20u);
  EXPECT_EQ(stores[0].points, stores[1].points);  // bit by bit
  EXPECT_EQ(stores[0].points, stores[2].points);
}

TEST(Sweep, ContinuesWhereItWasAndFindsTheSame) {
  const Sweep sweep = platform_sweep(planar(), {tool_axis(0, -0.05, 0.05, 4), tool_axis(1, -0.05, 0.05, 5)});
  MemoryStore whole, part;
  run_sweep(sweep, whole, {.num_threads = 1, .stop = nullptr, .progress = {}});
  for (const long long index : {0, 1, 7, 12, 13, 14, 19}) part.points[index] = whole.points[index];
  EXPECT_EQ(run_sweep(sweep, part, {.num_threads = 2, .stop = nullptr, .progress = {}}), 13);
  EXPECT_EQ(whole.points, part.points);
}

TEST(Sweep, MarksWhatCannotBeReachedAndGoesOn) {
  const Sweep sweep = platform_sweep(planar(), {tool_axis(0, -0.6, 0.6, 13)});
  MemoryStore store;
  run_sweep(sweep, store, {.num_threads = 1, .stop = nullptr, .progress = {}});
  EXPECT_EQ(store.points[0].first, PointStatus::unreachable);
  EXPECT_EQ(store.points[12].first, PointStatus::unreachable);
  EXPECT_EQ(store.points[6].first, PointStatus::ok);
  EXPECT_TRUE(std::isnan(store.points[0].second[0]));
}

TEST(Sweep, AtTheHomeConfigurationIsCondensationThere) {
  const Sweep sweep = platform_sweep(planar(), {tool_axis(0, -0.04, 0.04, 3), tool_axis(1, -0.04, 0.04, 3)});
  MemoryStore store;
  run_sweep(sweep, store, {.num_threads = 1, .stop = nullptr, .progress = {}});
  CondenseOptions options;
  options.tool = find_node(planar(), "platform:centre");
  const Condenser condenser(planar(), options);
  CondenseGeometry geometry = condenser.make_geometry();
  const CondensedModel home = condenser.condense(initial_configuration(condenser.mechanism(), planar()), geometry);
  EXPECT_NEAR(store.points[4].second[0] / condensed_frequencies(home, 1)[0], 1, 1e-9);
  // The platform has a threefold axis: places mirrored in y = x are not alike, those mirrored in the y axis are not
  // either, since the elbows all turn the same way; but the stiffness is that of the configuration, so it must differ.
  EXPECT_GT(std::abs(store.points[0].second[0] - store.points[4].second[0]), 1e-3);
}

TEST(Sweep, ReachesToolPositionsToRounding) {
  const Model& model = planar();
  CondenseOptions options;
  options.tool = find_node(model, "platform:centre");
  const Condenser condenser(model, options);
  const ConfigurationTracker tracker(condenser.model(), condenser.mechanism(), options.tool,
                                     initial_configuration(condenser.mechanism(), model));
  EXPECT_EQ(tracker.num_position_freedoms(), 2);
  EXPECT_EQ(tracker.num_pose_freedoms(), 3);
  ConfigurationGoal goal;
  goal.tool_position = Vector3(0.05, -0.03, 0);
  goal.tool_orientation = Eigen::AngleAxisd(0.2, Vector3::UnitZ()).toRotationMatrix();
  Configuration configuration = tracker.home();
  ASSERT_TRUE(tracker.reach(goal, configuration));
  CondenseGeometry geometry = condenser.make_geometry();
  geometry.update(configuration);
  EXPECT_LT((geometry.node_position(*options.tool) - *goal.tool_position).norm(), 1e-11);
  EXPECT_LT((geometry.link_pose(options.tool->link).rotation - *goal.tool_orientation).norm(), 1e-10);
}

TEST(Sweep, OverJointValuesClosesTheLoops) {
  Sweep sweep = platform_sweep(planar(), {});
  SweepAxis axis;
  axis.variable.kind = SweepVariable::Kind::joint;
  axis.variable.joint = find_joint(planar(), "A1");
  axis.values = {-0.1, 0, 0.1};
  sweep.axes = {axis};
  MemoryStore store;
  run_sweep(sweep, store, {.num_threads = 1, .stop = nullptr, .progress = {}});
  for (const auto& [index, point] : store.points) EXPECT_EQ(point.first, PointStatus::ok) << index;
  EXPECT_NE(store.points[0].second[0], store.points[2].second[0]);
}

}  // namespace
}  // namespace lithe
