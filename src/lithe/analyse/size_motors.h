// Which motor is too small: what the prescribed motions ask of every drive train, beside its limits.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/analyses.h"
#include "lithe/model/drive_train.h"

namespace lithe {

struct SizeSpec {
  FormulationChoice formulation = {};
  bool flexible = false;      // links and gearboxes as they are; false: all rigid
  double end_time = 0;        // s, of the cycle; 0: when the last motion ends
  double output_step = 1e-3;  // s between the values that are looked at
  double tolerance = SimulateSpec{}.tolerance;
};

// A limit, and how far it is used.
struct UsedLimit {
  std::string name, unit;  // "peak torque of the motor"
  double value = 0, limit = 0;
  double time = -1;  // s, of a peak; -1: of the whole cycle
  double used() const { return value / limit; }
};

// Torques and speeds of the motor's side, and those at the gearbox's output; forces and N for joints that slide.
struct SizedDrive {
  std::string joint;
  bool slides = false;
  double ratio = 1;
  double peak_torque = 0, peak_torque_time = 0, rms_torque = 0;  // of the motor, N m (N with ratio 1 on a slide)
  double peak_speed = 0, peak_speed_time = 0;                    // of the motor, rad/s
  double peak_power = 0, mean_power = 0;                         // of the motor, W
  double braking_energy = 0;                                     // J per cycle that come back to the motor
  double gear_peak = 0, gear_mean = 0;  // at the output: peak, and cubic mean weighted by speed
  double heat = 0;                      // W, mean, of the winding; NaN where it is not known
  std::vector<UsedLimit> limits;        // most used first
};

struct SizeResult {
  SimulatedMotion motion;  // with force, speed and acceleration of every joint that was sized
  std::vector<SizedDrive> drives;
  double end_time = 0;
};

// Of `trains`, and of joints with a prescribed motion that have none. Throws InputError where nothing moves.
SizeResult size_motors(const Model& model, const std::vector<DriveTrain>& trains, const SizeSpec& spec,
                       const SimulateHooks& hooks = {});

}  // namespace lithe
