// Measurements as curves that a model predicts.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/analyses.h"
#include "lithe/model/measured_data.h"

namespace lithe {

enum class ChannelKind {
  value,          // of a sensor in time
  log_magnitude,  // of a frequency response
  phase,          // likewise, rad
  log_frequency,  // of natural modes
  damping_ratio,  // likewise
};

// One measured curve, in the form in which it is compared.
struct MeasuredChannel {
  ChannelKind kind = ChannelKind::value;
  std::size_t experiment = 0;
  std::string name, unit;
  std::string output, input;  // of a frequency response
  std::vector<double> at;     // s, Hz, numbers of modes from 1
  VectorX measured;
  double deviation = 1;  // expected of the differences, in units of difference()
};

// What was measured together: one motion, one frequency response, one list of modes.
struct Experiment {
  ChannelKind kind = ChannelKind::value;  // of its first channel
  std::string file;
  std::vector<double> at;
  std::vector<std::string> inputs;
};

struct Measurements {
  std::vector<Experiment> experiments;
  std::vector<MeasuredChannel> channels;

  bool has(ChannelKind kind) const;
  double end_time() const;  // of the longest motion; 0 without any
};

// Throws InputError for headings that are none, times that do not ascend, magnitudes and frequencies that are not
// positive.
Measurements read_measurements(const std::vector<MeasuredData>& data);

struct PredictionOptions {
  SimulateSpec motion;
  std::vector<std::string> held;
  double part = 1;  // of the longest motion; below 1 without phases: a first fit that finds the way to the full one
};

// One vector per channel, with so many values as the part has; none at all with `failure` where the model has no
// answer. Throws InputError where the model has not what was measured.
std::vector<VectorX> predict(const Model& model, const Measurements& measured, const PredictionOptions& options,
                             const RunHooks& hooks, std::string& failure);

// Predicted less measured: phases within half a turn, damping ratios relative to the measured ones.
VectorX difference(const MeasuredChannel& channel, const VectorX& predicted);

}  // namespace lithe
