// Studies that repeat motions: comparisons, controllers, sweeps.
#include <nanobind/stl/unique_ptr.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "answers.h"
#include "hooks.h"
#include "lithe/analyse/motion/recorded_rows.h"
#include "lithe/analyse/sweep/sweep_rows.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/read/read_model.h"
#include "lithe/read/tables/files_of_run.h"
#include "lithe/results/recording/sources.h"
#include "lithe/results/scene/described_shapes.h"
#include "lithe/results/sweep_file.h"
#include "lithe/results/sweep_signature.h"
#include "lithe/view/sweep_report.h"
#include "specs.h"
#include "what_if.h"

namespace lithe::python {

nb::object motion_object(Trajectory motion, std::shared_ptr<const Equations> equations) {
  if (!motion.equations) motion.equations = std::move(equations);
  return nb::cast(SimulatedMotion{std::move(motion)}, nb::rv_policy::move);
}

namespace {

nb::list differences_list(const Comparison& comparison) {
  nb::list differences;
  for (const std::vector<SensorDifference>& of_run : comparison.differences) {
    nb::list sensors;
    for (const SensorDifference& s : of_run) {
      nb::dict d;
      d["sensor"] = s.sensor;
      d["unit"] = s.unit;
      d["largest"] = s.largest;
      d["largest_time"] = s.largest_time;
      d["final"] = s.final;
      d["mean_square"] = s.mean_square;
      d["peak"] = s.peak;
      d["reference_peak"] = s.reference_peak;
      sensors.append(d);
    }
    differences.append(sensors);
  }
  return differences;
}

nb::dict compared(const Model& model, const nb::dict& given, Hooks& hooks) {
  const CompareSpec spec = spec_for<CompareSpec>(model, given);
  Comparison result;
  {
    const nb::gil_scoped_release released;
    result = compare(model, spec, hooks.run_hooks());
  }
  nb::dict d;
  d["differences"] = differences_list(result);
  d["finished"] = result.finished();
  nb::list runs;
  for (ComparedRun& run : result.runs)
    runs.append(nb::make_tuple(run.name, motion_object(std::move(run.motion), run.equations), run.seconds));
  d["runs"] = runs;
  return d;
}

// Of motions that were made, from the first of them.
nb::list motion_differences(const std::vector<const SimulatedMotion*>& motions) {
  Comparison comparison;
  {
    const nb::gil_scoped_release released;
    for (const SimulatedMotion* const motion : motions) {
      ComparedRun run{.name = {}, .equations = motion->equations, .motion = *motion};
      if (!comparison.runs.empty()) add_differences(run.rows(), comparison);
      if (comparison.runs.empty()) comparison.runs.push_back(std::move(run));
    }
  }
  return differences_list(comparison);
}

nb::dict figures_dict(const ControlFigures& f) {
  nb::dict d;
  d["settling_time"] = f.settling_time;
  d["residual"] = f.residual;
  d["peak_deflection"] = f.peak_deflection;
  d["peak_effort"] = f.peak_effort;
  d["effort"] = f.effort;
  d["finished"] = f.finished;
  return d;
}

nb::dict run_dict(ControlRun run, const std::shared_ptr<const Equations>& equations) {
  nb::dict d = figures_dict(run.figures);
  d["name"] = run.name;
  d["notes"] = run.design.notes;
  d["design_decay"] = run.design_decay;
  d["full_decay"] = run.full_decay;
  d["path_decay"] = run.path_decay;
  d["reference_end"] = run.reference_end;
  nb::list payloads;
  for (const PayloadRun& payload : run.payloads) {
    nb::dict p = figures_dict(payload.figures);
    p["factor"] = payload.factor;
    p["message"] = payload.message;
    p["decay"] = payload.decay;
    payloads.append(p);
  }
  d["payloads"] = payloads;
  d["motion"] = motion_object(std::move(run.motion), equations);
  return d;
}

nb::dict studied(const Model& model, const nb::dict& given, Hooks& hooks) {
  const ControlSpec spec = spec_for<ControlSpec>(model, given);
  ControlStudy result;
  {
    const nb::gil_scoped_release released;
    result = study_control(model, spec, hooks.run_hooks());
  }
  return as_dict(std::move(result));
}

}  // namespace

nb::dict as_dict(ControlStudy result) {
  const std::shared_ptr<const Equations> equations = std::move(result.equations);
  nb::dict d, failures;
  nb::list runs;
  for (ControlRun& run : result.runs) runs.append(run_dict(std::move(run), equations));
  for (const FailedDesign& failure : result.failures) failures[failure.name.c_str()] = failure.message;
  d["runs"] = runs;
  d["failures"] = failures;
  d["equal_settling"] = result.equal_settling;
  return d;
}

namespace {

// Points of a sweep on disk: the file that the program writes, too.
class PointsFile {
 public:
  PointsFile(const std::string& path, const std::string& signature, const Sweep& grid)
      : num_points_(grid.num_points()),
        width_(grid.columns.size()),
        file_(path, signature, num_points_, static_cast<int>(width_), false) {}

