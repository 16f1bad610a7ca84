// After which time drives and loads repeat.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/analyse/stability/floquet.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/coordinate_choice.h"

namespace lithe {
namespace {

class PeriodSearch {
 public:
  explicit PeriodSearch(double start_time) : start_(start_time) {}

  // `turns`: the signal is the angle of a joint, for which whole turns count as nothing.
  void add(const Signal& signal, const std::string& name, bool turns) {
    if (const auto* sine = std::get_if<SignalSine>(&signal)) {
      if (sine->amplitude == 0 || sine->frequency == 0) return;
      if (sine->start_time > start_) refuse(name, cat("begins at ", sine->start_time, " s"));
      periods_.push_back(1 / std::abs(sine->frequency));
      return;
    }
    const auto* ramp = std::get_if<SignalRamp>(&signal);
    if (ramp && turns && ramp->start_time <= start_ && ramp->end_time > start_) {
      const double rate = (ramp->end_value - ramp->start_value) / (ramp->end_time - ramp->start_time);
      if (rate == 0) return;
      periods_.push_back(2 * std::numbers::pi / std::abs(rate));
      return;
    }
    if (std::holds_alternative<SignalConstant>(signal)) return;
    const std::vector<double> breaks = break_times(signal);
    if (!breaks.empty() && *std::max_element(breaks.begin(), breaks.end()) <= start_ &&
        evaluate(signal, start_).rate == 0)
      return;  // it has come to rest
    refuse(name, cat("does not repeat from ", start_, " s on"));
  }

  // The shortest multiple of the longest that is a multiple of all.
  double common() const {
    constexpr int most = 1000;
    constexpr double rounding = 1e-7;
    if (periods_.empty())
      throw InputError(
          "nothing in the model is periodic: there are no sines and no steadily turning joints; give the period");
    const double longest = *std::max_element(periods_.begin(), periods_.end());
    for (int k = 1; k <= most; ++k) {
      const bool fits = std::all_of(periods_.begin(), periods_.end(), [&](double period) {
        const double turns = k * longest / period;
        return std::abs(turns - std::round(turns)) < rounding * turns;
      });
      if (fits) return k * longest;
    }
    throw InputError(
        cat("the periods of drives and loads have no common multiple below ", most * longest, " s: give the period"));
  }

 private:
  [[noreturn]] static void refuse(const std::string& name, const std::string& why) {
    throw InputError(cat("'", name, "' ", why, ": give the period, or a later start"));
  }

  double start_;
  std::vector<double> periods_;
};

}  // namespace

double drive_period(const Model& model, double start_time) {
  PeriodSearch search(start_time);
  for (const Drive& drive : model.drives) {
    const bool turns = drive.prescribes_motion && is_rotation(model.joints[drive.joint].type, drive.freedom);
    search.add(drive.signal, drive.name, turns);
  }
  for (const Load& load : model.loads) search.add(load.signal, load.name, false);
  for (const ChosenCoordinate& item : chosen_coordinates(model))
    if (item.role == CoordinateRole::prescribed) search.add(item.motion, describe(model, item), false);
  return search.common();
}

}  // namespace lithe
