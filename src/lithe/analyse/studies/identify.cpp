#include "lithe/analyse/studies/identify.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <system_error>
#include <thread>

#include "lithe/analyse/studies/least_squares.h"
#include "lithe/analyse/studies/measured_channels.h"
#include "lithe/base/carried_failure.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"

namespace lithe {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// A number of the file that is fitted, in units of its size: value = unknown times scale.
struct Fitted {
  std::string path;
  double start = 0, scale = 1;
  double lower = -infinite, upper = infinite;  // of the unknown
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

double quantity_of(const std::string& text, const std::string& whole) {
  std::string error;
  const auto value = parse_quantity(text, &error);
  if (!value || !std::isfinite(value->in_si()))
    throw InputError(cat("'", whole, "': '", text, "' is not a number", error.empty() ? "" : " (" + error + ")"));
  return value->in_si();
}

// "joints.elbow.damping = 0 : 20"; either bound may be left out.
Fitted read_fitted(const NumberedModel& model, const std::string& text) {
  const std::size_t equals = text.rfind('=');
  Fitted result;
  result.path = trimmed(text.substr(0, equals));
  result.start = model.number(result.path);
  double lower = result.start > 0 ? 0 : -infinite, upper = infinite;
  if (equals != std::string::npos) {
    const std::string range = text.substr(equals + 1);
    const std::size_t colon = range.find(':');
    if (colon == std::string::npos) throw InputError(cat("'", text, "' must be written path = lower : upper"));
    const std::string low = trimmed(range.substr(0, colon)), high = trimmed(range.substr(colon + 1));
    if (!low.empty()) lower = quantity_of(low, text);
    if (!high.empty()) upper = quantity_of(high, text);
    if (!(lower < upper)) throw InputError(cat("'", text, "': the lower bound must be below the upper one"));
  }
  if (result.start < lower || result.start > upper)
    throw InputError(cat("'", text, "': the model has ", result.start, ", which is not between the bounds"));
  result.scale = std::abs(result.start);
  if (result.scale == 0) {
    result.scale = std::min(std::abs(lower), 1e300) > 0 && std::isinf(upper) ? std::abs(lower) : upper;
    if (!std::isfinite(result.scale))
      throw InputError(cat("'", result.path, "' is 0 in the model: give bounds, '", result.path, " = 0 : 10'"));
  }
  result.lower = lower / result.scale;
  result.upper = upper / result.scale;
  return result;
}

class Identification {
 public:
  Identification(const NumberedModel& model, const std::vector<MeasuredData>& data, const IdentifySpec& spec,
                 const RunHooks& hooks)
      : model_(model), spec_(spec), hooks_(hooks), measured_(read_measurements(data)) {
    if (spec.fit.empty()) throw InputError("nothing to fit: name numbers of the model file, joints.elbow.stiffness");
    if (data.empty()) throw InputError("nothing was measured: give data");
    if (!(spec.confidence > 0 && spec.confidence < 1))
      throw InputError(cat("the confidence must be between 0 and 1, got ", spec.confidence));
    for (const std::string& text : spec.fit) {
      fitted_.push_back(read_fitted(model, text));
      for (std::size_t i = 0; i + 1 < fitted_.size(); ++i)
        if (fitted_[i].path == fitted_.back().path) throw InputError(cat("'", fitted_[i].path, "' is fitted twice"));
    }
    for (const std::string& text : spec.set) read_setting(text);
    for (const MeasuredChannel& channel : measured_.channels) deviations_.push_back(channel.deviation);
    prediction_.motion = spec.motion;
    prediction_.held = spec.held;
  }

  IdentifyResult run() {
    VectorX start(num_unknowns());
    for (Eigen::Index j = 0; j < start.size(); ++j) start[j] = number_at(j).start / number_at(j).scale;
    std::string failure;
    prediction_.part = 1;
    before_ = predict(model_.with(numbers_of(start)), measured_, prediction_, hooks_, failure);
    ++num_models_;
    if (cancelled()) return interrupted();
    if (before_.empty()) {
      result_.failure = "with the numbers of the file: " + failure;
      return std::move(result_);
    }
    if (num_values() < num_unknowns())
      throw InputError(cat(num_unknowns(), " numbers cannot be fitted to ", num_values(), " measured values"));
    VectorX unknowns = approach(start);
    fit_.unknowns = unknowns;
    full_fit();
    if (result_.failure.empty() && !cancelled()) conclude();
    if (cancelled()) return interrupted();
    result_.num_models = num_models_;
    return std::move(result_);
  }

 private:
  using Numbers = std::vector<std::pair<std::string, double>>;

