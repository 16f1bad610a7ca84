// How many modes the links of `reduction = "auto"` keep: an analysis is repeated with more and more of them until what
// it tells no longer changes (docs/theory/reduction.md).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lithe/analyse/reduction/mode_ladder.h"
#include "lithe/base/math.h"
#include "lithe/model/model.h"

namespace lithe {

// What an analysis tells under one name: numbers, and by what their changes are judged.
struct Observed {
  std::string name;             // "sensor 'tip'", "mode 3"
  std::vector<VectorX> values;  // of each component
  double scale = 1;             // their range; 0: nothing to judge by, any change counts as one
  std::string unit = {};        // of others that they may be compared with; empty: none
};

// All that an analysis tells of a model with some modes.
struct Observation {
  std::vector<Observed> readings;
  VectorX frequencies;     // Hz, ascending, of the mechanism where it starts; empty: not known
  bool spectral = false;   // frequencies and responses: right at once when the modes reach them
  bool finished = true;    // false: the analysis failed, and is no measure
  bool cancelled = false;  // by the user
};

// A number of modes that was tried.
struct ModeTrial {
  int num_modes = 0;
  double error = 0;  // estimated; NaN: nothing to compare with
};

struct ModeChoice {
  std::vector<LinkModeCount> links;
  double tolerance = 0;
  double error = 0;       // estimated, of the worst reading relative to its scale; NaN: there is no estimate
  std::string worst;      // its name
  double good_up_to = 0;  // Hz: all frequencies up to here changed by less than the tolerance; 0: not known
  std::vector<ModeTrial> trials;
  bool cancelled = false;

  int num_modes() const;
  int num_available() const;
  bool has_all() const { return num_modes() == num_available(); }
};

// Whether there is a choice to make for a formulation.
bool leaves_modes_open(const Model& model, const std::string& formulation);

// Runs `observe` with more and more modes; its last call was with the modes that are chosen.
ModeChoice choose_modes(const Model& model, const std::function<Observation(const Model&)>& observe);

// Largest changes of readings relative to their scale, by name; infinite where there is nothing to compare with.
std::map<std::string, double> differences(const Observation& fine, const Observation& coarse);

// "modes of links: kept 9 of 36 fixed-interface modes beside the static shapes; ..."
std::string describe(const ModeChoice& choice);

// The result of an analysis with chosen modes, which says so in its notes.
template <class Run, class Observe>
auto with_chosen_modes(const Model& model, Run run, Observe observe) {
  std::optional<decltype(run(model))> last;
  ModeChoice choice = choose_modes(model, [&](const Model& rung) {
    last.reset();  // one result at a time in memory
    last.emplace(run(rung));
    return observe(*last);
  });
  last->notes.push_back(describe(choice));
  last->reduction = std::make_shared<const ModeChoice>(std::move(choice));
  return *std::move(last);
}

}  // namespace lithe