  // Those that are there: index, status, reason, values.
  nb::list points() const {
    nb::list list;
    for (long long index = 0; index < num_points_; ++index) {
      SweepFile::Point point = file_.get(index);
      if (point.there)
        list.append(
            nb::make_tuple(index, static_cast<int>(point.status), point.reason, array(std::move(point.values))));
    }
    return list;
  }
  void put(long long index, int status, const std::string& reason, const std::vector<double>& values) {
    if (index < 0 || index >= num_points_ || values.size() != width_) throw nb::value_error("no point of this sweep");
    file_.put(index, {static_cast<PointStatus>(status), reason}, values);
  }
  SweepFile& file() { return file_; }

 private:
  long long num_points_;
  std::size_t width_;
  SweepFile file_;
};

// Points of a grid; those that are not asked for count as done.
class ChosenPoints : public SweepStore {
 public:
  // `file`: takes what is found, too; may be null.
  ChosenPoints(const std::vector<long long>& wanted, long long num_points, std::size_t num_columns, SweepFile* file)
      : file_(file), place_(static_cast<std::size_t>(num_points), wanted.empty() ? 0 : -1), columns_(num_columns) {
    for (std::size_t i = 0; i < place_.size() && wanted.empty(); ++i) place_[i] = static_cast<long long>(i);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      place_.at(static_cast<std::size_t>(wanted[i])) = static_cast<long long>(i);
    const std::size_t count = wanted.empty() ? place_.size() : wanted.size();
    values.assign(count * columns_, std::nan(""));
    status.assign(count, -1);
    reasons.resize(count);
  }
  bool is_done(long long index) const override { return place_[static_cast<std::size_t>(index)] < 0; }
  void put(long long index, const PointResult& result, const std::vector<double>& found) override {
    const auto at = static_cast<std::size_t>(place_[static_cast<std::size_t>(index)]);
    std::copy(found.begin(), found.end(), values.begin() + static_cast<std::ptrdiff_t>(at * columns_));
    status[at] = static_cast<int>(result.status);
    reasons[at] = result.reason;
    ++num_found;
    if (file_ && keeps_) keep(index, result, found);
  }
  std::atomic<long long> num_found{0};
  std::vector<double> values;
  std::vector<std::int64_t> status;  // of PointStatus; -1: not computed
  std::vector<std::string> reasons;
  std::string not_kept;  // why the file has no more points: a disk that is full ends the keeping and not the sweep

 private:
  void keep(long long index, const PointResult& result, const std::vector<double>& found) {
    try {
      file_->put(index, result, found);
    } catch (const WriteError& error) {
      const std::lock_guard lock(mutex_);
      keeps_ = false;
      not_kept = error.what();
    }
  }

