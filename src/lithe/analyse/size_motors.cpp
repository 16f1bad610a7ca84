#include "lithe/analyse/size_motors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lithe/analyse/observe/rigid_model.h"
#include "lithe/analyse/observe/sensors.h"
#include "lithe/analyse/settle.h"
#include "lithe/analyse/sweep/configuration_model.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

// Drive trains of joints that move as prescribed; those without one get one without limits.
std::vector<DriveTrain> sized_trains(const Model& model, const std::vector<DriveTrain>& trains) {
  std::vector<DriveTrain> result;
  for (const Drive& drive : model.drives) {
    if (!drive.prescribes_motion || num_freedoms(model.joints[static_cast<std::size_t>(drive.joint)].type) != 1)
      continue;
    const auto known =
        std::find_if(trains.begin(), trains.end(), [&](const DriveTrain& train) { return train.joint == drive.joint; });
    result.push_back(known != trains.end() ? *known : DriveTrain{});
    result.back().joint = drive.joint;
  }
  return result;
}

struct Quantities {
  Quantity quantity;
  const char* name;
};
constexpr Quantities recorded[] = {
    {Quantity::joint_force, "force"}, {Quantity::joint_speed, "speed"}, {Quantity::joint_acceleration, "acceleration"}};

Model measured_model(const Model& model, const std::vector<DriveTrain>& trains, bool flexible) {
  Model result = model;
  result.sensors.clear();
  for (const DriveTrain& train : trains)
    for (const Quantities& each : recorded) {
      Sensor sensor;
      sensor.name = cat(each.name, " of ", model.joints[static_cast<std::size_t>(train.joint)].name);
      sensor.quantity = each.quantity;
      sensor.joint = train.joint;
      result.sensors.push_back(std::move(sensor));
    }
  if (flexible) return result;
  std::vector<std::string> gears;
  for (const DriveTrain& train : trains)
    if (train.gear >= 0) gears.push_back(model.joints[static_cast<std::size_t>(train.gear)].name);
  return with_held_joints(without_elasticity(std::move(result)), gears);
}

// Means over the cycle by the trapezoidal rule.
class Cycle {
 public:
  explicit Cycle(const std::vector<double>& times) : times_(times) {}
  template <class Value>
  double integral(const Value& value) const {
    double sum = 0;
    for (std::size_t i = 1; i < times_.size(); ++i) sum += (times_[i] - times_[i - 1]) * (value(i - 1) + value(i)) / 2;
    return sum;
  }
  double duration() const { return times_.back() - times_.front(); }

 private:
  const std::vector<double>& times_;
};

void add_limit(SizedDrive& drive, const char* name, const char* unit, double value, const std::optional<double>& limit,
               double time) {
  if (limit) drive.limits.push_back({name, unit, value, *limit, time});
}

// Torque against the motor's torque-speed line, where it drives: the instant that uses most of it.
class LineUse {
 public:
  explicit LineUse(const DriveTrain& train) : train_(train) {}
  void add(double torque, double speed, double time) {
    if (!train_.stall_torque || !train_.no_load_speed || !(torque * speed >= 0)) return;
    constexpr double least = 1e-3;  // of the stall torque: beyond the no-load speed nothing is left
    const double left = *train_.stall_torque * std::max(least, 1 - std::abs(speed) / *train_.no_load_speed);
    if (std::abs(torque) / left > used_)
      used_ = std::abs(torque) / left, value_ = std::abs(torque), limit_ = left, time_ = time;
  }
  void compare(SizedDrive& drive) const {
    if (limit_ > 0) drive.limits.push_back({"torque of the motor at its speed", "N m", value_, limit_, time_});
  }

 private:
  const DriveTrain& train_;
  double used_ = -1, value_ = 0, limit_ = 0, time_ = 0;
};

void compare(const DriveTrain& train, double gear_time, SizedDrive& drive) {
  const char* output = drive.slides ? "N" : "N m";
  add_limit(drive, "peak torque of the motor", "N m", drive.peak_torque, train.max_torque, drive.peak_torque_time);
  add_limit(drive, "RMS torque of the motor", "N m", drive.rms_torque, train.rated_torque, -1);
  add_limit(drive, train.described ? "speed of the joint" : "speed of the motor",
            train.described && drive.slides ? "m/s" : "rad/s", drive.peak_speed, train.max_speed,
            drive.peak_speed_time);
  add_limit(drive, train.described ? "peak effort of the joint" : "peak torque of the gearbox", output, drive.gear_peak,
            train.gear_max_torque, gear_time);
  add_limit(drive, "mean torque of the gearbox", output, drive.gear_mean, train.gear_rated_torque, -1);
  std::stable_sort(drive.limits.begin(), drive.limits.end(),
                   [](const UsedLimit& a, const UsedLimit& b) { return a.used() > b.used(); });
}

