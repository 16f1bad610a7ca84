#include "lithe/analyse/sweep/sweep.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "lithe/analyse/sweep/track_configuration.h"
#include "lithe/base/diagnostics.h"
#include "lithe/kinematics/configuration.h"

namespace lithe {
namespace {

using Kind = SweepVariable::Kind;

// What changes without another model.
bool in_a_row(const SweepAxis& axis) { return axis.variable.kind != Kind::parameter; }

bool moves(const SweepVariable& variable) { return variable.kind == Kind::tool || variable.kind == Kind::joint; }

// One model with its home configuration.
struct Engine {
  explicit Engine(std::unique_ptr<PointAnalysis> given)
      : analysis(std::move(given)),
        tracker(analysis->model(), analysis->mechanism(), analysis->tool(),
                initial_configuration(analysis->mechanism(), analysis->model())) {}
  std::unique_ptr<PointAnalysis> analysis;
  ConfigurationTracker tracker;
};

// Where a configuration is, and whether it could be reached.
struct Step {
  long long index = 0;
  bool reached = false;
  Configuration configuration;
};

// The points along the last axis, each configuration from the one before it, so that a row of the grid follows one
// branch of configurations; rows begin at the home configuration and do not depend on each other. Several threads may
// take points of one row.
struct Row {
  Row(long long first_index, long long count, std::shared_ptr<const Engine> of)
      : first(first_index), length(count), engine(std::move(of)), configuration(engine->tracker.home()) {}
  const long long first, length;
  const std::shared_ptr<const Engine> engine;
  std::mutex mutex;
  std::atomic<long long> next{0};
  Configuration configuration;
};

std::string reason_of(const InputError& error) {
  return error.errors().empty() ? std::string(error.what()) : error.errors().front().message;
}

// What a thread keeps between points.
struct Bench {
  std::vector<double> parameters;  // of the engine that was made last
  std::shared_ptr<const Engine> made;
  std::shared_ptr<const Engine> engine;  // whose work this is
  std::unique_ptr<PointAnalysis::Work> work;
};

class Runner {
 public:
  Runner(const Sweep& sweep, SweepStore& store, const SweepOptions& options)
      : sweep_(sweep), store_(store), options_(options) {
    row_length_ = !sweep.axes.empty() && in_a_row(sweep.axes.back())
                      ? static_cast<long long>(sweep.axes.back().values.size())
                      : 1;
    num_rows_ = sweep.num_points() / row_length_;
    if (!sweep.has_parameters()) shared_ = std::make_shared<const Engine>(sweep.make_analysis({}));
  }

  long long run() {
    const int wanted =
        options_.num_threads > 0 ? options_.num_threads : static_cast<int>(std::thread::hardware_concurrency());
    const int count = static_cast<int>(std::clamp<long long>(wanted, 1, std::max<long long>(1, sweep_.num_points())));
    std::atomic<int> working{count};
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(count));
    try {
      while (threads.size() < static_cast<std::size_t>(count))
        threads.emplace_back([&] {
          work();
          --working;
        });
    } catch (const std::exception&) {  // the system gives no more of them
      working -= count - static_cast<int>(threads.size());
      if (threads.empty()) work();
    }
    while (working > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (options_.progress) options_.progress(num_passed_);
    }
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    rescue();
    if (options_.progress) options_.progress(num_passed_);
    return num_computed_;
  }

 private:
  bool stopped() const { return failed_ || (options_.stop && *options_.stop); }

  // A row of its own as long as there are any; then help with those that others have begun.
  void work() {
    try {
      Bench bench;
      for (long long row = next_row_++; row < num_rows_ && !stopped(); row = next_row_++)
        if (const std::shared_ptr<Row> opened = open(row, bench)) run_row(*opened, bench);
      while (const std::shared_ptr<Row> begun = stopped() ? nullptr : longest_begun()) run_row(*begun, bench);
    } catch (...) {
      const std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_ = true;
    }
  }

  std::shared_ptr<Row> longest_begun() {
    const std::lock_guard lock(rows_mutex_);
    std::erase_if(begun_, [](const std::shared_ptr<Row>& row) { return row->next >= row->length; });
    const auto longest =
        std::min_element(begun_.begin(), begun_.end(), [](const auto& a, const auto& b) { return a->next < b->next; });
    return longest == begun_.end() ? nullptr : *longest;
  }

  // None where nothing is left to do in it.
  std::shared_ptr<Row> open(long long row, Bench& bench) {
    const long long first = row * row_length_;
    if (row_is_done(first)) {
      num_passed_ += row_length_;
      return nullptr;
    }
    const std::shared_ptr<const Engine> engine = shared_ ? shared_ : engine_of_parameters(first, bench);
    if (!engine) return nullptr;
    auto opened = std::make_shared<Row>(first, row_length_, engine);
    const std::lock_guard lock(rows_mutex_);
    std::erase_if(begun_, [](const std::shared_ptr<Row>& other) { return other->next >= other->length; });
    begun_.push_back(opened);
    return opened;
  }