  SweepFile* file_;
  std::atomic<bool> keeps_ = true;
  std::mutex mutex_;
  std::vector<long long> place_;
  std::size_t columns_;
};

nb::list axes_list(const std::vector<SweepAxis>& grid) {
  nb::list axes;
  for (const SweepAxis& axis : grid)
    axes.append(nb::make_tuple(axis.variable.name, axis.variable.unit, array(axis.values)));
  return axes;
}

void take_motions(const ParametricModel&, SweepSpec&) {}
// Motions as the model's file has them.
void take_motions(const ParametricModel& model, SettleMapSpec& spec) {
  spec.settle.motion = spec_of<SimulateSpec>(model.with({}));
}

Sweep make_grid(const ParametricModel& model, const SweepSpec& spec, const RunHooks& hooks) {
  return make_sweep(model, spec, hooks);
}
Sweep make_grid(const ParametricModel& model, const SettleMapSpec& spec, const RunHooks& hooks) {
  return make_settle_map(model, spec, hooks);
}

// Rows that share the values of parameters: the number of its map for every point.
std::vector<std::int64_t> maps_of(const Sweep& grid) {
  std::vector<std::int64_t> maps(static_cast<std::size_t>(grid.num_points()), 0);
  for (std::size_t index = 0; index < maps.size(); ++index) {
    long long stride = grid.num_points();
    for (const SweepAxis& axis : grid.axes) {
      const auto n = static_cast<long long>(axis.values.size());
      stride /= n;
      if (axis.variable.kind == SweepVariable::Kind::parameter)
        maps[index] = maps[index] * n + static_cast<long long>(index) / stride % n;
    }
  }
  return maps;
}

// `points`: places in the grid; empty: all of it. `part`: "grid": nothing is computed; "rows": points that their rows
// do not reach are left (status -1).
template <class Spec>
nb::dict swept(const std::string& text, const std::string& file, bool outside_files, const nb::dict& given,
               const std::vector<long long>& points, const std::string& part, PointsFile* kept_in, Hooks& hooks) {
  const bool grid_only = part == "grid";
  nb::dict d;
  std::optional<ParametricModel> model;
  Spec spec;
  std::optional<Sweep> grid;
  std::optional<ChosenPoints> store;
  {
    const nb::gil_scoped_release released;
    model.emplace(text, file, ReadOptions{.outside_files = outside_files});
    take_motions(*model, spec);
  }
  assign(given, spec);
  {
    const nb::gil_scoped_release released;
    const RunHooks run = hooks.run_hooks();
    grid = make_grid(*model, spec, run);
    store.emplace(points, grid_only ? 0 : grid->num_points(), grid->columns.size(),
                  kept_in ? &kept_in->file() : nullptr);
    const double all = static_cast<double>(std::max<std::size_t>(1, store->status.size()));
    SweepOptions options;
    options.num_threads = spec.threads;
    options.stop = run.cancel;
    options.progress = [&](long long) { run.progress(static_cast<double>(store->num_found) / all); };
    if (part == "rows") {
      run_rows_of_sweep(*grid, *store, options);
    } else if (!grid_only) {
      run_sweep(*grid, *store, options);
    }
  }
  const std::size_t rows = store->status.size(), columns = grid->columns.size();
  const auto [kept, owner] = keep(std::move(store->values));
  d["axes"] = axes_list(grid->axes);
  d["columns"] = pairs_of(grid->columns);
  d["num_points"] = grid->num_points();
  if (grid_only) d["maps"] = array(maps_of(*grid));
  d["values"] = view<double>(kept->data(), {rows, columns}, owner);
  d["status"] = array(std::move(store->status));
  d["reasons"] = store->reasons;
  d["not_kept"] = store->not_kept;
  return d;
}

template <class Spec>
std::unique_ptr<PointsFile> points_file(const std::string& text, const std::string& file, bool outside_files,
                                        const nb::dict& given, const std::string& path, Hooks& hooks) {
  Spec spec;
  std::optional<ParametricModel> model;
  Signature signature;
  {
    const nb::gil_scoped_release released;
    const FilesOfRun remembers;
    remember_in_run(file, text);
    model.emplace(text, file, ReadOptions{.outside_files = outside_files});
    model->with({});
    take_motions(*model, spec);
    add_sources(LITHE_VERSION, file, signature);
  }
  assign(given, spec);
  const nb::gil_scoped_release released;
  const Sweep grid = make_grid(*model, spec, hooks.run_hooks());
  add_sweep(grid, settings_of(spec), signature);
  return std::make_unique<PointsFile>(path, signature.text(), grid);
}

using GivenValues = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Maps of a sweep that was made: `values` as it gave them.
template <class Spec>
Report swept_report(const ParametricModel& model, const Spec& spec, const GivenValues& values) {
  const Sweep grid = make_grid(model, spec, {});
  const std::size_t width = values.shape(1);
  if (width != grid.columns.size() || static_cast<long long>(values.shape(0)) != grid.num_points())
    throw InputError("the values are not those of this sweep");
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < width; ++c)
    if (grid.columns[c].show != SweepShow::files) columns.push_back(c);
  const Model at_home = model.with({});
  Report report;
  report.title = at_home.name;
  report.subtitle = "sweep";
  report.scene = make_scene(at_home);
  report.maps.push_back(sweep_map(grid, columns, [&](long long index) {
    const double* const row = values.data() + static_cast<std::size_t>(index) * width;
    return std::vector<double>(row, row + width);
  }));
  report.facts = {{"points", cat(grid.num_points())}};
  return report;
}

template <class Spec>
std::string swept_page(const std::string& text, const std::string& file, bool outside_files, const nb::dict& given,
                       const GivenValues& values) {
  Spec spec;
  std::optional<ParametricModel> model;
  {
    const nb::gil_scoped_release released;
    model.emplace(text, file, ReadOptions{.outside_files = outside_files});
    take_motions(*model, spec);
  }
  assign(given, spec);
  const nb::gil_scoped_release released;
  Report report = swept_report(*model, spec, values);
  add_described_shapes(*report.scene, {});
  return report_page(report);
}

std::string sweep_what_if(const nb::dict& given, const GivenValues& values, const WhatIfWish& wish) {
  SweepSpec spec;
  assign(given, spec);
  const nb::gil_scoped_release released;
  const ParametricModel model(wish.text, wish.file, ReadOptions{.outside_files = wish.outside_files});
  return what_if(wish, "map", spec, swept_report(model, spec, values));
}

nb::dict spec_dict(const AnalysisSpec& spec) {
  return std::visit([](const auto& one) { return shown_fields(one); }, spec);
}

nb::object answer_object(const Model& model, AnalysisResult result) {
  return std::visit(
      [&](auto&& one) -> nb::object {
        using Result = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Result, SimulatedMotion>) return motion_object(std::move(one));
        if constexpr (std::is_same_v<Result, CondenseResult>) return as_dict(model, std::move(one));
        if constexpr (!std::is_same_v<Result, SimulatedMotion> && !std::is_same_v<Result, CondenseResult>)
          return as_dict(std::move(one));
      },
      std::move(result));
}

