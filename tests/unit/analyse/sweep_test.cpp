#include "lithe/analyse/sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "lithe/analyse/condense/condense.h"
#include "lithe/analyse/sweep/track_configuration.h"
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

// Places alone: nothing is computed there.
class Places : public PointAnalysis {
 public:
  Places(const Model& model, const std::string& tool)
      : model_(model), mechanism_(model_), tool_(find_node(model, tool)) {}
  const Model& model() const override { return model_; }
  const Mechanism& mechanism() const override { return mechanism_; }
  std::optional<NodeOfLink> tool() const override { return tool_; }
  std::unique_ptr<Work> make_work() const override { return std::make_unique<Work>(); }
  PointResult evaluate(const PointPlace&, Work&, double* values) const override {
    *values = 1;
    return {};
  }

 private:
  Model model_;
  Mechanism mechanism_;
  NodeOfLink tool_;
};

// A planar arm of rigid links from the origin.
Model planar_arm(const std::vector<double>& lengths, const std::vector<double>& angles) {
  std::string text = "lithe = 1\nspace = \"planar\"\n";
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const std::string name = "\"l" + std::to_string(k) + "\"\n", length = std::to_string(lengths[k]);
    text += "[[links]]\nname = " + name + "type = \"rigid\"\nmass = 1\ninertia = [0.01, 0.01, 0.01]\n";
    text += "nodes = {a = [0, 0, 0], b = [" + length + ", 0, 0]}\n";
    text += "[[joints]]\nname = \"j" + std::to_string(k) + "\"\nchild = " + name + "child_node = \"a\"\n";
    if (k > 0) text += "parent = \"l" + std::to_string(k - 1) + "\"\nparent_node = \"b\"\n";
    text += "value = " + std::to_string(angles[k]) + "\n";
  }
  return read_model_text(text, "arm.toml");
}

long long num_unreachable(const Model& model, const std::string& tool, std::vector<SweepAxis> axes) {
  Sweep sweep;
  sweep.axes = std::move(axes);
  sweep.columns = {{"reached", ""}};
  sweep.orientation = ToolOrientation::free;
  sweep.make_analysis = [&](const std::vector<double>&) { return std::make_unique<Places>(model, tool); };
  MemoryStore store;
  run_sweep(sweep, store, {.num_threads = 1, .stop = nullptr, .progress = {}});
  return std::count_if(store.points.begin(), store.points.end(),
                       [](const auto& point) { return point.second.first == PointStatus::unreachable; });
}

// All grids lie within reach: between |l1 - l2| and l1 + l2 of the origin.
TEST(Sweep, ReachesPlacesBehindTheHoleOfTheWorkspace) {
  const Model arm = planar_arm({0.5, 0.3}, {0.3, 0.8});
  EXPECT_EQ(num_unreachable(arm, "l1:b", {tool_axis(0, -0.51, -0.49, 3), tool_axis(1, -0.3, 0.3, 13)}), 0);
  // No straight way from home leads to any of these.
  EXPECT_EQ(num_unreachable(arm, "l1:b", {tool_axis(0, -0.5, -0.4, 3), tool_axis(1, -0.3, -0.2, 5)}), 0);
  EXPECT_EQ(num_unreachable(arm, "l1:b", {tool_axis(0, -0.6, -0.3, 7)}), 0);
}

TEST(Sweep, ReachesFoldedAndStretchedArms) {
  EXPECT_EQ(num_unreachable(planar_arm({0.4, 0.4}, {0.3, 0.8}), "l1:b",
                            {tool_axis(0, -0.4, 0.4, 9), tool_axis(1, -0.4, 0.4, 9)}),
            0);  // the middle one is the origin, with the arm folded
  EXPECT_EQ(num_unreachable(planar_arm({0.5, 0.3}, {0.3, 0.8}), "l1:b",
                            {tool_axis(0, 0.2, 0.8, 7), tool_axis(1, 0, 0.01, 2)}),
            1);  // both ends of the first row are singular; (0.8, 0.01) is beyond the reach
  EXPECT_EQ(num_unreachable(planar_arm({0.3, 0.3, 0.2}, {0.3, 0.8, -0.4}), "l2:b",
                            {tool_axis(0, -0.5, 0.5, 7), tool_axis(1, -0.5, 0.5, 7)}),
            0);
}

TEST(Sweep, GoesOnAfterAnInterruptionAsWithoutOne) {
  const Model arm = planar_arm({0.5, 0.3}, {0.3, 0.8});
  Sweep sweep;
  sweep.axes = {tool_axis(0, -0.95, -0.35, 7), tool_axis(1, -0.6, 0.3, 7)};
  sweep.columns = {{"reached", ""}};
  sweep.orientation = ToolOrientation::free;
  sweep.make_analysis = [&](const std::vector<double>&) { return std::make_unique<Places>(arm, "l1:b"); };
  MemoryStore whole, part;
  run_sweep(sweep, whole, {.num_threads = 1, .stop = nullptr, .progress = {}});
  for (const long long index : {3, 17, 20, 30, 31, 44}) part.points[index] = whole.points[index];
  run_sweep(sweep, part, {.num_threads = 2, .stop = nullptr, .progress = {}});
  ASSERT_EQ(part.points.size(), whole.points.size());
  for (const auto& [index, point] : whole.points) {
    EXPECT_EQ(part.points[index].first, point.first) << index;
    const std::vector<double> place = sweep.point(index);
    const double distance = std::hypot(place[0], place[1]);
    EXPECT_EQ(point.first == PointStatus::ok, distance < 0.8) << place[0] << " " << place[1];
  }
}

}  // namespace
}  // namespace lithe
