#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "app/command.h"
#include "app/condense.h"
#include "app/consent.h"
#include "app/control.h"
#include "app/control_choice.h"
#include "app/equilibrium.h"
#include "app/inspected_model.h"
#include "app/interrupt.h"
#include "app/linearise.h"
#include "app/mode_files.h"
#include "app/motion.h"
#include "app/recorded_motion.h"
#include "app/reports.h"
#include "app/result_directory.h"
#include "app/sweep.h"
#include "app/table.h"
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/modes/link_modes.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/analyse/sweep/sweep_equations.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/control_setup.h"
#include "lithe/results/condensed.h"
#include "lithe/results/hdf5_file.h"
#include "lithe/results/motion.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory;
};

// Text and JSON of one analysis.
struct Outcome {
  std::string text;
  nlohmann::json value;
  bool failed = false;
};

// All analyses of one file; a spectrum uses the simulation before it.
class Runner {
 public:
  Runner(const Model& model, const Options& options, const Style& style)
      : model_(model), directory_(result_directory(options.directory, model)), style_(style) {
    report_.title = model.name;
    report_.subtitle = "all analyses of the model file";
    report_.scene = make_scene(model);
  }
  Outcome run(const AnalysisRequest& request);
  // One page with all results; the paths are where they lie.
  std::vector<std::filesystem::path> write_page();

 private:
  Outcome modes(const AnalysisRequest& request);
  Outcome simulation(const AnalysisRequest& request);
  Outcome inverse_dynamics(const AnalysisRequest& request);
  Outcome static_equilibrium(const AnalysisRequest& request);
  Outcome sensor_spectrum(const AnalysisRequest& request);
  void add_motion(const Equations& system, const Trajectory& motion, const std::string& name, bool simulated);
  Outcome condensation(const AnalysisRequest& request);
  Outcome grid(const AnalysisRequest& request);
  Outcome linear(const AnalysisRequest& request);
  Outcome control(const AnalysisRequest& request);
  RecordedMotion record(const Equations& system, const AnalysisRequest& request, const std::string& name) const;
  std::string stem(const AnalysisRequest& request, const std::string& kind);
  std::unique_ptr<Equations> equations(const AnalysisRequest& request) const;

  const Model& model_;
  std::filesystem::path directory_;
  Style style_;
  std::optional<Trajectory> motion_;
  std::filesystem::path motion_file_;  // with all its instants
  Report report_;
  bool shows_simulation_ = false;
  std::vector<std::filesystem::path> paths_;
  std::vector<std::string> stems_;
};

// "motion", or "motion_<name>" for a named analysis, or with a number when it was there before.
std::string Runner::stem(const AnalysisRequest& request, const std::string& kind) {
  std::string result = kind;
  if (const auto name = request.text("name")) result = cat(kind, "_", file_name_of(*name));
  const std::string first = result;
  for (int i = 2; std::find(stems_.begin(), stems_.end(), result) != stems_.end(); ++i) result = cat(first, "_", i);
  stems_.push_back(result);
  return result;
}

std::unique_ptr<Equations> Runner::equations(const AnalysisRequest& request) const {
  FormulationChoice choice;
  apply_settings(request, choice);
  return make_equations(model_, choice);
}

