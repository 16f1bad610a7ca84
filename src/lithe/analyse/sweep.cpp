#include "lithe/analyse/sweep.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "lithe/base/diagnostics.h"
#include "lithe/kinematics/posture.h"

namespace lithe {
namespace {

using Kind = SweepVariable::Kind;

bool is_posture(const SweepAxis& axis) { return axis.variable.kind != Kind::parameter; }

// One model with its home posture.
struct Engine {
  explicit Engine(std::unique_ptr<PointAnalysis> given)
      : analysis(std::move(given)),
        tracker(analysis->model(), analysis->mechanism(), analysis->tool(),
                initial_posture(analysis->mechanism(), analysis->model())) {}
  std::unique_ptr<PointAnalysis> analysis;
  PostureTracker tracker;
};

// Points along the last axis are computed one after the other, each from the posture before it, so that a row of the
// grid follows one branch of postures; rows begin at the home posture and do not depend on each other.
class Runner {
 public:
  Runner(const Sweep& sweep, SweepStore& store, const SweepOptions& options)
      : sweep_(sweep), store_(store), options_(options) {
    row_length_ = !sweep.axes.empty() && is_posture(sweep.axes.back())
                      ? static_cast<long long>(sweep.axes.back().values.size())
                      : 1;
    num_rows_ = sweep.num_points() / row_length_;
    if (!sweep.has_parameters()) shared_ = std::make_unique<Engine>(sweep.make_analysis({}));
  }

  long long run() {
    const int wanted =
        options_.num_threads > 0 ? options_.num_threads : static_cast<int>(std::thread::hardware_concurrency());
    const int count = static_cast<int>(std::clamp<long long>(wanted, 1, std::max<long long>(1, num_rows_)));
    std::atomic<int> working{count};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&] {
        work();
        --working;
      });
    while (working > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (options_.progress) options_.progress(num_passed_);
    }
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    if (options_.progress) options_.progress(num_passed_);
    return num_computed_;
  }

 private:
  bool stopped() const { return failed_ || (options_.stop && *options_.stop); }

  void work() {
    try {
      std::unique_ptr<PointAnalysis::Work> scratch = shared_ ? shared_->analysis->make_work() : nullptr;
      for (long long row = next_row_++; row < num_rows_ && !stopped(); row = next_row_++) {
        if (row_is_done(row)) {
          num_passed_ += row_length_;
        } else if (shared_) {
          run_row(row, *shared_, *scratch);
        } else {
          run_row_of_parameters(row);
        }
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_ = true;
    }
  }

  bool row_is_done(long long row) const {
    for (long long k = 0; k < row_length_; ++k)
      if (!store_.is_done(row * row_length_ + k)) return false;
    return true;
  }

  // Parameters for which there is no model, or no posture, are marked and do not end the sweep.
  void run_row_of_parameters(long long row) {
    std::vector<double> parameters;
    const std::vector<double> values = sweep_.point(row * row_length_);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!is_posture(sweep_.axes[i])) parameters.push_back(values[i]);
    std::unique_ptr<Engine> engine;
    try {
      engine = std::make_unique<Engine>(sweep_.make_analysis(parameters));
    } catch (const InputError&) {
      for (long long k = 0; k < row_length_; ++k) put(row * row_length_ + k, PointStatus::unreachable, nothing());
      return;
    }
    const std::unique_ptr<PointAnalysis::Work> scratch = engine->analysis->make_work();
    run_row(row, *engine, *scratch);
  }

  std::vector<double> nothing() const {
    return std::vector<double>(sweep_.columns.size(), std::numeric_limits<double>::quiet_NaN());
  }

  void put(long long index, PointStatus status, const std::vector<double>& values) {
    if (!store_.is_done(index)) {
      store_.put(index, status, values);
      ++num_computed_;
    }
    ++num_passed_;
  }

  void run_row(long long row, const Engine& engine, PointAnalysis::Work& scratch) {
    Posture posture = engine.tracker.home();
    for (long long k = 0; k < row_length_ && !stopped(); ++k) {
      const long long index = row * row_length_ + k;
      const PostureGoal goal = goal_of(index, engine.tracker);
      bool reached = engine.tracker.reach(goal, posture);
      if (!reached) {  // the way from the last posture may lead around a place that the way from home passes
        Posture again = engine.tracker.home();
        reached = engine.tracker.reach(goal, again);
        if (reached) posture = again;
      }
      std::vector<double> values = nothing();
      PointStatus status = PointStatus::unreachable;
      if (reached && !store_.is_done(index)) status = evaluate(engine, posture, scratch, values);
      put(index, status, values);
    }
  }

  PointStatus evaluate(const Engine& engine, const Posture& posture, PointAnalysis::Work& scratch,
                       std::vector<double>& values) const {
    try {
      return engine.analysis->evaluate(posture, scratch, values.data());
    } catch (const InputError&) {  // no mass, for one: marked like other points without an answer
      values = nothing();
      return PointStatus::failed;
    }
  }

  PostureGoal goal_of(long long index, const PostureTracker& tracker) const {
    PostureGoal goal;
    const std::vector<double> values = sweep_.point(index);
    const Pose home = tracker.tool_at_home();
    Vector3 position = home.position, rotation = Vector3::Zero();
    bool uses_tool = false, turns = false;
    const auto apply = [&](const SweepVariable& variable, double value) {
      if (variable.kind == Kind::joint) goal.joints.push_back({variable.joint, variable.freedom, value});
      if (variable.kind != Kind::tool) return;
      uses_tool = true;
      turns = turns || variable.component >= 3;
      (variable.component < 3 ? position : rotation)[variable.component % 3] = value;
    };
    for (const SweepSetting& setting : sweep_.settings) apply(setting.variable, setting.value);
    for (std::size_t i = 0; i < sweep_.axes.size(); ++i) apply(sweep_.axes[i].variable, values[i]);
    if (!uses_tool) return goal;
    goal.tool_position = position;
    const bool keep =
        sweep_.orientation == ToolOrientation::keep || (sweep_.orientation == ToolOrientation::automatic &&
                                                        tracker.num_pose_freedoms() > tracker.num_position_freedoms());
    if (turns || keep) {
      const double angle = rotation.norm();
      const Vector3 axis = angle > 0 ? Vector3(rotation / angle) : Vector3(Vector3::UnitX());
      goal.tool_orientation = Eigen::AngleAxisd(angle, axis).toRotationMatrix() * home.rotation;
    }
    return goal;
  }

  const Sweep& sweep_;
  SweepStore& store_;
  const SweepOptions& options_;
  long long row_length_ = 1, num_rows_ = 0;
  std::unique_ptr<Engine> shared_;
  std::atomic<long long> next_row_{0}, num_computed_{0}, num_passed_{0};
  std::atomic<bool> failed_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace

long long Sweep::num_points() const {
  long long product = 1;
  for (const SweepAxis& axis : axes) product *= static_cast<long long>(axis.values.size());
  return product;
}

std::vector<double> Sweep::point(long long index) const {
  std::vector<double> values(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto n = static_cast<long long>(axes[i].values.size());
    values[i] = axes[i].values[static_cast<std::size_t>(index % n)];
    index /= n;
  }
  return values;
}

bool Sweep::has_parameters() const {
  return std::any_of(axes.begin(), axes.end(), [](const SweepAxis& axis) { return !is_posture(axis); });
}

long long run_sweep(const Sweep& sweep, SweepStore& store, const SweepOptions& options) {
  return Runner(sweep, store, options).run();
}

}  // namespace lithe
