#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "app/linear/condense.h"
#include "app/linear/equilibrium.h"
#include "app/linear/linearise.h"
#include "app/linear/mode_files.h"
#include "app/linear/sweep.h"
#include "app/models/inspected_model.h"
#include "app/models/mode_choice.h"
#include "app/models/model_warnings.h"
#include "app/models/robot_file.h"
#include "app/motion/control.h"
#include "app/motion/motion.h"
#include "app/motion/recorded_motion.h"
#include "app/motion/run_recordings.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/program/failure_text.h"
#include "app/robots/studies.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/table.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/condensed.h"
#include "lithe/results/files/hdf5_file.h"
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
  Runner(const Model& model, std::filesystem::path directory, const Style& style)
      : model_(model), directory_(std::move(directory)), style_(style) {
    report_.title = model.name;
    report_.subtitle = "all analyses of the model file";
    report_.scene = make_scene(model);
  }
  // Files of the part are called `stem`.csv and so on.
  Outcome run(const Analysis& analysis, const std::string& stem);
  Outcome run(const PartialModel& robot, const StudyRequest& request, const std::string& stem);
  // One page with all results; the paths are where they lie.
  std::vector<std::filesystem::path> write_page();

 private:
  Outcome answer(const ModesSpec& spec);
  Outcome answer(const SimulateSpec& spec);
  Outcome answer(const InverseDynamicsSpec& spec);
  Outcome answer(const EquilibriumSpec& spec);
  Outcome answer(const SpectrumSpec& spec);
  void add_motion(const SimulatedMotion& motion, const std::string& name, bool simulated);
  Outcome answer(const CondenseSpec& spec);
  Outcome answer(const SweepSpec& spec);
  Outcome answer(const LineariseSpec& spec);
  Outcome answer(const ControlSpec& spec);
  RecordPlan plan_of(const SimulateSpec& spec) const;

  const Model& model_;
  std::filesystem::path directory_;
  Style style_;
  std::optional<SimulatedMotion> motion_;
  std::filesystem::path motion_file_;  // with all its instants
  Report report_;
  bool shows_simulation_ = false;
  std::vector<std::filesystem::path> paths_;
  std::string stem_;  // of the analysis at hand
};

Outcome Runner::answer(const ModesSpec& spec) {
  const NaturalModesResult found = natural_modes(model_, spec);
  if (!found.failure.empty()) return {cat("modes: ", found.failure, "\n"), {}, true};
  int rigid_left_out = 0, free_motions = 0;  // of a link they are not in the list
  std::string notes;
  std::vector<std::filesystem::path> paths;
  if (found.link) {
    rigid_left_out = found.link->num_rigid;
    notes = rigid_note(*found.link);
    paths = write_link_modes(model_, *found.link, found.subject, directory_, stem_);
    report_.modes.push_back(link_mode_set(model_, found.link_index, *found.link, found.subject));
  } else {
    const MechanismModes& modes = *found.mechanism;
    free_motions = modes.num_rigid;
    for (const std::string& note : found.notes) notes += cat("note: ", note, "\n");
    notes += mode_notes(modes);
    paths = write_mechanism_modes(*found.equations, modes, directory_, stem_);
    report_.modes.push_back(mechanism_mode_set(*found.equations, found.state, modes, spec.count));
    if (!report_.motion) report_.motion = sample_configuration(*found.equations, found.state);
  }
  const VectorX& frequencies = found.link ? found.link->frequencies : found.mechanism->frequencies;
  TextTable table({{"mode"}, {"frequency Hz"}});
  nlohmann::json list = nlohmann::json::array();
  for (Eigen::Index k = 0; k < frequencies.size() && k < spec.count; ++k) {
    table.add_row({cat(rigid_left_out + k + 1),
                   free_motions > 0 && frequencies[k] == 0 ? "free motion" : fixed(frequencies[k], 4)});
    list.push_back(frequencies[k]);
  }
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{
      cat("Natural frequencies of ", found.subject, "\n\n", table.text(style_), notes, "\n", where_results_lie(paths)),
      {{"kind", "modes"}, {"of", found.subject}, {"frequencies_hz", list}, {"files", paths_json(paths)}}};
  add_mode_choice(model_, found.reduction.get(), outcome.value);
  return outcome;
}

