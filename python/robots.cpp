// Sizes of motors, how long a tool swings after its motion, and numbers fitted to measurements.
#include "answers.h"
#include "hooks.h"
#include "lithe/read/partial_model.h"
#include "lithe/read/read_model.h"
#include "specs.h"

namespace lithe::python {
namespace {

nb::dict settled(const Model& model, const nb::dict& given, Hooks& hooks) {
  SettleSpec spec{.motion = spec_of<SimulateSpec>(model)};
  assign(given, spec);
  SettleResult result;
  {
    const nb::gil_scoped_release released;
    result = settle(model, spec, hooks.simulate_hooks(model));
  }
  nb::dict d, points;
  for (const SettledPoint& point : result.points) {
    nb::dict p;
    p["rest"] = array(VectorX(point.rest));
    p["settling_time"] = point.settling_time;
    p["residual"] = point.residual;
    p["last"] = point.last;
    p["frequency"] = point.frequency;
    points[point.name.c_str()] = p;
  }
  d["motion"] = motion_object(std::move(result.motion));
  d["move_end"] = result.move_end;
  d["points"] = points;
  return d;
}

nb::dict limit_dict(const UsedLimit& limit) {
  nb::dict d;
  d["name"] = limit.name;
  d["unit"] = limit.unit;
  d["value"] = limit.value;
  d["limit"] = limit.limit;
  d["used"] = limit.used();
  d["time"] = limit.time >= 0 ? nb::object(nb::float_(limit.time)) : nb::none();
  return d;
}

nb::dict drive_dict(const SizedDrive& drive) {
  nb::dict d;
  d["slides"] = drive.slides;
  d["ratio"] = drive.ratio;
  d["peak_torque"] = drive.peak_torque;
  d["peak_torque_time"] = drive.peak_torque_time;
  d["rms_torque"] = drive.rms_torque;
  d["peak_speed"] = drive.peak_speed;
  d["peak_speed_time"] = drive.peak_speed_time;
  d["peak_power"] = drive.peak_power;
  d["mean_power"] = drive.mean_power;
  d["braking_energy"] = drive.braking_energy;
  d["gear_peak"] = drive.gear_peak;
  d["gear_mean"] = drive.gear_mean;
  d["heat"] = drive.heat;
  nb::list limits;
  for (const UsedLimit& limit : drive.limits) limits.append(limit_dict(limit));
  d["limits"] = limits;
  return d;
}

nb::dict sized(const std::string& text, const std::string& file, bool outside_files, const nb::dict& given,
               Hooks& hooks) {
  SizeSpec spec;
  assign(given, spec);
  SizeResult result;
  {
    const nb::gil_scoped_release released;
    const PartialModel robot = read_text_partly(text, file, {.outside_files = outside_files});
    if (!robot.errors.empty()) throw InputError(robot.errors);
    result = size_motors(robot.model, robot.drive_trains, spec, hooks.simulate_hooks(robot.model));
  }
  nb::dict d, drives;
  for (const SizedDrive& drive : result.drives) drives[drive.joint.c_str()] = drive_dict(drive);
  d["motion"] = motion_object(std::move(result.motion));
  d["drives"] = drives;
  d["end_time"] = result.end_time;
  return d;
}

// One of `identify`: the path of a CSV, or a name and (name, unit, values) of every column.
MeasuredData measured(const nb::handle& given) {
  if (nb::isinstance<nb::str>(given)) return read_measured(nb::cast<std::string>(given));
  const auto [name, columns] = nb::cast<std::pair<std::string, nb::list>>(given);
  MeasuredData data{name, {}};
  for (const nb::handle column : columns) {
    const auto parts = nb::cast<nb::tuple>(column);
    data.columns.push_back(
        {nb::cast<std::string>(parts[0]), nb::cast<std::string>(parts[1]), nb::cast<std::vector<double>>(parts[2])});
    if (data.columns.back().values.size() != data.columns.front().values.size())
      throw InputError("columns of a measurement must be equally long");
  }
  return data;
}

nb::dict number_dict(const IdentifiedNumber& number) {
  nb::dict d;
  d["start"] = number.start;
  d["value"] = number.value;
  d["standard_error"] = number.standard_error;
  d["interval"] = nb::make_tuple(number.lower, number.upper);
  d["determined"] = number.determined;
  d["at_bound"] = number.at_bound;
  return d;
}

nb::dict curve_dict(const IdentifiedCurve& curve) {
  nb::dict d;
  d["name"] = curve.name;
  d["unit"] = curve.unit;
  d["at"] = array(curve.at);
  d["measured"] = array(curve.measured);
  d["before"] = array(curve.before);
  d["after"] = array(curve.after);
  d["rms_before"] = curve.rms_before;
  d["rms_after"] = curve.rms_after;
  return d;
}

nb::dict identified(const std::string& text, const std::string& file, bool outside_files, const nb::list& data,
                    const nb::dict& given, Hooks& hooks) {
  IdentifySpec spec;
  std::vector<MeasuredData> measurements;
  for (const nb::handle one : data) measurements.push_back(measured(one));
  std::optional<ParametricModel> model;
  {
    const nb::gil_scoped_release released;
    model.emplace(text, file, ReadOptions{.outside_files = outside_files});
    spec.motion = spec_of<SimulateSpec>(model->with({}));
  }
  assign(given, spec);
  const IdentifyResult result = hooks.attended([&] { return identify(*model, measurements, spec, hooks.run_hooks()); });
  const std::string fitted = result.failure.empty() ? model->text_with(result.values()) : std::string();
  nb::dict d, numbers;
  nb::list curves;
  for (const IdentifiedNumber& number : result.numbers) numbers[number.path.c_str()] = number_dict(number);
  for (const IdentifiedCurve& curve : result.curves) curves.append(curve_dict(curve));
  d["failure"] = result.failure;
  d["converged"] = result.converged;
  d["numbers"] = numbers;
  d["correlation"] = array(result.correlation);
  d["degrees_of_freedom"] = result.degrees_of_freedom;
  d["curves"] = curves;
  d["undetermined"] = result.undetermined;
  d["notes"] = result.notes;
  d["text"] = fitted;
  return d;
}

nb::dict settings_dict(const AnalysisRequest& request) {
  nb::dict d;
  for (const auto& [key, value] : request.settings)
    d[key.c_str()] = std::visit([](const auto& one) { return nb::cast(one); }, value);
  return d;
}

// As `measured` takes it.
nb::tuple data_tuple(const MeasuredData& data) {
  nb::list columns;
  for (const Column& column : data.columns)
    columns.append(nb::make_tuple(column.name, column.unit, array(column.values)));
  return nb::make_tuple(data.file, columns);
}

// Questions of robots among the analyses of a model file, in their order; `after`: how many others stand before.
nb::list studies_of(const std::string& text, const std::string& file, bool outside_files) {
  PartialModel robot;
  {
    const nb::gil_scoped_release released;
    robot = read_text_partly(text, file, {.outside_files = outside_files});
    if (!robot.errors.empty()) throw InputError(robot.errors);
  }
  nb::list list;
  for (const StudyRequest& request : robot.studies) {
    nb::dict d;
    nb::list data;
    for (const MeasuredData& one : request.data) data.append(data_tuple(one));
    d["kind"] = request.kind;
    d["after"] = request.after;
    d["settings"] = settings_dict(request.settings);
    d["data"] = data;
    list.append(d);
  }
  return list;
}

}  // namespace

void bind_robots(nb::module_& module) {
  module.def("studies_of", studies_of, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"));
  module.def("settle", settled, nb::arg("model"), nb::arg("settings"), nb::arg("hooks"));
  module.def("size_motors", sized, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"), nb::arg("settings"),
             nb::arg("hooks"));
  module.def("identify", identified, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"), nb::arg("data"),
             nb::arg("settings"), nb::arg("hooks"));
}

}  // namespace lithe::python