// All analyses of a model file: name, kind, settings, and the result or why there is none.
nb::list all_analyses(const std::string& text, const std::string& file, bool outside_files, Hooks& hooks) {
  std::optional<Model> model;
  std::vector<AnalysisOutcome> outcomes;
  {
    const nb::gil_scoped_release released;
    const ParametricModel variable(text, file, ReadOptions{.outside_files = outside_files});
    model = variable.with({});
    outcomes = run_all(variable, hooks.run_hooks());
  }
  nb::list list;
  for (AnalysisOutcome& outcome : outcomes) {
    nb::dict d;
    d["name"] = outcome.analysis.name;
    d["kind"] = std::string(outcome.analysis.kind());
    d["settings"] = spec_dict(outcome.analysis.spec);
    d["failure"] = outcome.failure;
    d["result"] = outcome.result ? answer_object(*model, std::move(*outcome.result)) : nb::none();
    list.append(d);
  }
  return list;
}

}  // namespace

nb::dict as_dict(const SweepResult& result) {
  nb::dict d;
  std::vector<double> values;
  std::vector<std::int64_t> status;
  nb::list reasons;
  for (const SweepPoint& point : result.points) {
    values.insert(values.end(), point.values.begin(), point.values.end());
    status.push_back(static_cast<int>(point.status));
    reasons.append(point.reason);
  }
  const auto [kept, owner] = keep(std::move(values));
  d["axes"] = axes_list(result.axes);
  d["columns"] = pairs_of(result.columns);
  d["num_points"] = result.points.size();
  d["values"] = view<double>(kept->data(), {result.points.size(), result.columns.size()}, owner);
  d["status"] = array(std::move(status));
  d["reasons"] = reasons;
  return d;
}

void bind_studies(nb::module_& module) {
  nb::class_<PointsFile>(module, "PointsFile", "Points of a sweep on disk.")
      .def("points", &PointsFile::points)
      .def("put", &PointsFile::put, nb::arg("index"), nb::arg("status"), nb::arg("reason"), nb::arg("values"));
  module.def("sweep_file", points_file<SweepSpec>, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"),
             nb::arg("settings"), nb::arg("path"), nb::arg("hooks"));
  module.def("settle_map_file", points_file<SettleMapSpec>, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"),
             nb::arg("settings"), nb::arg("path"), nb::arg("hooks"));
  module.def("compare", compared, nb::arg("model"), nb::arg("settings"), nb::arg("hooks"));
  module.def("motion_differences", motion_differences, nb::arg("motions"));
  module.def("study_control", studied, nb::arg("model"), nb::arg("settings"), nb::arg("hooks"));
  module.def("run_all", all_analyses, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"), nb::arg("hooks"));
  module.def("sweep", swept<SweepSpec>, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"), nb::arg("settings"),
             nb::arg("points"), nb::arg("part"), nb::arg("kept_in").none(), nb::arg("hooks"));
  module.def("sweep_page", swept_page<SweepSpec>, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"),
             nb::arg("settings"), nb::arg("values"));
  module.def("sweep_what_if", sweep_what_if, nb::arg("settings"), nb::arg("values"), nb::arg("wish"));
  module.def("settle_map_page", swept_page<SettleMapSpec>, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"),
             nb::arg("settings"), nb::arg("values"));
  module.def("settle_map", swept<SettleMapSpec>, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"),
             nb::arg("settings"), nb::arg("points"), nb::arg("part"), nb::arg("kept_in").none(), nb::arg("hooks"));
}

}  // namespace lithe::python