  bool row_is_done(long long first) const {
    for (long long k = 0; k < row_length_; ++k)
      if (!store_.is_done(first + k)) return false;
    return true;
  }

  // Parameters for which there is no model, or no configuration, are marked and do not end the sweep.
  std::shared_ptr<const Engine> engine_of_parameters(long long first, Bench& bench) {
    std::vector<double> parameters;
    const std::vector<double> values = sweep_.point(first);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!in_a_row(sweep_.axes[i])) parameters.push_back(values[i]);
    if (bench.made && bench.parameters == parameters) return bench.made;
    try {
      bench.made = std::make_shared<const Engine>(sweep_.make_analysis(parameters));
      bench.parameters = parameters;
      return bench.made;
    } catch (const InputError& error) {
      bench.made = nullptr;
      for (long long k = 0; k < row_length_; ++k)
        put(first + k, {PointStatus::unreachable, reason_of(error)}, nothing());
      return nullptr;
    }
  }

  std::vector<double> nothing() const {
    return std::vector<double>(sweep_.columns.size(), std::numeric_limits<double>::quiet_NaN());
  }

  void put(long long index, const PointResult& result, const std::vector<double>& values) {
    if (!store_.is_done(index)) {
      store_.put(index, result, values);
      ++num_computed_;
    }
    ++num_passed_;
  }

  void run_row(Row& row, Bench& bench) {
    prepare(row.engine, bench);
    Step step;
    while (!stopped() && take_step(row, step)) {
      if (step.reached) {
        if (!finish(step, *row.engine, *bench.work)) return;
        continue;
      }
      const std::lock_guard lock(missed_mutex_);
      missed_.push_back(step.index);
    }
  }

  // Evaluates a point and keeps what is found; false where that may have been cut short.
  bool finish(const Step& step, const Engine& engine, PointAnalysis::Work& work) {
    std::vector<double> values = nothing();
    PointResult result;
    if (!store_.is_done(step.index)) result = evaluate(step, engine, work, values);
    if (result.status != PointStatus::ok && stopped()) return false;
    put(step.index, result, values);
    return true;
  }

  // Configurations of the points of a row, none where it could not be reached.
  using RowConfigurations = std::map<long long, std::vector<std::optional<Configuration>>>;

  // Points that were missed along their rows are tried again from solved neighbours in all directions of the grid, in
  // waves: each wave uses what the waves before it found, so that the order of work does not matter. Where no wave
  // finds more, some of the points are searched for without a way to them (behind a hole of the workspace), and waves
  // go on from there. What is left is unreachable. Configurations of solved points are followed again along their rows:
  // they are cheap, and a sweep that goes on after an interruption has no others.
  void rescue() {
    constexpr std::size_t most_searches = 64;
    std::sort(missed_.begin(), missed_.end());
    RowConfigurations rows;
    Bench bench;
    for (std::size_t searches = 0; !stopped();) {
      std::vector<Step> wave;
      for (const long long index : missed_) {
        if (stopped()) return;
        if (Step step = from_neighbours(index, rows, bench); step.reached) wave.push_back(std::move(step));
      }
      const std::size_t left = missed_.size(), apart = std::max<std::size_t>(1, left / most_searches);
      for (std::size_t k = apart / 2; wave.empty() && k < left && searches < most_searches; k += apart, ++searches) {
        if (stopped()) return;
        if (Step step = searched_for(missed_[k], bench); step.reached) wave.push_back(std::move(step));
      }
      if (wave.empty()) break;
      if (!keep(wave, rows, bench)) return;
    }
    if (stopped()) return;
    for (const long long index : missed_)
      put(index,
          {PointStatus::unreachable, "no configuration on the way there from any neighbouring point, or from home"},
          nothing());
  }

  // False where a point may have been cut short.
  bool keep(const std::vector<Step>& wave, RowConfigurations& rows, Bench& bench) {
    for (const Step& step : wave) {
      configurations_of(step.index / row_length_, rows, bench)[static_cast<std::size_t>(step.index % row_length_)] =
          step.configuration;
      const std::shared_ptr<const Engine> engine = engine_of(step.index, bench);
      prepare(engine, bench);
      if (!finish(step, *engine, *bench.work)) return false;
      std::erase(missed_, step.index);
    }
    return true;
  }

  Step searched_for(long long index, Bench& bench) {
    Step step;
    step.index = index;
    const std::shared_ptr<const Engine> engine = engine_of(index, bench);
    if (!engine) return step;
    step.configuration = engine->tracker.home();
    step.reached = engine->tracker.search(goal_of(index, engine->tracker), step.configuration);
    return step;
  }

