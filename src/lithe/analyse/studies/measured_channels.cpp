#include "lithe/analyse/studies/measured_channels.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lithe/analyse/linear/linear_modes.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/in_quotes.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"

namespace lithe {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw InputError({Diagnostic{.file = file, .line = 0, .column = 0, .path = {}, .message = why}});
}

constexpr double pi = std::numbers::pi;
constexpr std::size_t most_values = 5'000'000;  // measured: a fit keeps some tens of copies
constexpr double most_modes = 1e6;

double deviation_of(const VectorX& values) {
  const double mean = values.mean();
  const double deviation = std::sqrt((values.array() - mean).square().mean());
  return std::max({deviation, 1e-6 * std::abs(mean), 1e-300});
}

class MeasurementReader {
 public:
  explicit MeasurementReader(Measurements& result) : result_(result) {}

  void add(const MeasuredData& data) {
    if (data.columns.empty() || data.columns.front().values.empty()) refuse(data.file, "there are no values");
    check_values(data);
    experiment_ = {};
    experiment_.file = data.file;
    experiment_.at = data.columns.front().values;
    const std::string& first = data.columns.front().name;
    if (first == "time") {
      motion(data);
    } else if (first == "frequency" && data.columns.size() > 1 && !is_list(data)) {
      response(data);
    } else if (first == "frequency" || first == "mode") {
      modes(data);
    } else {
      refuse(data.file, cat("the first column must be time, frequency or mode, not ", in_quotes(first)));
    }
    result_.experiments.push_back(std::move(experiment_));
  }

 private:
  // Columns of one length, of numbers, and no more than can be fitted.
  void check_values(const MeasuredData& data) {
    const std::size_t count = data.columns.front().values.size();
    for (const Column& column : data.columns) {
      if (column.values.size() != count)
        refuse(data.file, cat("column ", in_quotes(column.name), " has ", column.values.size(), " values, column ",
                              in_quotes(data.columns.front().name), " has ", count));
      for (const double value : column.values)
        if (!std::isfinite(value)) refuse(data.file, cat("column ", in_quotes(column.name), " has the value ", value));
      if (!column.unit.empty() && !parse_unit(column.unit))
        refuse(data.file, cat("column ", in_quotes(column.name), ": there is no unit ", in_quotes(column.unit)));
    }
    num_values_ += count * data.columns.size();
    if (num_values_ > most_values)
      refuse(data.file, cat("there are ", num_values_, " measured values up to here; at most ", most_values,
                            " are fitted: leave out instants or columns"));
  }
  static bool is_damping(const std::string& name) { return name == "damping ratio" || name == "damping_ratio"; }
  static bool is_list(const MeasuredData& data) {
    return std::all_of(data.columns.begin() + 1, data.columns.end(),
                       [](const Column& c) { return is_damping(c.name) || c.name == "mode"; });
  }

  void ascending(const MeasuredData& data) const {
    const std::vector<double>& at = experiment_.at;
    if (at.front() < 0)
      refuse(data.file, cat("the first ", data.columns.front().name, " is ", at.front(), ", below 0"));
    for (std::size_t i = 1; i < at.size(); ++i)
      if (!(at[i] > at[i - 1]))
        refuse(data.file,
               cat("column ", in_quotes(data.columns.front().name), " must ascend; ", at[i], " follows ", at[i - 1]));
  }

