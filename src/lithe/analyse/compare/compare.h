// The same mechanism, inputs and output times in several formulations: how far the sensors differ. docs/compare.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/formulation.h"

namespace lithe {

struct RecordedRows;   // analyse/motion/recorded_rows.h
class ReplayRecorder;  // analyse/motion/recorder.h

// The motion in one formulation.
struct ComparedRun {
  std::string name;  // of the formulation, with what distinguishes it: "floating-frame chord"
  std::shared_ptr<const Equations> equations;
  Trajectory motion;                                    // the reference keeps its states
  double seconds = 0;                                   // of computing, equations and start included
  std::shared_ptr<ReplayRecorder> recording = nullptr;  // has all rows of the motion; null: the trajectory has
  RecordedRows rows() const;
};

// One column of one run against the first run.
struct SensorDifference {
  std::string sensor, unit;
  double largest = 0, largest_time = 0;  // of |difference|, and when
  double final = 0;                      // |difference| at the last time that both have
  double mean_square = 0;                // root of the mean square
  double peak = 0, reference_peak = 0;   // largest |value| of both
};

// Names of sensors that one of two runs alone has.
struct MissingSensors {
  std::vector<std::string> in_run, in_reference;
};

// Runs in several formulations, and how far they differ.
struct Comparison {
  std::vector<ComparedRun> runs;                           // the first one is the reference
  std::vector<std::vector<SensorDifference>> differences;  // per run after the first, per sensor that both have
  // Per run after the first: sensors of the reference that it has no values of, and its own that the reference lacks.
  std::vector<MissingSensors> missing;

  // The largest difference of all sensors with this unit; all units when empty.
  double largest(const std::string& unit = {}) const;
  bool finished() const;  // all runs reached the end
};

// What compare runs, and where its rows go.
struct CompareOptions {
  std::vector<FormulationChoice> choices;  // two or more
  SimulateOptions simulate;                // energies are compared, too
  // Takes the rows of a run; empty: they are kept in memory.
  std::function<std::shared_ptr<ReplayRecorder>(const std::string& run, const Equations& equations)> recorder;
  // Before and during each run; may be empty.
  std::function<void(std::size_t run, const std::string& name, double time)> progress;
};

// "erls-cms", "floating-frame+chord+geometric_stiffening": the formulation, then its settings. Throws InputError.
FormulationChoice formulation_by_name(const std::string& name);
std::string name_of(const FormulationChoice& choice);
// The same with every setting that has a name, also where it is the default.
std::string full_name_of(const FormulationChoice& choice);

// How far a run differs from the reference.
struct RunDifferences {
  std::vector<SensorDifference> sensors;  // column by column of the same name, where both have values
  MissingSensors missing;
};
// Of `run` from `reference`, instant by instant as both have them.
RunDifferences run_differences(const RecordedRows& run, const RecordedRows& reference);
// The same for the next run of a comparison, against its first.
void add_differences(const RecordedRows& run, Comparison& comparison);

Comparison compare(const Model& model, const CompareOptions& options);

}  // namespace lithe
