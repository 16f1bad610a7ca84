#include <cstdlib>
#include <memory>
#include <optional>

#include "app/models/inspected_model.h"
#include "app/models/mode_choice.h"
#include "app/models/model_warnings.h"
#include "app/motion/motion.h"
#include "app/motion/recorded_motion.h"
#include "app/pages/reports.h"
#include "app/pages/what_if.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "lithe/analyse/inspect/reduction_check.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/pacer.h"
#include "lithe/export/gltf.h"
#include "lithe/export/vtk.h"
#include "lithe/results/recording/checkpoint.h"
#include "lithe/results/scene/stress_peak.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, directory, checkpoint, restart, frozen;
  SpecOptions<SimulateSpec> spec;
  std::optional<double> pace;
  bool real_time = false, vtk = false, gltf = false;
  double gltf_scale = 1;
  WhatIfChoice what_if;
};

// Of the run that is continued, unless another model, table, setting or version of the program is at work here.
void check_restart(const Options& options, const SavedCheckpoint& saved, const Signature& now, double end_time) {
  if (const std::string change = saved.signature.difference_to(now); !change.empty())
    throw InputError(cat(options.restart, ": cannot restart from this file: ", change));
  if (saved.checkpoint.state.time >= end_time)
    throw InputError(cat(options.restart, ": the run is complete: the checkpoint is at ", saved.checkpoint.state.time,
                         " s, the end is at ", end_time, " s; a later --end continues it"));
}

// Time between checkpoints that are asked for without one; a restart goes on with that of the run.
double checkpoint_interval(const Options& options, const SimulateSpec& spec, const SavedCheckpoint* from) {
  if (spec.checkpoint_interval > 0) return spec.checkpoint_interval;
  if (from) return std::strtod(from->signature.value(checkpoint_interval_name).c_str(), nullptr);
  return options.checkpoint.empty() ? 0 : spec.end_time / 10;
}

// The controllers' samples wait for the clock of the wall. Null: as fast as can be.
std::shared_ptr<Pacer> make_pacer(const Model& model, const Options& options, const SimulateSpec& spec) {
  if (!options.pace && !options.real_time) return nullptr;
  if (controllers_of(model, spec).empty())
    throw InputError("--real-time and --pace need a controller, whose samples wait for the clock; none acts");
  return std::make_shared<Pacer>(options.pace.value_or(1), &interrupt_flag());
}

std::string pace_text(const PaceReport& pace) {
  std::string text = cat("\nPaced by the clock: ", pace.samples, " samples in ", number(pace.elapsed, 4), " s, ",
                         pace.missed, " deadlines missed");
  if (pace.missed > 0)
    text += cat(", worst lateness ", number(1e3 * pace.worst, 3), " ms at ", number(pace.worst_time, 4), " s");
  return text + cat("; waited ", number(pace.elapsed > 0 ? 100 * pace.waited / pace.elapsed : 0, 3),
                    " % of the time, woken up at most ", number(1e3 * pace.worst_wake_up, 3), " ms late\n");
}

nlohmann::json pace_json(const PaceReport& pace) {
  return {{"samples", pace.samples},
          {"missed_deadlines", pace.missed},
          {"worst_lateness_s", pace.worst},
          {"worst_lateness_at_s", pace.worst_time},
          {"worst_wake_up_s", pace.worst_wake_up},
          {"waited_s", pace.waited},
          {"elapsed_s", pace.elapsed}};
}

// Files for other programs to draw the motion with.
void export_motion(const Equations& equations, const Trajectory& motion, const Report& report, const Options& options,
                   const std::filesystem::path& directory, std::vector<std::filesystem::path>& paths) {
  if (motion.states.empty()) return;
  if (options.vtk) paths.push_back(write_vtk(*report.scene, *report.motion, directory / "vtk", "motion").front());
  if (!options.gltf) return;
  SampleOptions coarse;  // programs that read glTF take fewer shapes and frames
  coarse.max_frames = 600;
  coarse.tolerance = 1e-5;
  const SceneMotion sampled = sample_motion(equations, motion, coarse);
  paths.push_back(write_gltf(gltf_binary(*report.scene, sampled, options.gltf_scale), directory, "motion.glb"));
}

// Largest von Mises stress of each link of beams.
nlohmann::json stresses_json(const std::vector<StressPeak>& peaks) {
  nlohmann::json list = nlohmann::json::array();
  for (const StressPeak& peak : peaks)
    list.push_back({{"link", peak.link}, {"von_mises_pa", peak.von_mises}, {"at", peak.place}, {"time_s", peak.time}});
  return list;
}

// Where the results go, tried before they are computed.
std::filesystem::path place_of(const Model& model, const Options& options) {
  std::vector<std::string> names{"motion.csv", "motion.h5", "motion.html"};
  if (options.gltf) names.emplace_back("motion.glb");
  add_what_if_name(options.what_if, "motion", names);
  const std::filesystem::path directory = tried_directory(options.directory, model, names);
  if (options.vtk) try_file(directory / "vtk" / "motion.pvd");
  return directory;
}

