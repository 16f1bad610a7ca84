// How long the tool swings after its motion has ended, and how far.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/analyses.h"

namespace lithe {

// What is simulated for how long, and how still is still.
struct SettleSpec {
  SimulateSpec motion = {};  // how it is simulated; its end follows from `after`
  std::string tool = {};     // "link:node"; empty: every position sensor of the model
  double band = 1e-4;        // m about where it comes to rest
  double move_end = 0;       // s; 0: when the last prescribed motion ends
  double after = 1;          // s that are simulated beyond that
};

// A point after the motion.
struct SettledPoint {
  std::string name;
  Vector3 rest = Vector3::Zero();  // where it comes to rest, m: its mean over the second half of `after`, weighted
  double settling_time = 0;        // s after the motion's end, when it stays in the band; infinite: not within `after`
  double residual = 0;             // m, largest distance from rest after the motion's end
  double last = 0;                 // m, the same over the last tenth of `after`
  double frequency = 0;            // Hz, of the largest peak of its vibration; 0: none
};

// The motion, and every point after it.
struct SettleResult {
  SimulatedMotion motion;
  double move_end = 0;
  std::vector<SettledPoint> points;
};

// Throws InputError where nothing moves as prescribed, or no position is known.
SettleResult settle(const Model& model, const SettleSpec& spec, const SimulateHooks& hooks = {});

// Its parts. The model with a sensor of the tool's position, first and of its name; empty: as it is.
Model with_watched_tool(const Model& model, const std::string& tool);
// Of a recorded position. Throws InputError where the motion has none of this name.
SettledPoint settled_point(const Trajectory& motion, const std::string& sensor, double move_end, double band);

// When the last prescribed motion ends, s; 0 without any.
double end_of_motions(const Model& model);

}  // namespace lithe
