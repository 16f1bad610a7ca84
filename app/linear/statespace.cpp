// `lithe statespace`: the linear model as a control engineer takes it along: few states, sampled, with poles, zeros,
// gains and margins.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/models/inspected_model.h"
#include "app/models/mode_choice.h"
#include "app/models/model_warnings.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "app/terminal/table.h"
#include "lithe/analyse/analyses.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/export/mat_file.h"
#include "lithe/export/state_space_text.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

using Outcome = StateSpaceResult;

struct Options {
  std::string file, directory, frozen;
  SpecOptions<StateSpaceSpec> spec;
};

// As a rate in 1/s, of continuous and sampled systems alike.
std::complex<double> rate_of(const StateSpace& system, std::complex<double> value) {
  if (system.is_continuous()) return value;
  return std::log(std::abs(value) > 0 ? value : std::complex<double>(1e-300, 0)) / system.sample_time;
}

double hertz(std::complex<double> rate) { return std::abs(rate) / (2 * std::numbers::pi); }

double damping_ratio(std::complex<double> rate) { return std::abs(rate) > 0 ? -rate.real() / std::abs(rate) : 0.0; }

std::string modes_text(const Outcome& outcome, const Style& style) {
  constexpr std::size_t most = 4;
  const StateSpace& system = outcome.system;
  std::vector<TextColumn> columns{{"mode"}, {"frequency Hz"}, {"damping ratio"}, {"real 1/s"}};
  const std::size_t inputs = std::min(most, system.inputs.size()), outputs = std::min(most, system.outputs.size());
  for (std::size_t i = 0; i < inputs; ++i) columns.push_back({cat("controllability: ", system.inputs[i].name)});
  for (std::size_t i = 0; i < outputs; ++i) columns.push_back({cat("observability: ", system.outputs[i].name)});
  TextTable table(std::move(columns));
  int count = 0;
  for (const ModeFigures& mode : outcome.modes) {
    std::vector<std::string> row{cat(++count)};
    if (mode.integrator > 0) {
      row.insert(row.end(), {mode.integrator == 2 ? "double integrator" : "integrator", "", "0"});
    } else {
      row.insert(row.end(), {number(hertz(mode.rate)), number(damping_ratio(mode.rate), 4), number(mode.rate.real())});
    }
    for (std::size_t i = 0; i < inputs; ++i)
      row.push_back(number(mode.controllability[static_cast<Eigen::Index>(i)], 3));
    for (std::size_t i = 0; i < outputs; ++i)
      row.push_back(number(mode.observability[static_cast<Eigen::Index>(i)], 3));
    table.add_row(std::move(row));
  }
  return table.text(style);
}

// Zeros as "12.3 Hz", a zero that turns the phase the wrong way marked.
std::string zeros_text(const StateSpace& system, const ComplexVector& zeros) {
  const double rounding = 1e-8 * (system.is_continuous() ? system.a.norm() : 1 / system.sample_time);
  std::string text;
  for (const std::complex<double>& zero : zeros) {
    if (zero.imag() < 0) continue;
    std::complex<double> rate = rate_of(system, zero);
    if (std::abs(rate) < rounding) rate = 0;
    const bool wrong_side = rate.real() > 1e-6 * std::abs(rate);
    text += cat(text.empty() ? "" : ", ", number(hertz(rate), 5), wrong_side ? " Hz (right half plane)" : " Hz");
  }
  return text.empty() ? "none" : text;
}

std::string limit_text(GainLimit limit) {
  switch (limit) {
    case GainLimit::integrator:
      return "infinite: integrator";
    case GainLimit::unstable_pole:
      return "infinite: unstable pole";
    case GainLimit::undamped_pole:
      return "infinite: undamped mode";
    case GainLimit::finite:
      break;
  }
  return "";
}

std::string channels_text(const Outcome& outcome, const Style& style) {
  const StateSpace& system = outcome.system;
  TextTable table({{"from", Align::left},
                   {"to", Align::left},
                   {"steady gain"},
                   {"largest gain"},
                   {"at Hz"},
                   {"gain margin"},
                   {"phase margin deg"},
                   {"delay margin s"},
                   {"zeros", Align::left}});
  const auto margin = [](double value, int digits) { return std::isfinite(value) ? number(value, digits) : "none"; };
  std::size_t k = 0;
  for (const Channel& input : system.inputs)
    for (const Channel& output : system.outputs) {
      const ChannelFigures& f = outcome.channels[k++];
      const bool finite = f.peak_limit == GainLimit::finite, everywhere = f.peak_limit == GainLimit::integrator;
      table.add_row({input.name, output.name,
                     f.steady == GainLimit::finite ? number(f.steady_gain, 5) : limit_text(f.steady),
                     finite ? number(f.peak.value, 5) : limit_text(f.peak_limit),
                     everywhere ? "0" : number(f.peak.angular_frequency / (2 * std::numbers::pi), 5),
                     margin(f.margins.gain, 4), margin(f.margins.phase * 180 / std::numbers::pi, 4),
                     margin(f.margins.delay, 4), zeros_text(system, f.zeros)});
    }
  return table.text(style);
}