int run(const Model& model, const Options& options, const Output& output) {
  SimulateSpec spec = options.spec.of(model);
  warn_on_modes(model, spec);
  require_consent(model, controllers_of(model, spec));
  check_freeze(model, options.frozen);
  std::optional<SavedCheckpoint> from;
  if (!options.restart.empty()) from = load_checkpoint(options.restart);
  spec.checkpoint_interval = checkpoint_interval(options, spec, from ? &*from : nullptr);
  std::optional<WhatIfPage> what_if = what_if_page(options.what_if, model, "motion", spec);
  RecordPlan plan;
  plan.directory = place_of(model, options);
  plan.signature = run_signature(model, spec);
  if (from) check_restart(options, *from, plan.signature, spec.end_time);
  plan.from = from ? &from->checkpoint : nullptr;
  if (!options.checkpoint.empty()) {
    try_checkpoint_place(options.checkpoint);
    plan.keeps_recording = true;
    plan.checkpoint = [&](const Checkpoint& now) { save_checkpoint(now, options.checkpoint, plan.signature); };
  }
  const std::shared_ptr<Pacer> pacer = plan.pacer = make_pacer(model, options, spec);
  auto [motion, paths] = record_motion(model, spec, plan);
  const Equations& moved = *motion.equations;
  Report report = simulation_report(moved, motion);
  export_motion(moved, motion, report, options, plan.directory, paths);
  const std::vector<StressPeak> stresses =
      report.motion ? stress_peaks(*report.scene, *report.motion) : std::vector<StressPeak>();
  if (what_if) paths.push_back(what_if->save(report, plan.directory, plan.stem));
  save_report(std::move(report), plan.directory, paths, plan.stem);
  // Last of all: with it, all is done. An interrupted run goes on from its last regular checkpoint, bit by bit.
  if (!options.checkpoint.empty() && motion.end == RunEnd::finished)
    save_checkpoint(motion.last, options.checkpoint, plan.signature);
  const std::string frozen = freeze(model, motion.reduction.get(), options.frozen);
  if (output.json()) {
    nlohmann::json value = motion_json(motion);
    add_mode_choice(model, motion.reduction.get(), value);
    value["stress"] = stresses_json(stresses);
    value["files"] = paths_json(paths);
    if (pacer) value["pace"] = pace_json(pacer->report());
    output.print(value);
  } else {
    const std::string largest = stresses.empty() ? "" : cat("Largest stress: ", stresses.front().text(), "\n");
    const std::string pace = pacer ? pace_text(pacer->report()) : "";
    output.print(motion_text(motion, output.style()) + largest + pace + frozen + "\n" + where_results_lie(paths));
  }
  return motion.end == RunEnd::failed ? exit_failed : exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  SpecOptions<SimulateSpec>& spec = options->spec;
  add_motion(command, spec, [](SimulateSpec& own) -> SimulateSpec& { return own; });
  add_formulation_options(command, spec, &SimulateSpec::formulation);
  spec.add(command, "--controllers,--controller", &SimulateSpec::controllers,
           "Controllers of the file that act, instead of the active ones; none: none of them")
      .separated_by_commas();
  command.add_flag("--real-time", options->real_time,
                   "Every sample of a controller waits for the clock; missed deadlines are counted");
  command.add_option("--pace", options->pace, "The same, so many simulated seconds per second").positive();
  spec.add_flag(command, "--stop-at-limits", &SimulateSpec::end_stops, "End where a joint reaches one of its limits",
                EndStops::stop);
  spec.add_flag(command, "--ignore-limits", &SimulateSpec::end_stops, "Joints pass their limits freely",
                EndStops::ignore);
  command.add_option("--checkpoint", options->checkpoint, "File that is rewritten along the way, to restart from");
  spec.add(command, "--checkpoint-interval", &SimulateSpec::checkpoint_interval,
           "Time between checkpoints, s; default: a tenth of the end time")
      .positive();
  command.add_option("--restart", options->restart, "Go on from this checkpoint");
  add_freeze_option(command, options->frozen);
  command.add_flag("--vtk", options->vtk, "Also write vtk/motion.pvd for ParaView");
  command.add_flag("--gltf", options->gltf, "Also write motion.glb, the animated mechanism as glTF");
  command.add_option("--gltf-scale", options->gltf_scale, "Magnify displacements in motion.glb").shows_default();
  add_what_if(command, options->what_if);
  command.add_option("-o,--output", options->directory, output_help);
  return action_on_model(options, run);
}

const CommandRegistration registration(
    {.name = "simulate",
     .rank = 40,
     .summary = "Motion in time",
     .examples = "  lithe simulate arm.toml --end 2\n"
                 "  lithe simulate arm.toml --integrator dormand_prince --tolerance 1e-8\n"
                 "  lithe simulate arm.toml --checkpoint arm.checkpoint --checkpoint-interval 0.5\n"
                 "  lithe simulate arm.toml --restart arm.checkpoint --checkpoint-interval 0.5\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