  // Numbers on the way to the best ones are no result, nor are statistics of models that were not computed.
  IdentifyResult interrupted() const {
    IdentifyResult none;
    none.failure = "interrupted before the numbers were found";
    none.cancelled = true;
    none.iterations = result_.iterations;
    none.num_models = num_models_;
    return none;
  }

  void read_setting(const std::string& text) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos) throw InputError(cat("'", text, "' must be written path = value"));
    const std::string path = trimmed(text.substr(0, equals));
    model_.check(path);
    settings_.emplace_back(path, quantity_of(trimmed(text.substr(equals + 1)), text));
  }

  Eigen::Index num_unknowns() const { return static_cast<Eigen::Index>(fitted_.size()); }
  const Fitted& number_at(Eigen::Index j) const { return fitted_[static_cast<std::size_t>(j)]; }
  Eigen::Index num_values() const {
    Eigen::Index count = 0;
    for (const MeasuredChannel& channel : measured_.channels) count += channel.measured.size();
    return count;
  }
  bool cancelled() const { return hooks_.cancel && *hooks_.cancel; }

  Numbers numbers_of(const VectorX& unknowns) const {
    Numbers numbers = settings_;
    for (Eigen::Index j = 0; j < num_unknowns(); ++j)
      numbers.emplace_back(number_at(j).path, unknowns[j] * number_at(j).scale);
    return numbers;
  }

  LeastSquaresOptions options() {
    LeastSquaresOptions options;
    options.lower.resize(num_unknowns());
    options.upper.resize(num_unknowns());
    for (Eigen::Index j = 0; j < num_unknowns(); ++j) {
      options.lower[j] = number_at(j).lower;
      options.upper[j] = number_at(j).upper;
    }
    options.change = 0.01 * spread_;
    options.max_iterations = spec_.max_iterations;
    options.cancelled = [this] { return cancelled(); };
    options.iteration = [this](int) {
      ++result_.iterations;
      if (hooks_.progress) hooks_.progress(1 - std::exp(-0.1 * result_.iterations));
    };
    return options;
  }

  // Differences of all channels, each in units of its deviation. Empty where the model has no answer.
  VectorX residuals_at(const VectorX& unknowns) const {
    std::vector<VectorX> predicted;
    try {
      std::string failure;
      predicted = predict(model_.with(numbers_of(unknowns)), measured_, prediction_, hooks_, failure);
    } catch (const InputError&) {  // invalid with these numbers
    }
    if (predicted.empty()) return {};
    return weighted(predicted);
  }
  VectorX weighted(const std::vector<VectorX>& predicted) const {
    Eigen::Index count = 0;
    for (const VectorX& values : predicted) count += values.size();
    VectorX result(count);
    Eigen::Index next = 0;
    for (std::size_t c = 0; c < predicted.size(); ++c) {
      if (predicted[c].size() == 0) continue;
      result.segment(next, predicted[c].size()) = difference(measured_.channels[c], predicted[c]) / deviations_[c];
      next += predicted[c].size();
    }
    return result.allFinite() ? result : VectorX();
  }

  // On all cores.
  std::vector<VectorX> residuals(const std::vector<VectorX>& points) {
    std::vector<VectorX> found(points.size());
    std::atomic<std::size_t> next{0};
    CarriedFailure failure;
    const auto work = [&] {
      failure.carry([&] {
        for (std::size_t i = next++; i < points.size() && !failure.any(); i = next++)
          found[i] = residuals_at(points[i]);
      });
    };
    const unsigned wanted =
        spec_.threads > 0 ? static_cast<unsigned>(spec_.threads) : std::thread::hardware_concurrency();
    std::vector<std::thread> helpers;
    helpers.reserve(std::min<std::size_t>(wanted, points.size()));
    try {
      while (helpers.size() + 1 < std::min<std::size_t>(wanted, points.size())) helpers.emplace_back(work);
    } catch (const std::system_error&) {  // the system gives no more threads
    }
    work();
    for (std::thread& helper : helpers) helper.join();
    failure.rethrow();
    num_models_ += static_cast<int>(points.size());
    return found;
  }
  ResidualFunction function() {
    return [this](const std::vector<VectorX>& points) { return residuals(points); };
  }