// Integrators alone are no instability that grows by itself.
std::string stability_text(const Outcome& outcome) {
  Eigen::Index unstable = 0, undamped = 0, integrators = 0;
  for (const ModeFigures& mode : outcome.modes) {
    integrators += mode.integrator > 0 ? 1 : 0;
    if (mode.integrator > 0) continue;
    unstable += mode.rate.real() > 0 ? 1 : 0;
    undamped += mode.rate.real() == 0 ? 1 : 0;
  }
  if (outcome.stable) return "Stable.\n";
  std::vector<std::string> reasons;
  if (unstable > 0) reasons.push_back(cat(unstable, unstable == 1 ? " unstable mode" : " unstable modes"));
  if (integrators > 0)
    reasons.push_back(cat(integrators, integrators == 1 ? " rigid-body mode" : " rigid-body modes", " (integrators)"));
  if (undamped > 0) reasons.push_back(cat(undamped, undamped == 1 ? " undamped mode" : " undamped modes"));
  return cat(unstable > 0 ? "Unstable: " : "Marginally stable: ", joined(reasons), ".\n");
}

std::string text_of(const Outcome& outcome, const StateSpaceSpec& spec, const Style& style) {
  const StateSpace& s = outcome.system;
  std::string text = cat("State space of ", outcome.model, " (", outcome.formulation, "): ", s.num_states(),
                         " states, ", s.num_inputs(), " inputs, ", s.num_outputs(), " outputs\n");
  if (outcome.full_states != s.num_states()) text += cat("of ", outcome.full_states, " states of the mechanism\n");
  if (outcome.error_bound && std::isfinite(*outcome.error_bound))
    text += cat("H-infinity bound on the reduction error: ", number(*outcome.error_bound, 4), "\n");
  if (s.sample_time > 0)
    text +=
        cat("sampled every ", s.sample_time, " s, ", spec.discretisation == "tustin" ? "bilinear rule" : "inputs held",
            spec.delay > 0 ? cat(", acting ", spec.delay, " samples late") : "", "\n");
  text += stability_text(outcome);
  for (const std::string& note : outcome.notes) text += cat("note: ", note, "\n");
  text += "\nModal controllability |w^H b| and observability |c v| of each mode\n\n" + modes_text(outcome, style);
  text += "\nMargins are those of unity negative feedback around one channel\n\n" + channels_text(outcome, style);
  if (s.num_inputs() > 1 && s.num_outputs() > 1)
    text += cat("\nTransmission zeros of the whole: ", zeros_text(s, outcome.zeros), "\n");
  return text;
}

nlohmann::json matrix_rows(const MatrixX& matrix) {
  nlohmann::json rows = nlohmann::json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    rows.push_back(nlohmann::json::array());
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) rows.back().push_back(json_number(matrix(i, j)));
  }
  return rows;
}

nlohmann::json numbers_json(const VectorX& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const double value : values) list.push_back(json_number(value));
  return list;
}

nlohmann::json zeros_json(const ComplexVector& zeros) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::complex<double>& zero : zeros) list.push_back({json_number(zero.real()), json_number(zero.imag())});
  return list;
}

nlohmann::json channel_json(const Channel& input, const Channel& output, const ChannelFigures& f) {
  const bool steady = f.steady == GainLimit::finite, finite = f.peak_limit == GainLimit::finite;
  nlohmann::json value = {{"input", input.name},
                          {"output", output.name},
                          {"states", f.num_states},
                          {"steady_gain", steady ? json_number(f.steady_gain) : nlohmann::json(nullptr)},
                          {"largest_gain", finite ? json_number(f.peak.value) : nlohmann::json(nullptr)},
                          {"largest_gain_rad_s", json_number(f.peak.angular_frequency)},
                          {"gain_margin", json_number(f.margins.gain)},
                          {"phase_margin_rad", json_number(f.margins.phase)},
                          {"delay_margin_s", json_number(f.margins.delay)},
                          {"zeros", zeros_json(f.zeros)}};
  if (!steady) value["steady_gain_limit"] = limit_text(f.steady);
  if (!finite) value["largest_gain_limit"] = limit_text(f.peak_limit);
  return value;
}