// The rotor's own part goes past the gearbox; what is left passes it, with losses to the side that is driven.
SizedDrive sized(const Model& model, const DriveTrain& train, const Trajectory& motion, std::size_t first) {
  const Joint& joint = model.joints[static_cast<std::size_t>(train.joint)];
  const std::vector<double>&force = motion.columns[first].values, &speed = motion.columns[first + 1].values,
        &acceleration = motion.columns[first + 2].values;
  SizedDrive drive;
  drive.joint = joint.name;
  drive.slides = !is_rotation(joint.type, 0);
  drive.ratio = train.ratio;
  std::vector<double> torque(force.size()), output(force.size());
  double gear_time = 0;
  LineUse line(train);
  for (std::size_t i = 0; i < force.size(); ++i) {
    const double rotor = (joint.inertia[0] + (train.gyroscopic ? train.inertia : 0)) * acceleration[i];
    output[i] = force[i] - rotor;
    const double loss = output[i] * speed[i] > 0 ? 1 / train.efficiency : train.efficiency;
    torque[i] = (rotor + output[i] * loss) / train.ratio;
    const double motor_speed = std::abs(speed[i]) * train.ratio;
    if (std::abs(torque[i]) > drive.peak_torque)
      drive.peak_torque = std::abs(torque[i]), drive.peak_torque_time = motion.times[i];
    if (motor_speed > drive.peak_speed) drive.peak_speed = motor_speed, drive.peak_speed_time = motion.times[i];
    if (std::abs(output[i]) > drive.gear_peak) drive.gear_peak = std::abs(output[i]), gear_time = motion.times[i];
    line.add(torque[i], speed[i] * train.ratio, motion.times[i]);
    drive.peak_power = std::max(drive.peak_power, std::abs(torque[i]) * motor_speed);
  }
  const Cycle cycle(motion.times);
  const auto power = [&](std::size_t i) { return torque[i] * speed[i] * train.ratio; };
  drive.rms_torque = std::sqrt(cycle.integral([&](std::size_t i) { return torque[i] * torque[i]; }) / cycle.duration());
  drive.mean_power = cycle.integral(power) / cycle.duration();
  drive.braking_energy = cycle.integral([&](std::size_t i) { return std::max(0.0, -power(i)); });
  const double turned = cycle.integral([&](std::size_t i) { return std::abs(speed[i]); });
  if (turned > 0)
    drive.gear_mean = std::cbrt(
        cycle.integral([&](std::size_t i) { return std::abs(speed[i] * output[i] * output[i] * output[i]); }) / turned);
  drive.heat = std::numeric_limits<double>::quiet_NaN();
  if (train.torque_constant && train.winding_resistance) {
    const double current = drive.rms_torque / *train.torque_constant;
    drive.heat = *train.winding_resistance * current * current;
  }
  line.compare(drive);
  compare(train, gear_time, drive);
  return drive;
}

}  // namespace

SizeResult size_motors(const Model& model, const std::vector<DriveTrain>& trains, const SizeSpec& spec,
                       const SimulateHooks& hooks) {
  const std::vector<DriveTrain> sized_ones = sized_trains(model, trains);
  if (sized_ones.empty())
    throw InputError(cat(model.file, ": no joint's motion is prescribed: give [[moves]], or drives with 'motion'"));
  SizeResult result;
  result.end_time = spec.end_time > 0 ? spec.end_time : end_of_motions(model);
  if (!(result.end_time > 0))
    throw InputError(cat(model.file, ": the prescribed motions have no end; say how long the cycle is with --end"));
  SimulateSpec motion;
  if (spec.flexible) motion.formulation = spec.formulation;
  motion.end_time = result.end_time;
  motion.output_step = spec.output_step;
  motion.tolerance = spec.tolerance;
  motion.controllers = {"none"};
  result.motion = simulate(measured_model(model, sized_ones, spec.flexible), motion, hooks);
  if (result.motion.end != RunEnd::finished || result.motion.times.size() < 2) return result;
  for (std::size_t k = 0; k < sized_ones.size(); ++k)
    result.drives.push_back(sized(model, sized_ones[k], result.motion, 3 * k));
  return result;
}

}  // namespace lithe
