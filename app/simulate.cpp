#include <cstdlib>
#include <memory>
#include <optional>

#include "app/command.h"
#include "app/consent.h"
#include "app/control_choice.h"
#include "app/inspected_model.h"
#include "app/interrupt.h"
#include "app/mode_choice.h"
#include "app/motion.h"
#include "app/recorded_motion.h"
#include "app/reports.h"
#include "app/result_directory.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/export/gltf.h"
#include "lithe/export/vtk.h"
#include "lithe/integrate/sundials.h"
#include "lithe/results/checkpoint.h"
#include "lithe/results/stress_peak.h"

namespace lithe::app {
namespace {

struct Options {
  std::vector<std::string> controllers;
  std::string file, directory, checkpoint, restart;
  std::optional<double> end, step, output_step, tolerance, spectral_radius;
  std::optional<std::string> integrator, formulation, gauge, variant, reference;
  double checkpoint_interval = 0;
  std::optional<double> pace;
  bool real_time = false;
  bool ignore_limits = false, stop_at_limits = false, geometric_stiffening = false, straight = false, vtk = false,
       gltf = false;
  double gltf_scale = 1;
};

// The first simulation of the file, changed by what the command line says.
SimulateOptions simulate_options(const Model& model, const Options& options) {
  SimulateOptions result;
  if (const AnalysisRequest* request = find_analysis(model, AnalysisKind::simulate)) apply_settings(*request, result);
  if (options.end) result.end_time = *options.end;
  if (options.output_step) result.output_step = *options.output_step;
  if (options.step) result.integration.fixed_step = *options.step;
  if (options.tolerance) result.integration.tolerance = *options.tolerance;
  if (options.spectral_radius) result.integration.spectral_radius = *options.spectral_radius;
  if (options.integrator) result.integrator = *options.integrator;
  if (options.stop_at_limits) result.end_stops = EndStops::stop;
  if (options.ignore_limits) result.end_stops = EndStops::ignore;
  result.checkpoint_interval = options.checkpoint_interval;
  if (!options.checkpoint.empty() && result.checkpoint_interval <= 0) result.checkpoint_interval = result.end_time / 10;
  return result;
}

// Of the run that is continued, unless another model, table, setting or version of the program is at work here.
void check_restart(const Options& options, const SavedCheckpoint& saved, const Signature& now, double end_time) {
  if (const std::string change = saved.signature.difference_to(now); !change.empty())
    throw InputError(cat(options.restart, ": cannot restart from this file: ", change));
  if (saved.checkpoint.state.time >= end_time)
    throw InputError(cat(options.restart, ": the run is complete: the checkpoint is at ", saved.checkpoint.state.time,
                         " s, the end is at ", end_time, " s; a later --end continues it"));
}

// A restart without an interval of its own goes on with that of the run.
double restart_interval(const Options& options, const SavedCheckpoint& saved) {
  if (options.checkpoint_interval > 0) return options.checkpoint_interval;
  return std::strtod(saved.signature.value(checkpoint_interval_name).c_str(), nullptr);
}

// The controllers' samples wait for the clock of the wall. Null: as fast as can be.
std::shared_ptr<Pacer> make_pacer(const Equations& equations, const Options& options, SimulateOptions& simulation) {
  if (!options.pace && !options.real_time) return nullptr;
  simulation.control = active_control(equations, options.controllers);
  if (!simulation.control)
    throw InputError("--real-time and --pace need a controller, whose samples wait for the clock; none acts");
  auto pacer = std::make_shared<Pacer>(options.pace.value_or(1), &interrupt_flag());
  simulation.control->keep_pace(pacer);
  return pacer;
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

// What belongs to other equations would be ignored.
void refuse_what_does_not_apply(const Options& options, const std::string& formulation) {
  const auto refuse = [&](const char* option, const char* owners) {
    throw InputError(cat(option, " belongs to ", owners, "; the formulation is ", formulation));
  };
  const bool fem = formulation == "erls-fem", floating = formulation == "floating-frame";
  if (options.gauge && !fem && formulation != "erls-cms") refuse("--gauge", "erls-cms and erls-fem");
  if (options.variant && !fem && *options.variant != "full") refuse("--variant", "erls-fem");
  if (options.reference && !floating) refuse("--reference", "floating-frame");
  if (options.geometric_stiffening && !fem && !floating && formulation != "erls-cms")
    refuse("--geometric-stiffening", "erls-cms, erls-fem and floating-frame");
}

int run(const Model& model, const Options& options, const Output& output) {
  require_consent(model, acting_controllers(model, options.controllers));
  FormulationChoice choice;
  if (const AnalysisRequest* request = find_analysis(model, AnalysisKind::simulate)) apply_settings(*request, choice);
  if (options.formulation) choice.formulation = *options.formulation;
  refuse_what_does_not_apply(options, choice.formulation);
  if (options.gauge) choice.gauge = *options.gauge;
  if (options.variant) choice.variant = *options.variant;
  if (options.reference) choice.reference = *options.reference;
  if (options.geometric_stiffening) choice.geometric_stiffening = true;
  leave_out_quadratic_elongation(options.straight, choice);
  SimulateOptions wanted = simulate_options(model, options);
  std::optional<SavedCheckpoint> from;
  if (!options.restart.empty()) from = load_checkpoint(options.restart);
  if (from) wanted.checkpoint_interval = restart_interval(options, *from);
  RecordPlan plan;
  plan.directory = result_directory(options.directory, model);
  plan.controllers = options.controllers;
  plan.signature = run_signature(model, choice, wanted, options.controllers);
  if (from) check_restart(options, *from, plan.signature, wanted.end_time);
  plan.from = from ? &from->checkpoint : nullptr;
  forget_mode_choice_of(choice.formulation);
  const std::unique_ptr<Equations> equations = make_equations(model, choice);
  if (!options.checkpoint.empty()) {
    try_checkpoint_place(options.checkpoint);
    plan.keeps_recording = true;
    wanted.checkpoint = [&](const Checkpoint& now) { save_checkpoint(now, options.checkpoint, plan.signature); };
  }
  const std::shared_ptr<Pacer> pacer = make_pacer(*equations, options, wanted);
  auto [motion, paths] = record_motion(*equations, wanted, plan);
  Report report = simulation_report(*equations, motion);
  export_motion(*equations, motion, report, options, plan.directory, paths);
  const std::vector<StressPeak> stresses =
      report.motion ? stress_peaks(*report.scene, *report.motion) : std::vector<StressPeak>();
  save_report(std::move(report), plan.directory, paths, plan.stem);
  // Last of all: with it, all is done. An interrupted run goes on from its last regular checkpoint, bit by bit.
  if (!options.checkpoint.empty() && motion.end == RunEnd::finished)
    save_checkpoint(motion.last, options.checkpoint, plan.signature);
  if (output.json()) {
    nlohmann::json value = motion_json(motion);
    value["stress"] = stresses_json(stresses);
    value["files"] = paths_json(paths);
    if (pacer) value["pace"] = pace_json(pacer->report());
    output.print(value);
  } else {
    const std::string largest = stresses.empty() ? "" : cat("Largest stress: ", stresses.front().text(), "\n");
    const std::string pace = pacer ? pace_text(pacer->report()) : "";
    output.print(motion_text(motion, output.style()) + largest + pace + "\n" + where_results_lie(paths));
  }
  return motion.end == RunEnd::failed ? exit_failed : exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  command.add_option("--end", options->end, "Time at which to end, s").positive();
  command.add_option("--output-step", options->output_step, "Time between recorded values, s").positive();
  command.add_option("--step", options->step, "Fixed step, s; default: steps chosen by the tolerance").positive();
  command.add_option("--tolerance", options->tolerance, "Error of node positions per second of motion, m").positive();
  command.add_option("--integrator", options->integrator,
                     "automatic, exponential, dormand_prince, generalised_alpha, radau, cvode, cvode_adams, arkode or "
                     "arkode_explicit");
  command.add_option("--spectral-radius", options->spectral_radius, "Of generalised_alpha, 0 to 1");
  command.add_option("--formulation", options->formulation, "Equations of motion").one_of(formulation_names());
  command.add_option("--gauge", options->gauge, "encoder or minimum_norm").one_of({"encoder", "minimum_norm"});
  command
      .add_option("--variant", options->variant,
                  "Of erls-fem: full; or, as papers print it, published ([CMP]) or published_planar ([EVO])")
      .one_of({"full", "published", "published_planar"});
  command.add_option("--reference", options->reference, "Of floating-frame: tangent, chord or free");
  command.add_flag("--geometric-stiffening", options->geometric_stiffening,
                   "Of erls-cms, erls-fem and floating-frame: fast rotation stiffens an arm");
  command.add_flag("--without-quadratic-elongation", options->straight, straight_elongation_help);
  command
      .add_option("--controller", options->controllers,
                  "Controllers of the file that act, instead of the active ones; none: none of them")
      .separated_by_commas();
  command.add_flag("--real-time", options->real_time,
                   "Every sample of a controller waits for the clock; missed deadlines are counted");
  command.add_option("--pace", options->pace, "The same, so many simulated seconds per second").positive();
  command.add_flag("--stop-at-limits", options->stop_at_limits, "End where a joint reaches one of its limits");
  command.add_flag("--ignore-limits", options->ignore_limits, "Joints pass their limits freely");
  command.add_option("--checkpoint", options->checkpoint, "File that is rewritten along the way, to restart from");
  command
      .add_option("--checkpoint-interval", options->checkpoint_interval,
                  "Time between checkpoints, s; default: a tenth of the end time")
      .positive();
  command.add_option("--restart", options->restart, "Go on from this checkpoint");
  command.add_flag("--vtk", options->vtk, "Also write vtk/motion.pvd for ParaView");
  command.add_flag("--gltf", options->gltf, "Also write motion.glb, the animated mechanism as glTF");
  command.add_option("--gltf-scale", options->gltf_scale, "Magnify displacements in motion.glb").shows_default();
  command.add_option("-o,--output", options->directory, "Directory for results; results/<model name> by default");
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
