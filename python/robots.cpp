// Sizes of motors, and how long a tool swings after its motion.
#include "answers.h"
#include "hooks.h"
#include "lithe/read/partial_model.h"
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

}  // namespace

void bind_robots(nb::module_& module) {
  module.def("settle", settled, nb::arg("model"), nb::arg("settings"), nb::arg("hooks"));
  module.def("size_motors", sized, nb::arg("text"), nb::arg("file"), nb::arg("outside_files"), nb::arg("settings"),
             nb::arg("hooks"));
}

}  // namespace lithe::python