  MeasuredChannel& channel(ChannelKind kind, const std::string& name, const std::string& unit, VectorX measured) {
    MeasuredChannel channel;
    channel.kind = kind;
    channel.experiment = result_.experiments.size();
    channel.name = name;
    channel.unit = unit;
    channel.at = experiment_.at;
    channel.measured = std::move(measured);
    result_.channels.push_back(std::move(channel));
    return result_.channels.back();
  }
  static VectorX vector_of(const std::vector<double>& values) {
    return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  // The logarithm, of values that must have one.
  static VectorX logarithms(const MeasuredData& data, const std::string& name, const VectorX& values) {
    if (!(values.minCoeff() > 0))
      refuse(data.file, cat("column ", in_quotes(name), " must be positive; it has ", values.minCoeff()));
    return values.array().log();
  }

  void motion(const MeasuredData& data) {
    ascending(data);
    if (data.columns.size() < 2) refuse(data.file, "a motion needs columns of sensors beside its time");
    for (std::size_t c = 1; c < data.columns.size(); ++c) {
      const Column& column = data.columns[c];
      MeasuredChannel& added = channel(ChannelKind::value, column.name, column.unit, vector_of(column.values));
      added.deviation = deviation_of(added.measured);
    }
  }

  // "OUTPUT of INPUT real", as files of `linearise --response` have it.
  void response(const MeasuredData& data) {
    ascending(data);
    experiment_.kind = ChannelKind::log_magnitude;
    for (std::size_t c = 1; c < data.columns.size(); ++c) {
      const Column& column = data.columns[c];
      const std::size_t space = column.name.rfind(' ');
      const std::string what = space == std::string::npos ? column.name : column.name.substr(space + 1);
      const std::string path = column.name.substr(0, space == std::string::npos ? 0 : space);
      const std::size_t of = path.find(" of ");
      if (of == std::string::npos) refuse_heading(data, column);
      const VectorX values = vector_of(column.values);
      if (what == "magnitude") {
        side(channel(ChannelKind::log_magnitude, path, column.unit, logarithms(data, column.name, values)), path, of);
      } else if (what == "phase") {
        side(channel(ChannelKind::phase, path + " phase", "rad", values), path, of);
      } else if (what == "real") {
        real_part(data, column, path, of);
      } else if (what != "imaginary") {
        refuse_heading(data, column);
      }
    }
  }
  [[noreturn]] static void refuse_heading(const MeasuredData& data, const Column& column) {
    refuse(data.file, cat("column ", in_quotes(column.name),
                          ": a frequency response has columns such as 'tip.z of motor real' and 'tip.z of motor "
                          "imaginary', or 'tip.z of motor magnitude' and 'tip.z of motor phase'"));
  }
  void side(MeasuredChannel& added, const std::string& path, std::size_t of) {
    added.output = path.substr(0, of);
    added.input = path.substr(of + 4);
    if (std::find(experiment_.inputs.begin(), experiment_.inputs.end(), added.input) == experiment_.inputs.end())
      experiment_.inputs.push_back(added.input);
  }
  void real_part(const MeasuredData& data, const Column& real, const std::string& path, std::size_t of) {
    const auto imaginary = std::find_if(data.columns.begin(), data.columns.end(),
                                        [&](const Column& c) { return c.name == path + " imaginary"; });
    if (imaginary == data.columns.end()) refuse(data.file, cat("there is no column ", in_quotes(path + " imaginary")));
    const VectorX x = vector_of(real.values), y = vector_of(imaginary->values);
    VectorX magnitude(x.size()), phase(x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      magnitude[i] = std::hypot(x[i], y[i]);
      phase[i] = std::atan2(y[i], x[i]);
    }
    side(channel(ChannelKind::log_magnitude, path, real.unit, logarithms(data, path, magnitude)), path, of);
    side(channel(ChannelKind::phase, path + " phase", "rad", phase), path, of);
  }

  void modes(const MeasuredData& data) {
    experiment_.kind = ChannelKind::log_frequency;
    const Column *frequency = nullptr, *mode = nullptr, *damping = nullptr;
    for (const Column& column : data.columns) {
      if (column.name == "frequency") frequency = &column;
      if (column.name == "mode") mode = &column;
      if (is_damping(column.name)) damping = &column;
    }
    if (!frequency) refuse(data.file, "a list of modes needs a column frequency");
    for (std::size_t i = 0; i < experiment_.at.size(); ++i) {
      const double number = mode ? mode->values[i] : static_cast<double>(i + 1);
      if (!(number >= 1 && number <= most_modes) || number != std::floor(number))
        refuse(data.file, cat("column mode: ", number, " is no number of a mode; they count from 1 to ", most_modes));
      experiment_.at[i] = number;
    }
    if (!mode && !std::is_sorted(frequency->values.begin(), frequency->values.end()))
      refuse(data.file, "frequencies must ascend where there is no column mode");
    MeasuredChannel& frequencies = channel(ChannelKind::log_frequency, "natural frequency", "Hz",
                                           logarithms(data, "frequency", vector_of(frequency->values)));
    frequencies.deviation = 0.01;
    if (!damping) return;
    MeasuredChannel& ratios = channel(ChannelKind::damping_ratio, "damping ratio", "", vector_of(damping->values));
    if (!(ratios.measured.minCoeff() > 0)) refuse(data.file, "damping ratios must be positive");
    ratios.deviation = 0.1;
  }

  Measurements& result_;
  Experiment experiment_;
  std::size_t num_values_ = 0;  // of all files so far
};

class Prediction {
 public:
  Prediction(const Model& model, const Measurements& measured, const PredictionOptions& options, const RunHooks& hooks)
      : model_(model), measured_(measured), options_(options), hooks_(hooks), found_(measured.channels.size()) {}