  std::vector<std::optional<Configuration>>& configurations_of(long long row, RowConfigurations& rows, Bench& bench) {
    std::vector<std::optional<Configuration>>& configurations = rows[row];
    if (!configurations.empty()) return configurations;
    configurations.resize(static_cast<std::size_t>(row_length_));
    const std::shared_ptr<const Engine> engine = engine_of(row * row_length_, bench);
    if (!engine) return configurations;
    Row again(row * row_length_, row_length_, engine);
    Step step;
    for (std::size_t k = 0; k < configurations.size() && take_step(again, step); ++k)
      if (step.reached) configurations[k] = step.configuration;
    return configurations;
  }

  Step from_neighbours(long long index, RowConfigurations& rows, Bench& bench) {
    Step step;
    step.index = index;
    configurations_of(index / row_length_, rows, bench);
    const std::shared_ptr<const Engine> engine = engine_of(index, bench);
    if (!engine) return step;
    const ConfigurationGoal goal = goal_of(index, engine->tracker);
    long long stride = sweep_.num_points();
    for (const SweepAxis& axis : sweep_.axes) {
      const auto n = static_cast<long long>(axis.values.size());
      stride /= n;
      const long long place = index / stride % n;
      if (!moves(axis.variable)) continue;
      for (const long long side : {-1, 1}) {
        if (place + side < 0 || place + side >= n) continue;
        const long long neighbour = index + side * stride;
        const auto& near =
            configurations_of(neighbour / row_length_, rows, bench)[static_cast<std::size_t>(neighbour % row_length_)];
        if (!near) continue;
        step.configuration = *near;
        step.reached = engine->tracker.reach(goal, step.configuration);
        if (step.reached) return step;
      }
    }
    return step;
  }

  std::shared_ptr<const Engine> engine_of(long long index, Bench& bench) {
    return shared_ ? shared_ : engine_of_parameters(index / row_length_ * row_length_, bench);
  }

  static void prepare(const std::shared_ptr<const Engine>& engine, Bench& bench) {
    if (bench.engine == engine) return;
    bench.work = engine->analysis->make_work();
    bench.engine = engine;
  }

  // Moves the configuration of the row on by one point. False at the end of the row.
  bool take_step(Row& row, Step& step) const {
    const std::lock_guard lock(row.mutex);
    if (row.next >= row.length) return false;
    step.index = row.first + row.next;
    const ConfigurationTracker& tracker = row.engine->tracker;
    const ConfigurationGoal goal = goal_of(step.index, tracker);
    step.reached = tracker.reach(goal, row.configuration);
    if (!step.reached) {  // the way from the last configuration may lead around a place that the way from home passes
      Configuration again = tracker.home();
      step.reached = tracker.reach(goal, again);
      if (step.reached) row.configuration = again;
    }
    step.configuration = row.configuration;
    ++row.next;
    return true;
  }

  PointResult evaluate(const Step& step, const Engine& engine, PointAnalysis::Work& work,
                       std::vector<double>& values) const {
    PointPlace place{step.configuration, 0, options_.stop};
    const std::vector<double> point = sweep_.point(step.index);
    for (const SweepSetting& setting : sweep_.settings)
      if (setting.variable.kind == Kind::speed) place.speed = setting.value;
    for (std::size_t i = 0; i < point.size(); ++i)
      if (sweep_.axes[i].variable.kind == Kind::speed) place.speed = point[i];
    try {
      return engine.analysis->evaluate(place, work, values.data());
    } catch (const InputError& error) {  // no mass, for one: marked like other points without an answer
      values = nothing();
      return {PointStatus::failed, reason_of(error)};
    }
  }

  ConfigurationGoal goal_of(long long index, const ConfigurationTracker& tracker) const {
    ConfigurationGoal goal;
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
  std::shared_ptr<const Engine> shared_;
  std::mutex rows_mutex_;
  std::vector<std::shared_ptr<Row>> begun_;
  std::atomic<long long> next_row_{0}, num_computed_{0}, num_passed_{0};
  std::atomic<bool> failed_{false};
  std::mutex missed_mutex_;
  std::vector<long long> missed_;  // points that their rows did not reach
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
  return std::any_of(axes.begin(), axes.end(), [](const SweepAxis& axis) { return !in_a_row(axis); });
}

bool Sweep::moves_configuration() const {
  return std::any_of(axes.begin(), axes.end(), [](const SweepAxis& axis) { return moves(axis.variable); }) ||
         std::any_of(settings.begin(), settings.end(),
                     [](const SweepSetting& setting) { return moves(setting.variable); });
}

long long run_sweep(const Sweep& sweep, SweepStore& store, const SweepOptions& options) {
  return Runner(sweep, store, options).run();
}

}  // namespace lithe