Outcome Runner::modes(const AnalysisRequest& request) {
  const int count = static_cast<int>(request.number("count").value_or(12));
  VectorX frequencies;
  int rigid_left_out = 0, free_motions = 0;  // of a link they are not in the list
  std::string notes;
  std::vector<std::filesystem::path> paths;
  std::string subject = "the mechanism in its initial configuration";
  if (const auto link = request.text("link")) {
    subject = cat("link '", *link, "', free");
    std::size_t index = 0;
    while (index < model_.links.size() && model_.links[index].name != *link) ++index;
    LinkModesOptions wanted;
    wanted.count = count;
    const LinkModes found = link_modes(model_, static_cast<int>(index), wanted);
    frequencies = found.frequencies;
    rigid_left_out = found.num_rigid;
    notes = rigid_note(found);
    paths = write_link_modes(model_, found, subject, directory_, stem(request, "modes_" + file_name_of(*link)));
    report_.modes.push_back(link_mode_set(model_, static_cast<int>(index), found, subject));
  } else {
    const auto system = equations(request);
    const State start = start_state(*system);
    const ModesResult found = mechanism_modes(*system, start);
    if (found.status != EvaluationStatus::ok) return {cat("modes: ", explain(model_, found.status), "\n"), {}, true};
    frequencies = found.modes.frequencies;
    free_motions = found.modes.num_rigid;
    notes = mode_notes(found.modes);
    paths = write_mechanism_modes(*system, found.modes, directory_, stem(request, "modes"));
    report_.modes.push_back(mechanism_mode_set(*system, start, found.modes, count));
    if (!report_.motion) report_.motion = sample_configuration(*system, start);
  }
  TextTable table({{"mode"}, {"frequency Hz"}});
  nlohmann::json list = nlohmann::json::array();
  for (Eigen::Index k = 0; k < frequencies.size() && k < count; ++k) {
    table.add_row({cat(rigid_left_out + k + 1),
                   free_motions > 0 && frequencies[k] == 0 ? "free motion" : fixed(frequencies[k], 4)});
    list.push_back(frequencies[k]);
  }
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  return {cat("Natural frequencies of ", subject, "\n\n", table.text(style_), notes, "\n", where_results_lie(paths)),
          {{"kind", "modes"}, {"of", subject}, {"frequencies_hz", list}, {"files", paths_json(paths)}}};
}

RecordedMotion Runner::record(const Equations& system, const AnalysisRequest& request, const std::string& name) const {
  SimulateOptions options;
  apply_settings(request, options);
  FormulationChoice choice;
  apply_settings(request, choice);
  RecordPlan plan;
  plan.directory = directory_;
  plan.stem = name;
  plan.signature = run_signature(model_, choice, options, {});
  return record_motion(system, options, plan);
}