nlohmann::json json_of(const Outcome& outcome) {
  const StateSpace& s = outcome.system;
  nlohmann::json poles = nlohmann::json::array(), channels = nlohmann::json::array();
  for (const ModeFigures& mode : outcome.modes)
    poles.push_back({{"real", json_number(mode.pole.real())},
                     {"imaginary", json_number(mode.pole.imag())},
                     {"integrator", mode.integrator},
                     {"frequency_hz", json_number(hertz(mode.rate))},
                     {"damping_ratio", json_number(damping_ratio(mode.rate))},
                     {"controllability", numbers_json(mode.controllability)},
                     {"observability", numbers_json(mode.observability)}});
  std::size_t k = 0;
  for (const Channel& input : s.inputs)
    for (const Channel& output : s.outputs) channels.push_back(channel_json(input, output, outcome.channels[k++]));
  nlohmann::json value = {{"model", outcome.model},
                          {"formulation", outcome.formulation},
                          {"states", s.num_states()},
                          {"full_states", outcome.full_states},
                          {"integrator_states", outcome.separated.integrators.num_states()},
                          {"sample_time_s", s.sample_time},
                          {"stable", outcome.stable},
                          {"notes", outcome.notes},
                          {"poles", poles},
                          {"channels", channels},
                          {"zeros", zeros_json(outcome.zeros)},
                          {"A", matrix_rows(s.a)},
                          {"B", matrix_rows(s.b)},
                          {"C", matrix_rows(s.c)},
                          {"D", matrix_rows(s.d)}};
  if (outcome.error_bound) value["error_bound"] = json_number(*outcome.error_bound);
  if (outcome.hankel.size() > 0) value["hankel_singular_values"] = numbers_json(outcome.hankel);
  return value;
}

std::vector<std::string> names_of(const std::vector<Channel>& signals) {
  std::vector<std::string> names;
  for (const Channel& signal : signals) names.push_back(signal.name);
  return names;
}

std::vector<std::filesystem::path> write(const Outcome& outcome, const std::filesystem::path& directory) {
  const StateSpace& s = outcome.system;
  FileSet files(directory);
  write_mat(files.add("statespace.mat"), {{"A", s.a},
                                          {"B", s.b},
                                          {"C", s.c},
                                          {"D", s.d},
                                          {"sample_time", MatrixX::Constant(1, 1, s.sample_time)},
                                          {"inputs", names_of(s.inputs)},
                                          {"outputs", names_of(s.outputs)}});
  files.write("statespace.json", json_of(outcome).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  files.write("statespace.h", c_header(s, "statespace"));
  files.write("statespace.py", python_module(s, outcome.model));
  files.commit();
  return files.paths();
}

int run(const Model& model, const Options& options, const Output& output) {
  const StateSpaceSpec spec = options.spec.over({});
  if (spec.delay > 0 && !(spec.sample_time > 0)) throw InputError("--delay: samples of a --sample-time");
  warn_on_modes(model, spec.formulation.formulation);
  check_freeze(model, options.frozen);
  const std::filesystem::path directory =
      tried_directory(options.directory, model, {"statespace.mat", "statespace.json", "statespace.h", "statespace.py"});
  const Outcome outcome = state_space(model, spec);
  const auto paths = write(outcome, directory);
  const std::string frozen = freeze(model, outcome.reduction.get(), options.frozen);
  if (output.json()) {
    nlohmann::json value = json_of(outcome);
    add_mode_choice(model, outcome.reduction.get(), value);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(text_of(outcome, spec, output.style()) + frozen + "\n" + where_results_lie(paths));
  }
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  SpecOptions<StateSpaceSpec>& spec = options->spec;
  add_formulation_options(command, spec, &StateSpaceSpec::formulation);
  spec.add(command, "--inputs,--input", &StateSpaceSpec::inputs, "Inputs: drives, loads or joints, separated by commas")
      .separated_by_commas();
  spec.add(command, "--sensors,--sensor", &StateSpaceSpec::sensors,
           "Outputs: sensors, separated by commas; all by default")
      .separated_by_commas();
  spec.add_flag(command, "--minimal", &StateSpaceSpec::minimal, "Without uncontrollable and unobservable states");
  spec.add(command, "--states", &StateSpaceSpec::states, "How many states to keep").between(0, 100000);
  spec.add(command, "--error", &StateSpaceSpec::error,
           "As few states as this bound of the largest gain of the error allows")
      .positive();
  spec.add(command, "--reduction", &StateSpaceSpec::reduction, "Of --states: balanced (default) or modal")
      .one_of({"balanced", "modal"});
  spec.add_flag(command, "--keep-static-gain", &StateSpaceSpec::keep_static_gain,
                "Modal: the static part of what is left out stays");
  spec.add(command, "--sample-time", &StateSpaceSpec::sample_time, "Sampled model, s").positive();
  spec.add(command, "--discretisation", &StateSpaceSpec::discretisation,
           "hold (default): inputs held; tustin: the bilinear rule")
      .one_of({"hold", "tustin"});
  spec.add(command, "--delay", &StateSpaceSpec::delay, "Samples after which inputs act").between(0, 1000);
  add_freeze_option(command, options->frozen);
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_model(options, run);
}

const CommandRegistration registration(
    {.name = "statespace",
     .rank = 46,
     .summary = "Linear model for control: reduced, sampled; poles, zeros, gains, margins; MAT, JSON, C and Python",
     .examples = "  lithe statespace arm.toml --input shoulder --sensor 'shoulder angle'\n"
                 "  lithe statespace arm.toml --states 8\n"
                 "  lithe statespace arm.toml --error 1e-4 --sample-time 0.001\n"
                 "  lithe statespace arm.toml --states 6 --reduction modal --keep-static-gain\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