  std::vector<VectorX> run(std::string& failure) {
    for (std::size_t e = 0; e < measured_.experiments.size(); ++e) {
      const ChannelKind kind = measured_.experiments[e].kind;
      if (kind == ChannelKind::value) {
        motion(e);
      } else {
        linear(e, kind == ChannelKind::log_magnitude);
      }
      if (!failure_.empty()) {
        failure = failure_;
        return {};
      }
    }
    return std::move(found_);
  }

 private:
  template <class Use>
  void channels_of(std::size_t experiment, Use&& use) {
    for (std::size_t c = 0; c < found_.size(); ++c)
      if (measured_.channels[c].experiment == experiment) use(measured_.channels[c], found_[c]);
  }

  void motion(std::size_t e) {
    const Experiment& experiment = measured_.experiments[e];
    const double end = options_.part * measured_.end_time() * (1 + 1e-12);
    SimulateSpec spec = options_.motion;
    spec.output_times = experiment.at;
    while (spec.output_times.size() > 1 && spec.output_times.back() > end) spec.output_times.pop_back();
    const std::size_t count = spec.output_times.size();
    spec.end_time = spec.output_times.back();
    if (spec.end_time == 0) refuse(experiment.file, "the motion has no duration");
    SimulateHooks hooks;
    hooks.cancel = hooks_.cancel;
    hooks.external = hooks_.external;
    hooks.integrators = hooks_.integrators;
    hooks.max_states = 2;  // the columns tell all
    const SimulatedMotion motion = simulate(model_, spec, hooks);
    if (motion.end != RunEnd::finished) {
      failure_ = motion.message;
      return;
    }
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < count; ++i)
      rows.push_back(static_cast<std::size_t>(
          std::lower_bound(motion.times.begin(), motion.times.end(), spec.output_times[i] - 1e-9) -
          motion.times.begin()));
    channels_of(e, [&](const MeasuredChannel& channel, VectorX& values) {
      const Column& column = column_of(motion, channel, experiment.file);
      values.resize(static_cast<Eigen::Index>(count));
      for (std::size_t i = 0; i < count; ++i) values[static_cast<Eigen::Index>(i)] = column.values.at(rows[i]);
    });
  }
  const Column& column_of(const Trajectory& motion, const MeasuredChannel& channel, const std::string& file) const {
    const Column* column = motion.column(channel.name);
    if (!column) refuse(file, unknown("sensor", channel.name, motion.columns));
    if (!channel.unit.empty() && !fits(parse_unit(channel.unit)->dimension, parse_unit(column->unit)->dimension))
      refuse(file, cat("column ", in_quotes(channel.name), " is in ", channel.unit, ", the sensor in ", column->unit));
    return *column;
  }
  template <class Named>
  static std::string unknown(const std::string& what, const std::string& name, const std::vector<Named>& known) {
    std::vector<std::string> names;
    for (const Named& one : known) names.push_back(one.name);
    const std::string near = nearest_name(name, names);
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(12, names.size()); ++i)
      list += cat(i ? ", " : "", in_quotes(names[i]));
    return cat("the model has no ", what, " ", in_quotes(name), "; ",
               near.empty() ? "there are: " + list : cat("did you mean ", in_quotes(near), "?"));
  }

  void linear(std::size_t e, bool responds) {
    const Experiment& experiment = measured_.experiments[e];
    LineariseSpec spec;
    spec.formulation = options_.motion.formulation;
    spec.held = options_.held;
    if (responds) {
      spec.inputs = experiment.inputs;
      spec.response = experiment.at;
    }
    const LineariseResult found = linearise(model_, spec);
    failure_ = found.failure;
    if (!failure_.empty()) return;
    channels_of(e, [&](const MeasuredChannel& channel, VectorX& values) {
      responds ? respond(found, channel, experiment.file, values) : swing(found, channel, experiment.file, values);
    });
  }
  void respond(const LineariseResult& found, const MeasuredChannel& channel, const std::string& file, VectorX& values) {
    if (channel.kind == ChannelKind::phase && options_.part < 1) return;
    const LinearModel& model = found.models.front();
    const auto index_of = [&](const std::vector<Channel>& signals, const std::string& name, const char* what) {
      const auto at = std::find_if(signals.begin(), signals.end(), [&](const Channel& s) { return s.name == name; });
      if (at == signals.end()) refuse(file, unknown(what, name, signals));
      return static_cast<Eigen::Index>(at - signals.begin());
    };
    const Eigen::Index i = index_of(model.outputs, channel.output, "sensor"),
                       j = index_of(model.inputs, channel.input, "input");
    values.resize(channel.measured.size());
    for (Eigen::Index k = 0; k < values.size(); ++k) {
      const std::complex<double> h = found.response[static_cast<std::size_t>(k)](i, j);
      values[k] = channel.kind == ChannelKind::phase ? std::arg(h) : std::log(std::max(std::abs(h), 1e-300));
    }
  }
  static void swing(const LineariseResult& found, const MeasuredChannel& channel, const std::string& file,
                    VectorX& values) {
    const LinearModes& modes = found.modes.front();
    std::vector<std::size_t> swinging;
    const double largest = modes.eigenvalues.empty() ? 0 : std::abs(modes.eigenvalues.back());
    for (std::size_t k = 0; k < modes.eigenvalues.size(); ++k)
      if (modes.eigenvalues[k].imag() > smallest_eigenvalue * largest) swinging.push_back(k);
    values.resize(channel.measured.size());
    for (Eigen::Index k = 0; k < values.size(); ++k) {
      const auto mode = static_cast<std::size_t>(channel.at[static_cast<std::size_t>(k)]) - 1;
      if (mode >= swinging.size())
        refuse(file, cat("mode ", mode + 1, " was measured, and the model has ", swinging.size()));
      values[k] = channel.kind == ChannelKind::damping_ratio ? modes.damping_ratio(swinging[mode])
                                                             : std::log(modes.frequency(swinging[mode]));
    }
  }

  const Model& model_;
  const Measurements& measured_;
  const PredictionOptions& options_;
  const RunHooks& hooks_;
  std::vector<VectorX> found_;
  std::string failure_;
};

}  // namespace

bool Measurements::has(ChannelKind kind) const {
  return std::any_of(experiments.begin(), experiments.end(), [&](const Experiment& e) { return e.kind == kind; });
}

double Measurements::end_time() const {
  double end = 0;
  for (const Experiment& experiment : experiments)
    if (experiment.kind == ChannelKind::value) end = std::max(end, experiment.at.back());
  return end;
}

Measurements read_measurements(const std::vector<MeasuredData>& data) {
  Measurements result;
  MeasurementReader reader(result);
  for (const MeasuredData& one : data) reader.add(one);
  return result;
}

std::vector<VectorX> predict(const Model& model, const Measurements& measured, const PredictionOptions& options,
                             const RunHooks& hooks, std::string& failure) {
  return Prediction(model, measured, options, hooks).run(failure);
}

VectorX difference(const MeasuredChannel& channel, const VectorX& predicted) {
  VectorX result = predicted - channel.measured.head(predicted.size());
  if (channel.kind == ChannelKind::damping_ratio) result.array() /= channel.measured.array();
  if (channel.kind == ChannelKind::phase)
    for (double& value : result) value -= 2 * pi * std::round(value / (2 * pi));
  return result;
}

}  // namespace lithe