Outcome Runner::simulation(const AnalysisRequest& request) {
  const auto system = equations(request);
  const std::string name = stem(request, "motion");
  auto [motion, paths] = record(*system, request, name);
  motion_ = std::move(motion);
  motion_file_ = paths.back();
  add_motion(*system, *motion_, name, true);
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{motion_text(*motion_, style_) + where_results_lie(paths), motion_json(*motion_),
                  motion_->end == RunEnd::failed};
  outcome.value["kind"] = "simulate";
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

// The page shows the first simulation (or what there is), and the curves of all.
void Runner::add_motion(const Equations& system, const Trajectory& motion, const std::string& name, bool simulated) {
  const bool first = simulated ? !std::exchange(shows_simulation_, true) : report_.runs.empty();
  Report part = motion_report(system, motion);
  part.runs.front().name = name;
  report_.runs.insert(first ? report_.runs.begin() : report_.runs.end(), std::move(part.runs.front()));
  for (ReportSpectrum& spectrum : part.spectra) {
    if (!first) spectrum.run = name;
    report_.spectra.push_back(std::move(spectrum));
  }
  part.tables.front().title = cat("sensors of ", name);
  report_.tables.push_back(std::move(part.tables.front()));
  if (!first) return;
  report_.motion = std::move(part.motion);
  report_.energy = part.energy;
  report_.events = std::move(part.events);
  report_.facts = std::move(part.facts);
}

std::vector<std::filesystem::path> Runner::write_page() {
  save_report(std::move(report_), directory_, paths_, "report");
  return {paths_.back()};
}

// The motion with the drives on their prescribed paths, and the torque that each of them needs.
Outcome Runner::inverse_dynamics(const AnalysisRequest& request) {
  Model model = with_drive_sensors(model_, false);
  FormulationChoice choice;
  if (request.flag("flexible").value_or(true))
    apply_settings(request, choice);
  else
    model = without_elasticity(std::move(model));
  const auto system = make_equations(model, choice);
  const std::string name = stem(request, "inverse_dynamics");
  const auto [motion, paths] = record(*system, request, name);
  add_motion(*system, motion, name, false);
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{cat("Inverse dynamics\n", motion_text(motion, style_), where_results_lie(paths)), motion_json(motion),
                  motion.end == RunEnd::failed};
  outcome.value["kind"] = "inverse_dynamics";
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::static_equilibrium(const AnalysisRequest& request) {
  const EquilibriumResult found = find_equilibrium(model_, spec_from<EquilibriumSpec>(&request));
  const auto paths = write_equilibrium(found, directory_, stem(request, "equilibrium"));
  add_to_page(found, report_);
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{cat(equilibrium_text(found, style_), "\n", where_results_lie(paths)), equilibrium_json(found),
                  !found.found.converged};
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::sensor_spectrum(const AnalysisRequest& request) {
  std::string sensor = request.text("sensor").value_or("");
  if (const auto component = request.text("component")) sensor = cat(sensor, ".", *component);
  const TrajectoryColumn* column = motion_ ? motion_->column(sensor) : nullptr;
  if (!column)
    throw InputError(cat(model_.file, ": spectrum of '", sensor, "': ",
                         motion_ ? "no simulation before it recorded that" : "there is no simulation before it"));
  const double begin = request.number("start_time").value_or(0), end = request.number("end_time").value_or(1e300);
  std::vector<double> times = motion_->times, values = column->values;
  if (motion_->num_recorded > static_cast<long long>(times.size())) {
    times = read_hdf5_vector(motion_file_, "motion/time");
    values = read_hdf5_vector(motion_file_, cat("motion/", sensor));
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] < begin || times[i] > end) continue;
    times[kept] = times[i];
    values[kept++] = values[i];
  }
  times.resize(kept);
  values.resize(kept);
  SpectrumOptions options;
  apply_settings(request, options);
  const Spectrum result = spectrum(times, values, options);
  const auto paths = write_spectrum(result, sensor, column->unit, directory_, stem(request, "spectrum"));
  report_.spectra.insert(report_.spectra.begin(), {sensor, column->unit, "as asked for", result});
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{
      cat("Spectrum of '", sensor, "'\n\n", peaks_text(result, column->unit, style_), where_results_lie(paths)),
      spectrum_json(result, sensor, column->unit)};
  outcome.value["kind"] = "spectrum";
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::condensation(const AnalysisRequest& request) {
  const CondenseResult found = condense(model_, spec_from<CondenseSpec>(&request));
  Outcome outcome{"", condense_json(model_, found), found.condensed.status != CondenseStatus::ok};
  outcome.value["kind"] = "condense";
  if (outcome.failed) {
    outcome.text = cat("Condensation failed: ", found.condensed.message, "\n");
    return outcome;
  }
  const auto paths = write_condensed(model_, found.condensed, found.modes, directory_, stem(request, "condense"),
                                     found.full_frequencies());
  Report part = condense_page(model_, found);
  std::move(part.tables.begin(), part.tables.end(), std::back_inserter(report_.tables));
  if (!report_.motion) report_.motion = std::move(part.motion);
  outcome.text = cat(condense_text(model_, found, style_), "\n", where_results_lie(paths));
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::grid(const AnalysisRequest& request) {
  const SweepOutcome found =
      run_sweep(model_.file, spec_from<SweepSpec>(&request), false, directory_, stem(request, "sweep"));
  Outcome outcome{"", sweep_json(found), !found.any_computed()};
  outcome.value["kind"] = "sweep";
  if (found.finished) report_.maps.push_back(found.map);
  paths_.insert(paths_.end(), found.files.begin(), found.files.end());
  outcome.text = found.finished ? cat("Sweep: ", sweep_text(found, style_), "\n", where_results_lie(found.files))
                                : cat("Sweep stopped; its points are kept in ", found.part.string(), "\n");
  return outcome;
}

Outcome Runner::linear(const AnalysisRequest& request) {
  const auto settings = spec_from<LineariseSpec>(&request, spec_of<SimulateSpec>(model_));
  const LineariseResult found = run_linearise(model_, settings);
  if (!found.failure.empty())
    return {cat("linearise: ", found.failure, "\n"), {{"kind", "linearise"}, {"message", found.failure}}, true};
  const auto paths = write_linear(found, settings, directory_, stem(request, "linear"));
  add_to_page(found, settings, report_);
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{linearise_text(found, settings, style_) + "\n" + where_results_lie(paths),
                  linearise_json(found, settings)};
  outcome.value["kind"] = "linearise";
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::control(const AnalysisRequest& request) {
  const ControlStudyOptions options = control_options(model_, &request);
  RunRecordings recordings(directory_, stem(request, "control"), options.simulate);
  const ControlStudy study = run_control(model_, options, recordings);
  const auto paths = write_control(study, recordings);
  report_.tables.push_back(control_figures_table(study));
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{cat("Controllers compared\n\n", control_text(study, style_), "\n", where_results_lie(paths)),
                  control_json(study), !study.finished()};
  outcome.value["kind"] = "control";
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::run(const AnalysisRequest& request) {
  switch (request.kind) {
    case AnalysisKind::modes:
      return modes(request);
    case AnalysisKind::simulate:
      return simulation(request);
    case AnalysisKind::equilibrium:
      return static_equilibrium(request);
    case AnalysisKind::spectrum:
      return sensor_spectrum(request);
    case AnalysisKind::inverse_dynamics:
      return inverse_dynamics(request);
    case AnalysisKind::condense:
      return condensation(request);
    case AnalysisKind::sweep:
      return grid(request);
    case AnalysisKind::control:
      return control(request);
    case AnalysisKind::linearise:
      return linear(request);
  }
  return {};
}

const char* name_of(AnalysisKind kind) {
  switch (kind) {
    case AnalysisKind::modes:
      return "modes";
    case AnalysisKind::simulate:
      return "simulate";
    case AnalysisKind::equilibrium:
      return "equilibrium";
    case AnalysisKind::spectrum:
      return "spectrum";
    case AnalysisKind::inverse_dynamics:
      return "inverse_dynamics";
    case AnalysisKind::condense:
      return "condense";
    case AnalysisKind::sweep:
      return "sweep";
    case AnalysisKind::control:
      return "control";
    case AnalysisKind::linearise:
      return "linearise";
  }
  return "";
}

Outcome failed_part(const AnalysisRequest& request, std::size_t index, const std::exception& error) {
  const std::string name = request.text("name").value_or("");
  const std::string part =
      cat("analysis ", index + 1, " (", name_of(request.kind), name.empty() ? "" : cat(" '", name, "'"), ")");
  return {cat("lithe: error: ", part, " failed: ", error.what(), "\n"),
          {{"kind", name_of(request.kind)}, {"failed", true}, {"message", error.what()}},
          true};
}

// Controllers that some analysis of the file lets act.
std::vector<int> controllers_used(const Model& model) {
  std::vector<int> used;
  const auto add = [&](const std::vector<int>& more) { used.insert(used.end(), more.begin(), more.end()); };
  for (const AnalysisRequest& request : model.analyses) {
    const bool simulates =
        request.kind == AnalysisKind::simulate || request.kind == AnalysisKind::inverse_dynamics ||
        (request.kind == AnalysisKind::linearise &&
         spec_from<LineariseSpec>(&request).about == LineariseAbout::motion) ||
        (request.kind == AnalysisKind::sweep && repeats_simulation(model, spec_from<SweepSpec>(&request)));
    if (simulates) add(acting_controllers(model, {}));
    if (request.kind == AnalysisKind::control)
      add(studied_controllers(model, chosen_controllers(model, request.texts("controllers"))));
  }
  return used;
}

int run(const Model& model, const Options& options, const Output& output) {
  require_consent(model, controllers_used(model));
  if (model.analyses.empty())
    throw InputError(cat(options.file, ": the file asks for no analysis; add [[analyses]] or use another command"));
  Runner runner(model, options, output.style());
  nlohmann::json list = nlohmann::json::array();
  const InterruptGuard guard;
  bool failed = false, any = false;
  std::exception_ptr first;
  for (std::size_t i = 0; i < model.analyses.size() && !interrupted(); ++i) {
    Outcome outcome;
    try {
      outcome = runner.run(model.analyses[i]);
      any = true;
    } catch (const std::exception& error) {
      if (!first) first = std::current_exception();
      if (!any && i + 1 == model.analyses.size()) std::rethrow_exception(first);  // nothing to keep
      outcome = failed_part(model.analyses[i], i, error);
      std::cerr << output.error_style().error(std::exchange(outcome.text, ""));
    }
    failed = failed || outcome.failed;
    list.push_back(outcome.value);
    if (!output.json() && !outcome.text.empty()) output.print(outcome.text + "\n");
  }
  const auto page = runner.write_page();
  if (output.json()) {
    output.print(nlohmann::json{{"model", model.name}, {"analyses", list}, {"files", paths_json(page)}});
  } else {
    output.print(where_results_lie(page));
  }
  return failed ? exit_failed : exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  command.add_option("-o,--output", options->directory, "Directory for results; results/<model name> by default");
  return action_on_model(options, run);
}

const CommandRegistration registration({.name = "run",
                                        .rank = 20,
                                        .summary = "All analyses that a model file asks for",
                                        .examples = "  lithe run arm.toml\n",
                                        .set_up = set_up});

}  // namespace
}  // namespace lithe::app
