// Numbers of a model fitted to what was measured on the machine: stiffness, damping and friction of joints, masses,
// materials. docs/howto/identify.md.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/hooks.h"
#include "lithe/analyse/specs.h"
#include "lithe/model/measured_data.h"
#include "lithe/model/variable_model.h"

namespace lithe {

// Which numbers are fitted, and how.
struct IdentifySpec {
  std::vector<std::string> fit = {};   // "joints.elbow.stiffness", or with bounds "joints.elbow.damping = 0 : 20"
  std::vector<std::string> set = {};   // numbers that are others during the measurement: "links.hand.mass = 3 kg"
  SimulateSpec motion = {};            // how measurements in time are simulated; their end is that of the data
  std::vector<std::string> held = {};  // joints that are locked while frequencies were measured
  double confidence = 0.95;            // of the intervals
  int max_iterations = 50;
  int threads = 0;  // 0: as many as there are processors
};

// A number of the model file as the data have it.
struct IdentifiedNumber {
  std::string path;
  double start = 0, value = 0;  // SI
  double standard_error = 0;    // infinite where the data do not determine it
  double lower = 0, upper = 0;  // confidence interval
  bool determined = true;       // by the data
  bool at_bound = false;
};

// One measured curve beside those of the model with the numbers of the file and with the fitted ones.
struct IdentifiedCurve {
  std::size_t data = 0;          // which of the data it is of
  std::string name, unit;        // of `measured`
  std::string at_name, at_unit;  // "time", "s"; "frequency", "Hz"; "mode", ""
  std::vector<double> at, measured, before, after;
  double rms_before = 0, rms_after = 0;  // of the differences: in `unit`, relative for magnitudes and frequencies
  bool relative = false;
  double correlation = 0;  // of the remaining differences from one value to the next
};

// The numbers, how sure they are, and what the data do not determine.
struct IdentifyResult {
  std::string failure;  // why there are no numbers; empty: there are
  bool converged = false;
  bool cancelled = false;              // then there are no numbers
  int iterations = 0, num_models = 0;  // models computed
  std::vector<IdentifiedNumber> numbers;
  MatrixX correlation;         // of the determined numbers' errors, in their order
  int degrees_of_freedom = 0;  // values measured less numbers fitted
  std::vector<IdentifiedCurve> curves;
  std::vector<std::string> undetermined;  // combinations that the data do not determine, a sentence each
  std::vector<std::string> notes;

  // The numbers found, for ParametricModel::with and text_with.
  std::vector<std::pair<std::string, double>> values() const;
};

// Data: see docs/howto/identify.md for the headings. Throws InputError for paths and headings that are none, and where
// the model with its own numbers cannot be computed.
IdentifyResult identify(const NumberedModel& model, const std::vector<MeasuredData>& data, const IdentifySpec& spec,
                        const RunHooks& hooks = {});

}  // namespace lithe
