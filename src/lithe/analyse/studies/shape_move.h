// The move that leaves the tool at rest: input shapers for the modes that the model's motions excite, and the duration
// after which the tool is still soonest, each simulated. docs/howto/shape.md.
#pragma once

#include <string>
#include <vector>

#include "lithe/analyse/settle.h"
#include "lithe/model/control_setup.h"

namespace lithe {

// Which shapers and durations are tried.
struct ShapeSpec {
  SettleSpec settle = {};  // with a tool
  double slowest = 2;      // longest duration that is tried, of the model's
  double least = 0.05;     // modes count from this part of the largest vibration on
};

// A mode of the mechanism where the motions end, its motors held.
struct ExcitedMode {
  double frequency = 0, damping_ratio = 0;  // Hz, undamped
  double vibration = 0;                     // m, of the tool when the motions have ended, as linear theory has it
};

// The motions with one shaper, as predicted and as simulated.
struct ShapedMove {
  std::string name;                          // "as it is", "ZV at 12.3 Hz", "1.24 times slower"
  Shaper shaper;                             // one impulse: none
  double stretch = 1;                        // of the motions' time
  double move_end = 0;                       // s
  double predicted = 0;                      // m, vibration of the tool at the end, of linear theory
  SettledPoint tool;                         // as simulated
  std::string failure;                       // why it could not be simulated; empty: it could
  std::vector<std::string> notes, warnings;  // of its simulation
  std::vector<double> times;                 // of its simulation
  std::vector<Column> columns;               // the tool's position

  double still_after() const { return move_end + tool.settling_time; }  // s, from the start
};

// All that was tried, and the best of it.
struct ShapeResult {
  std::string failure;             // why there is none; empty: there is
  bool cancelled = false;          // before all was simulated; then there is none
  std::vector<ExcitedMode> modes;  // those that swing the tool most first
  std::vector<ShapedMove> moves;   // the first: as it is
  std::size_t best = 0;            // whose tool is still first; where none is, the one that swings least
  Model model;                     // with the best motions
};

// Throws InputError where nothing moves as prescribed, or without a tool.
ShapeResult shape_move(const Model& model, const ShapeSpec& spec, const RunHooks& hooks = {});

// The signal slower by a factor, and in parts: sum of sizes times the signal, each part later by its time.
Signal shaped_signal(const Signal& signal, double stretch, const Shaper& shaper);
// Two shapers one after the other.
Shaper convolved(const Shaper& a, const Shaper& b);

}  // namespace lithe
