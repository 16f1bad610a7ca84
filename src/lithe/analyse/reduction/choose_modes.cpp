#include "lithe/analyse/reduction/choose_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "lithe/base/text.h"
#include "lithe/formulate/add_formulation.h"
#include "lithe/model/coordinate_choice.h"

namespace lithe {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double slowest_decrease = 0.9;  // of differences; also where there is but one, or where they grow
constexpr double fastest_claim = 0.5;     // no faster decrease to come is believed
constexpr double fastest_past = 0.25;     // nor one that has been: a small difference may be chance
constexpr double best_decrease = 0.1;     // of the error from one rung to the next, where nothing is known yet
constexpr double claimable = 0.1;         // of the tolerance: no smaller error is claimed

// Largest change of a reading relative to its scale.
double difference(const Observed& fine, const Observed& coarse) {
  if (fine.values.size() != coarse.values.size()) return infinite;
  double largest = 0;
  for (std::size_t i = 0; i < fine.values.size(); ++i) {
    if (fine.values[i].size() != coarse.values[i].size()) return infinite;
    if (fine.values[i].size() == 0) continue;
    if (!fine.values[i].allFinite() || !coarse.values[i].allFinite()) return infinite;
    largest = std::max(largest, (fine.values[i] - coarse.values[i]).cwiseAbs().maxCoeff());
  }
  if (largest == 0) return 0;
  return fine.scale > 0 ? largest / fine.scale : 1;
}

// The rest of a geometric series, (17): d ρ / (1 - ρ), ρ the ratio of the last two differences. `before`: negative
// where there is but one.
double estimated_error(double last, double before) {
  double ratio = slowest_decrease;
  if (before >= 0) {
    last = std::max(last, fastest_past * before);
    ratio = last > 0 ? std::clamp(last / before, fastest_claim, slowest_decrease) : fastest_claim;
  }
  return last * ratio / (1 - ratio);
}

// Hz, up to which frequencies of two rungs agree.
double agreement(const VectorX& fine, const VectorX& coarse, double tolerance) {
  double good = 0;
  for (Eigen::Index k = 0; k < std::min(fine.size(), coarse.size()); ++k) {
    if (std::abs(fine(k) - coarse(k)) > tolerance * std::abs(fine(k)) + 1e-9 * fine.cwiseAbs().maxCoeff()) break;
    good = std::max(good, fine(k));
  }
  return good;
}

std::string rounded(double value, int digits) {
  std::ostringstream out;
  out.precision(digits);
  out << value;
  return out.str();
}

class Climb {
 public:
  Climb(const Model& model, const std::function<Observation(const Model&)>& observe)
      : ladder_(model), observe_(observe) {
    choice_.tolerance = infinite;
    for (const AutomaticReduction& link : automatic_reductions(model))
      choice_.tolerance = std::min(choice_.tolerance, link.tolerance);
  }

  ModeChoice run() {
    int rung = 0;
    for (look(rung); !choice_.cancelled && !is_enough(rung); look(rung)) rung = next(rung);
    choice_.links = ladder_.counts(rung);
    return std::move(choice_);
  }

 private:
  void look(int rung) {
    Observation now = observe_(ladder_.model_at(rung));
    choice_.cancelled = now.cancelled;
    if (ladder_.has_all(rung)) {
      choice_.error = 0;
      choice_.good_up_to = 0;
      choice_.trials.push_back({ladder_.num_modes(rung), 0});
      return;
    }
    choice_.error = unknown;
    if (rung > 0) compare(now);
    choice_.trials.push_back({ladder_.num_modes(rung), choice_.error});
    before_ = std::move(now);
  }

  void compare(const Observation& now) {
    const std::map<std::string, double> changes = differences(now, before_);
    choice_.error = changes.empty() ? infinite : -1;
    for (const auto& [name, change] : changes) {
      const auto found = changes_.find(name);
      const double earlier = found != changes_.end() && std::isfinite(found->second) ? found->second : -1;
      const double error = std::isfinite(change) ? estimated_error(change, earlier) : infinite;
      if (error <= choice_.error) continue;
      choice_.error = error;
      choice_.worst = name;
      decrease_ = earlier > 0 ? std::clamp(change / earlier, best_decrease, 1.0) : best_decrease;
    }
    choice_.error = std::max(choice_.error, claimable * choice_.tolerance);
    choice_.good_up_to = agreement(now.frequencies, before_.frequencies, choice_.tolerance);
    changes_ = changes;
  }

  bool is_enough(int rung) const { return rung + 1 == ladder_.num_rungs() || choice_.error <= choice_.tolerance; }

  // The rung above, or the last one where, at the rate that was seen, none between would do: each costs about as much
  // as all below it.
  int next(int rung) const {
    const int last = ladder_.num_rungs() - 1;
    if (!std::isfinite(choice_.error) || before_.spectral) return rung + 1;  // or there was nothing to compare with
    double hoped = choice_.error;
    for (int r = rung + 1; r < last; ++r)
      if ((hoped *= decrease_) <= choice_.tolerance) return rung + 1;
    return last;
  }

  ModeLadder ladder_;
  const std::function<Observation(const Model&)>& observe_;
  ModeChoice choice_;
  Observation before_;
  double decrease_ = best_decrease;        // of the worst reading
  std::map<std::string, double> changes_;  // of the readings, at the last comparison
};

}  // namespace

int ModeChoice::num_modes() const {
  int sum = 0;
  for (const LinkModeCount& link : links) sum += link.num_modes;
  return sum;
}

int ModeChoice::num_available() const {
  int sum = 0;
  for (const LinkModeCount& link : links) sum += link.num_available;
  return sum;
}

bool leaves_modes_open(const Model& model, const std::string& formulation) {
  return !automatic_reductions(model).empty() && formulation_traits(formulation).keeps_reductions;
}

std::map<std::string, double> differences(const Observation& fine, const Observation& coarse) {
  std::map<std::string, double> result;
  for (const Observed& reading : fine.readings) {
    const auto same = std::find_if(coarse.readings.begin(), coarse.readings.end(),
                                   [&](const Observed& other) { return other.name == reading.name; });
    const bool known = fine.finished && coarse.finished && same != coarse.readings.end();
    result[reading.name] = known ? difference(reading, *same) : infinite;
  }
  return result;
}

ModeChoice choose_modes(const Model& model, const std::function<Observation(const Model&)>& observe) {
  return Climb(model, observe).run();
}

std::string describe(const ModeChoice& choice) {
  std::string text = cat("modes of links: kept ", choice.num_modes(), " of ", choice.num_available(),
                         " fixed-interface modes beside the static shapes; ");
  if (choice.has_all()) {
    text += "nothing is left out";
    const std::size_t tried = choice.trials.size();
    if (tried > 2)
      text += cat(", since with ", choice.trials[tried - 2].num_modes, " the estimated error is ",
                  rounded(choice.trials[tried - 2].error, 2), " (", choice.worst, ")");
    return text;
  }
  if (!std::isfinite(choice.error)) return text + "the error of this is not known";
  text += cat("estimated error ", rounded(choice.error, 2), " (", choice.worst, ")");
  if (choice.error > choice.tolerance) text += cat(", above the tolerance of ", choice.tolerance);
  if (choice.good_up_to > 0) text += cat("; natural frequencies good up to ", rounded(choice.good_up_to, 4), " Hz");
  return text;
}

}  // namespace lithe
