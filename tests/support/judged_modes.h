// Automatically chosen modes of random mechanisms against all modes.
#pragma once

#include "lithe/analyse/reduction/choose_modes.h"
#include "support/random_mechanisms.h"

namespace lithe::testing {

// Position and displacement; position, velocity and joint speed; displacement, bending moment and reaction; all of
// these and accelerations.
enum class JudgedSensors { places, speeds, forces, all };
inline constexpr int num_judged_sensors = 4;

// A random mechanism, a different kind for each index, with reduction = "auto" and such sensors.
Model judged_mechanism(int index, unsigned seed);
JudgedSensors judged_sensors(int index);
const char* describe(JudgedSensors sensors);

struct JudgedModes {
  ModeChoice choice;
  double true_error = 0;  // largest of the sensors, against all modes
  double seconds = 0;     // processor time, of all runs that the choice took
  double all_seconds = 0;
  bool finished = true;  // both
};
JudgedModes judge_modes(const Model& model, double end_time);

}  // namespace lithe::testing
