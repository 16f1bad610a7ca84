// The same move with each controller of a model: how long it takes to settle, what vibration and effort it costs, and
// what a different payload or more modes change. docs/control.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lithe/analyse/control/make_control.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/formulation.h"

namespace lithe {

struct RecordedRows;   // analyse/motion/recorded_rows.h
class ReplayRecorder;  // analyse/motion/recorder.h

// How well one run settled.
struct ControlFigures {
  double settling_time = 0;  // s from the start of the run; infinite: not within the run
  double residual =
      0;  // largest distance of the judged sensor from where it ends, after the references' end; NaN: never
  double peak_deflection = 0;  // largest change of the deflection sensor; NaN: none
  double peak_effort = 0;      // of the actuators together: root of the sum of squares, deviation from the start
  double effort = 0;           // root mean square of it
  bool finished = false;
};

// The same move with another payload.
struct PayloadRun {
  double factor = 1;
  ControlFigures figures;
  std::string message;
  double decay = 0;  // 1/s, of the slowest pole along the move, all modes; NaN: not linear
};

// The move made slower, until it settles when the slowest of the controllers does.
struct EqualRun {
  double stretch = 0;  // of the references' time; 0: not looked for, or not found
  ControlFigures figures;
};

// The move with one controller.
struct ControlRun {
  std::string name;
  ControllerDesign design;
  Trajectory motion;
  std::shared_ptr<ReplayRecorder> recording;  // has all rows of the motion; null: the trajectory has
  double seconds = 0;                         // computing, processor time
  double reference_end = 0;
  ControlFigures figures;
  std::vector<PayloadRun> payloads;
  // 1/s, of the slowest pole: design model, all modes, all modes at the worst configuration of the move; NaN: not
  // linear
  double design_decay = 0, full_decay = 0, path_decay = 0;
  EqualRun equal;
  RecordedRows rows() const;
};

// A controller that could not be designed.
struct FailedDesign {
  std::string name;
  std::string message;  // with its place in the file
};

// All runs, and the designs that failed.
struct ControlStudy {
  std::unique_ptr<Equations> equations;
  std::vector<ControlRun> runs;
  std::vector<FailedDesign> failures;
  double equal_settling = 0;  // s, of the runs at equal settling time; 0: none
  bool finished() const;      // every design found, every run at its end
};

// Takes the rows of one run. `trial`: of a run whose figures alone count.
using RecorderFactory =
    std::function<std::shared_ptr<ReplayRecorder>(const std::string& run, const Equations& equations, bool trial)>;

// What a study runs.
struct ControlStudyOptions {
  SimulateOptions simulate;
  FormulationChoice formulation;
  std::vector<int> controllers;  // empty: all
  bool vary_payload = true;
  bool equal_settling = true;                 // of two controllers and more
  ExternalFactory external;                   // of make_control_loop()
  RecorderFactory recorder;                   // empty: rows are kept in memory
  std::function<void(double done)> progress;  // 0 to 1
};

// Throws InputError when the model has no controllers. A design that fails is told, and the others go on.
ControlStudy control_study(const Model& model, const ControlStudyOptions& options);

// Figures of a recorded run. `rest`: outputs that hold the mechanism at the start; empty: the first ones.
ControlFigures control_figures(const RecordedRows& rows, const ControlSetup& control, int controller,
                               const Model& model, double reference_end, const VectorX& rest = {});

}  // namespace lithe