RecordPlan Runner::plan_of(const SimulateSpec& spec) const {
  RecordPlan plan;
  plan.directory = directory_;
  plan.stem = stem_;
  plan.signature = run_signature(model_, spec);
  return plan;
}

Outcome Runner::answer(const SimulateSpec& spec) {
  auto [motion, paths] = record_motion(model_, spec, plan_of(spec));
  motion_ = std::move(motion);
  motion_file_ = paths.back();
  add_motion(*motion_, stem_, true);
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{motion_text(*motion_, style_) + where_results_lie(paths), motion_json(*motion_),
                  motion_->end == RunEnd::failed};
  outcome.value["kind"] = "simulate";
  add_mode_choice(model_, motion_->reduction.get(), outcome.value);
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

// The page shows the first simulation (or what there is), and the curves of all.
void Runner::add_motion(const SimulatedMotion& motion, const std::string& name, bool simulated) {
  const bool first = simulated ? !std::exchange(shows_simulation_, true) : report_.runs.empty();
  Report part = motion_report(*motion.equations, motion);
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
Outcome Runner::answer(const InverseDynamicsSpec& spec) {
  const auto [motion, paths] =
      record_motion(inverse_dynamics_model(model_, spec), motion_of(spec), plan_of(motion_of(spec)));
  add_motion(motion, stem_, false);
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{cat("Inverse dynamics\n", motion_text(motion, style_), where_results_lie(paths)), motion_json(motion),
                  motion.end == RunEnd::failed};
  outcome.value["kind"] = "inverse_dynamics";
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::answer(const EquilibriumSpec& spec) {
  const EquilibriumResult found = find_equilibrium(model_, spec);
  const auto paths = write_equilibrium(found, directory_, stem_);
  add_to_page(found, report_);
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{cat(equilibrium_text(found, style_), "\n", where_results_lie(paths)), equilibrium_json(found),
                  !found.found.converged};
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::answer(const SpectrumSpec& spec) {
  const std::string& sensor = spec.sensor;
  const Column* column = motion_ ? motion_->column(sensor) : nullptr;
  if (!column)
    throw InputError(cat(model_.file, ": spectrum of '", sensor, "': ",
                         motion_ ? "no simulation before it recorded that" : "there is no simulation before it"));
  const bool whole = motion_->num_recorded <= static_cast<long long>(motion_->times.size());
  const Spectrum result = whole ? spectrum(*motion_, spec)
                                : spectrum(read_hdf5_vector(motion_file_, "motion/time"),
                                           read_hdf5_vector(motion_file_, cat("motion/", sensor)), spec);
  const auto paths = write_spectrum(result, sensor, column->unit, directory_, stem_);
  report_.spectra.insert(report_.spectra.begin(), {sensor, column->unit, "as asked for", result});
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{
      cat("Spectrum of '", sensor, "'\n\n", peaks_text(result, column->unit, style_), where_results_lie(paths)),
      spectrum_json(result, sensor, column->unit)};
  outcome.value["kind"] = "spectrum";
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::answer(const CondenseSpec& spec) {
  const CondenseResult found = condense(model_, spec);
  Outcome outcome{"", condense_json(model_, found), found.condensed.status != CondenseStatus::ok};
  outcome.value["kind"] = "condense";
  if (outcome.failed) {
    outcome.text = cat("Condensation failed: ", found.condensed.message, "\n");
    return outcome;
  }
  const auto paths = write_condensed(model_, found.condensed, found.modes, directory_, stem_, found.full_frequencies());
  Report part = condense_page(model_, found);
  std::move(part.tables.begin(), part.tables.end(), std::back_inserter(report_.tables));
  if (!report_.motion) report_.motion = std::move(part.motion);
  outcome.text = cat(condense_text(model_, found, style_), "\n", where_results_lie(paths));
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::answer(const SweepSpec& spec) {
  const SweepOutcome found = run_sweep(model_.file, spec, false, directory_, stem_);
  Outcome outcome{"", sweep_json(found), !found.any_computed()};
  outcome.value["kind"] = "sweep";
  if (found.finished) report_.maps.push_back(found.map);
  paths_.insert(paths_.end(), found.files.begin(), found.files.end());
  outcome.text = found.finished ? cat("Sweep: ", sweep_text(found, style_), "\n", where_results_lie(found.files))
                                : cat("Sweep stopped; its points are kept in ", found.part.string(), "\n");
  return outcome;
}

Outcome Runner::answer(const LineariseSpec& spec) {
  const LineariseResult found = run_linearise(model_, spec);
  if (!found.failure.empty())
    return {cat("linearise: ", found.failure, "\n"), {{"kind", "linearise"}, {"message", found.failure}}, true};
  const auto paths = write_linear(found, spec, directory_, stem_);
  add_to_page(found, spec, report_);
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{linearise_text(found, spec, style_) + "\n" + where_results_lie(paths), linearise_json(found, spec)};
  outcome.value["kind"] = "linearise";
  add_mode_choice(model_, found.reduction.get(), outcome.value);
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::answer(const ControlSpec& spec) {
  RunRecordings recordings(directory_, stem_, spec.simulate);
  const ControlStudy study = run_control(model_, spec, recordings);
  const auto paths = write_control(study, recordings);
  report_.tables.push_back(control_figures_table(study));
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  Outcome outcome{cat("Controllers compared\n\n", control_text(study, style_), "\n", where_results_lie(paths)),
                  control_json(study), !study.finished()};
  outcome.value["kind"] = "control";
  outcome.value["files"] = paths_json(paths);
  return outcome;
}

Outcome Runner::run(const Analysis& analysis, const std::string& stem) {
  stem_ = stem;
  return std::visit([this](const auto& spec) { return answer(spec); }, analysis.spec);
}

// What its own page would have, on the common one.
Outcome Runner::run(const PartialModel& robot, const StudyRequest& request, const std::string& stem) {
  const StudyPlace place{directory_, stem, style_};
  StudyOutcome found = run_study(robot, request, place);
  const auto append = [](auto& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  Report& page = found.page;
  for (ReportRun& run : page.runs) run.name = cat(place.stem, run.name.empty() ? "" : " ", run.name);
  for (ReportSpectrum& spectrum : page.spectra)
    spectrum.run = cat(place.stem, spectrum.run.empty() ? "" : " ", spectrum.run);
  append(page.tables, report_.tables);
  if (page.motion && (report_.runs.empty() || !report_.motion)) report_.motion = std::move(page.motion);
  append(page.runs, report_.runs);
  append(page.spectra, report_.spectra);
  append(page.modes, report_.modes);
  paths_.insert(paths_.end(), found.files.begin(), found.files.end());
  found.value["files"] = paths_json(found.files);
  return {cat(found.text, "\n", where_results_lie(found.files)), std::move(found.value), found.failed};
}

// What a part writes: the stem of its file names, and what follows it.
struct PartFiles {
  std::string stem;
  std::vector<std::string> endings;
};

struct FilesOfAnalysis {
  PartFiles operator()(const ModesSpec& spec) const {
    if (spec.link.empty()) return {"modes", {".csv", ".h5", ".svg"}};
    return {cat("modes_", file_name_of(spec.link)), {".csv", ".h5"}};
  }
  PartFiles operator()(const SimulateSpec&) const { return {"motion", {".csv", ".h5"}}; }
  PartFiles operator()(const InverseDynamicsSpec&) const { return {"inverse_dynamics", {".csv", ".h5"}}; }
  PartFiles operator()(const EquilibriumSpec&) const { return {"equilibrium", {".csv"}}; }
  PartFiles operator()(const SpectrumSpec&) const { return {"spectrum", {".csv", ".h5"}}; }
  PartFiles operator()(const CondenseSpec&) const { return {"condense", {".csv", ".h5"}}; }
  PartFiles operator()(const SweepSpec&) const { return {"sweep", {".csv", ".h5", ".svg"}}; }
  PartFiles operator()(const LineariseSpec& spec) const {
    PartFiles files{"linear", {".h5", ".mat", ".json", ".h", ".py"}};
    if (!spec.speeds.empty()) files.endings.emplace_back("_campbell.csv");
    if (!spec.response.empty()) files.endings.emplace_back("_response.csv");
    return files;
  }
  PartFiles operator()(const ControlSpec&) const { return {"control", {".csv", ".html"}}; }
};

PartFiles files_of(const StudyRequest& study) {
  PartFiles files{study.kind, {}};
  if (study.kind == "size" || study.kind == "settle") files.endings = {".csv", ".h5"};
  if (study.kind == "contributions") files.endings = {".csv"};
  if (study.kind == "identify")
    for (std::size_t k = 0; k < study.data.size(); ++k) files.endings.push_back(cat("_", k + 1, ".csv"));
  return files;
}

// One part of the file's list.
struct Part {
  std::string kind, name;
  std::vector<int> controllers;
  PartFiles files;
  std::function<Outcome(Runner&, const std::string& stem)> run;
};

// "motion" becomes "motion_<name>" for a named part, and gets a number when it was there before.
void give_own_stems(std::vector<Part>& parts) {
  std::vector<std::string> given;
  for (Part& part : parts) {
    const std::string first = part.name.empty() ? part.files.stem : cat(part.files.stem, "_", file_name_of(part.name));
    std::string& stem = part.files.stem = first;
    for (int i = 2; std::find(given.begin(), given.end(), stem) != given.end(); ++i) stem = cat(first, "_", i);
    given.push_back(stem);
  }
}

// Where all of them write, tried before the first one computes.
std::filesystem::path place_of(const Model& model, const std::string& directory, const std::vector<Part>& parts) {
  std::vector<std::string> names{"report.html"};
  for (const Part& part : parts)
    for (const std::string& ending : part.files.endings) names.push_back(part.files.stem + ending);
  return tried_directory(directory, model, names);
}

std::vector<Part> parts_of(const PartialModel& robot) {
  const Model& model = robot.model;
  const std::vector<Analysis> analyses = analyses_of(model);
  std::vector<Part> parts;
  for (std::size_t i = 0; i <= analyses.size(); ++i) {
    for (const StudyRequest& study : robot.studies)
      if (study.after == i)
        parts.push_back(
            {study.kind, study.settings.text("name").value_or(""), controllers_of(model, study), files_of(study),
             [&robot, &study](Runner& runner, const std::string& stem) { return runner.run(robot, study, stem); }});
    if (i == analyses.size()) break;
    const Analysis& analysis = analyses[i];
    parts.push_back({std::string(analysis.kind()), analysis.name, controllers_of(model, analysis.spec),
                     std::visit(FilesOfAnalysis(), analysis.spec),
                     [&model, analysis](Runner& runner, const std::string& stem) {
                       warn_on_modes(model, analysis.spec);
                       return runner.run(analysis, stem);
                     }});
  }
  give_own_stems(parts);
  return parts;
}

Outcome failed_part(const Part& part, std::size_t index, const std::exception& error) {
  const std::string title =
      cat("analysis ", index + 1, " (", part.kind, part.name.empty() ? "" : cat(" '", part.name, "'"), ")");
  return {cat("lithe: error: ", title, " failed: ", failure_text(error), "\n"),
          {{"kind", part.kind}, {"failed", true}, {"message", failure_text(error)}},
          true};
}

// Controllers that some analysis of the file lets act.
std::vector<int> controllers_used(const std::vector<Part>& parts) {
  std::vector<int> used;
  for (const Part& part : parts) used.insert(used.end(), part.controllers.begin(), part.controllers.end());
  return used;
}

int run(const PartialModel& robot, const Options& options, const Output& output) {
  const Model& model = robot.model;
  const std::vector<Part> parts = parts_of(robot);
  require_consent(model, controllers_used(parts));
  if (parts.empty())
    throw InputError(cat(options.file, ": the file asks for no analysis; add [[analyses]] or use another command"));
  Runner runner(model, place_of(model, options.directory, parts), output.style());
  nlohmann::json list = nlohmann::json::array();
  const InterruptGuard guard;
  bool failed = false, any = false;
  std::exception_ptr first;
  for (std::size_t i = 0; i < parts.size() && !interrupted(); ++i) {
    Outcome outcome;
    try {
      outcome = parts[i].run(runner, parts[i].files.stem);
      any = true;
    } catch (const std::exception& error) {
      if (!first) first = std::current_exception();
      if (!any && i + 1 == parts.size()) std::rethrow_exception(first);  // nothing to keep
      outcome = failed_part(parts[i], i, error);
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
  return action_on_robot(options, run);
}

const CommandRegistration registration({.name = "run",
                                        .rank = 20,
                                        .summary = "All analyses that a model file asks for",
                                        .examples = "  lithe run arm.toml\n",
                                        .set_up = set_up});

}  // namespace
}  // namespace lithe::app