  // A vibration that is some periods off fits nowhere near: the beginning of the motion, and magnitudes without phases,
  // lead the way. What they do not tell stays, by a weak pull to the start.
  VectorX approach(const VectorX& start) {
    VectorX unknowns = start;
    if (!measured_.has(ChannelKind::value) && !measured_.has(ChannelKind::log_magnitude)) return unknowns;
    for (const double part : {0.125, 0.25, 0.5}) {
      if (part < 0.5 && !measured_.has(ChannelKind::value)) continue;
      prediction_.part = part;
      const VectorX first = residuals_at(unknowns);
      if (first.size() < num_unknowns() + 5) continue;
      const double pull = 0.05 * first.norm();
      const ResidualFunction pulled = [&, pull](const std::vector<VectorX>& points) {
        std::vector<VectorX> found = residuals(points);
        for (std::size_t i = 0; i < points.size(); ++i) {
          if (found[i].size() == 0) continue;
          VectorX all(found[i].size() + num_unknowns());
          all << found[i], pull * (points[i] - start);
          found[i] = all;
        }
        return found;
      };
      LeastSquaresOptions coarse = options();
      coarse.max_iterations = 10;
      coarse.tolerance = 1e-4;
      const LeastSquaresFit fit = fit_least_squares(pulled, unknowns, coarse);
      if (fit.failure.empty()) unknowns = fit.unknowns;
    }
    prediction_.part = 1;
    return nearer(start, unknowns);
  }
  // The way may lead astray: the start itself may be better.
  VectorX nearer(const VectorX& start, const VectorX& unknowns) const {
    const VectorX found = residuals_at(unknowns);
    return found.size() > 0 && found.norm() < weighted(before_).norm() ? unknowns : start;
  }

  // All data; then again with the deviations that each channel turned out to have.
  void full_fit() {
    const int rounds = measured_.channels.size() > 1 ? 3 : 1;
    for (int round = 0; round < rounds; ++round) {
      fit_ = fit_least_squares(function(), fit_.unknowns, options());
      result_.failure = fit_.failure;
      if (!result_.failure.empty() || cancelled()) return;
      if (round + 1 < rounds && !weigh_channels()) return;
    }
  }
  // False where nothing changes. Channels of few values keep what is expected of them.
  bool weigh_channels() {
    constexpr Eigen::Index many = 20;
    bool changed = false;
    Eigen::Index next = 0;
    for (std::size_t c = 0; c < deviations_.size(); ++c) {
      const Eigen::Index count = measured_.channels[c].measured.size();
      const double rms = fit_.residuals.segment(next, count).norm() / std::sqrt(static_cast<double>(count));
      next += count;
      if (count < many || !(rms > 1e-9) || std::abs(rms - 1) < 1e-3) continue;
      deviations_[c] *= rms;
      changed = true;
    }
    double squares = 0;
    for (std::size_t c = 0; c < deviations_.size(); ++c)
      squares += static_cast<double>(measured_.channels[c].measured.size()) *
                 std::pow(measured_.channels[c].deviation / deviations_[c], 2);
    spread_ = std::sqrt(squares / static_cast<double>(num_values()));
    return changed;
  }

  void conclude() {
    result_.converged = fit_.converged;
    if (!fit_.converged && !cancelled())
      result_.notes.push_back(cat("the fit did not converge in ", fit_.iterations, " iterations"));
    const FitStatistics statistics = fit_statistics(function(), fit_, options());
    result_.degrees_of_freedom = statistics.degrees_of_freedom;
    result_.correlation = statistics.correlation;
    const double quantile = student_quantile(spec_.confidence, statistics.degrees_of_freedom);
    for (Eigen::Index j = 0; j < num_unknowns(); ++j) add_number(j, statistics, quantile);
    for (const VectorX& direction : statistics.free_directions) result_.undetermined.push_back(sentence(direction));
    if (statistics.degrees_of_freedom == 0)
      result_.notes.emplace_back("as many values as numbers: nothing is left to tell how certain they are");
    std::string failure;
    const std::vector<VectorX> after =
        predict(model_.with(numbers_of(fit_.unknowns)), measured_, prediction_, hooks_, failure);
    for (std::size_t c = 0; c < after.size(); ++c) add_curve(c, after[c]);
  }

  void add_number(Eigen::Index j, const FitStatistics& statistics, double quantile) {
    const Fitted& from = number_at(j);
    IdentifiedNumber number;
    number.path = from.path;
    number.start = from.start;
    number.value = fit_.unknowns[j] * from.scale;
    number.determined = statistics.determined[static_cast<std::size_t>(j)];
    number.standard_error = statistics.standard_errors[j] * from.scale;
    const double half = std::isfinite(number.standard_error) ? quantile * number.standard_error : infinite;
    number.lower = number.value - half;
    number.upper = number.value + half;
    number.at_bound = fit_.unknowns[j] <= from.lower || fit_.unknowns[j] >= from.upper;
    if (number.at_bound) result_.notes.push_back(cat(from.path, " is at its bound: its interval does not hold"));
    result_.numbers.push_back(std::move(number));
  }

  // "the data do not tell joints.a.stiffness +1 %, joints.b.inertia +1 % from the values found"
  std::string sentence(const VectorX& direction) const {
    VectorX parts(num_unknowns());
    for (Eigen::Index j = 0; j < num_unknowns(); ++j)
      parts[j] = direction[j] / (std::abs(fit_.unknowns[j]) > 1e-9 ? fit_.unknowns[j] : 1);
    Eigen::Index largest = 0;
    parts.cwiseAbs().maxCoeff(&largest);
    parts /= parts[largest];
    std::string text;
    for (Eigen::Index j = 0; j < num_unknowns(); ++j)
      if (std::abs(parts[j]) > 0.05)
        text += cat(text.empty() ? "" : ", ", number_at(j).path, parts[j] > 0 ? " +" : " -",
                    std::round(100 * std::abs(parts[j])) / 100, " %");
    return cat("the data do not change with ", text);
  }

  void add_curve(std::size_t c, const VectorX& after) {
    const MeasuredChannel& channel = measured_.channels[c];
    const bool logarithmic = channel.kind == ChannelKind::log_magnitude || channel.kind == ChannelKind::log_frequency;
    const auto shown = [&](const VectorX& values) {
      std::vector<double> result;
      for (const double value : values) result.push_back(logarithmic ? std::exp(value) : value);
      return result;
    };
    IdentifiedCurve curve;
    curve.data = channel.experiment;
    curve.name = channel.name;
    curve.unit = channel.kind == ChannelKind::value || channel.kind == ChannelKind::log_magnitude
                     ? si_unit(channel.unit)
                     : channel.unit;
    const bool in_time = channel.kind == ChannelKind::value;
    const bool of_modes = channel.kind == ChannelKind::log_frequency || channel.kind == ChannelKind::damping_ratio;
    curve.at_name = in_time ? "time" : of_modes ? "mode" : "frequency";
    curve.at_unit = in_time ? "s" : of_modes ? "" : "Hz";
    curve.at = channel.at;
    curve.relative = logarithmic || channel.kind == ChannelKind::damping_ratio;
    curve.measured = shown(channel.measured);
    curve.before = shown(before_[c]);
    curve.after = shown(after);
    const VectorX left = difference(channel, after), at_first = difference(channel, before_[c]);
    const double root = std::sqrt(static_cast<double>(left.size()));
    curve.rms_before = at_first.norm() / root;
    curve.rms_after = left.norm() / root;
    const Eigen::Index n = left.size() - 1;
    if (n > 0 && left.squaredNorm() > 0) curve.correlation = left.head(n).dot(left.tail(n)) / left.squaredNorm();
    if (n >= 20 && curve.correlation > 0.5)
      result_.notes.push_back(cat("what is left of '", curve.name, "' is correlated from value to value (",
                                  std::round(100 * curve.correlation) / 100,
                                  "): it is more than noise, and the intervals are too narrow"));
    result_.curves.push_back(std::move(curve));
  }
  // Values are in SI whatever the heading said.
  static std::string si_unit(const std::string& unit) {
    const auto parsed = parse_unit(unit);
    if (!parsed || parsed->factor == 1) return unit;
    for (const char* name : {"m", "rad", "m/s", "rad/s", "m/s^2", "rad/s^2", "N", "N m", "J", "Pa", "m/N", "rad/(N m)"})
      if (parse_unit(name)->dimension == parsed->dimension) return name;
    return "";
  }

  const NumberedModel& model_;
  const IdentifySpec& spec_;
  const RunHooks& hooks_;
  Measurements measured_;
  std::vector<Fitted> fitted_;
  Numbers settings_;
  PredictionOptions prediction_;
  std::vector<double> deviations_;  // of the channels' differences, by which these are weighed
  double spread_ = 1;               // of the measured values, in units of them
  std::vector<VectorX> before_;
  LeastSquaresFit fit_;
  int num_models_ = 0;
  IdentifyResult result_;
};

}  // namespace

std::vector<std::pair<std::string, double>> IdentifyResult::values() const {
  std::vector<std::pair<std::string, double>> result;
  for (const IdentifiedNumber& number : numbers) result.emplace_back(number.path, number.value);
  return result;
}

IdentifyResult identify(const NumberedModel& model, const std::vector<MeasuredData>& data, const IdentifySpec& spec,
                        const RunHooks& hooks) {
  return Identification(model, data, spec, hooks).run();
}

}  // namespace lithe
