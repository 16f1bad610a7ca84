#include <chrono>
#include <memory>
#include <optional>

#include "app/inspected_model.h"
#include "app/motion.h"
#include "app/reports.h"
#include "app/result_directory.h"
#include "app/verb.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/export/gltf.h"
#include "lithe/export/vtk.h"
#include "lithe/integrate/sundials.h"
#include "lithe/results/checkpoint.h"
#include "lithe/results/motion.h"

namespace lithe::app {
namespace {

struct Options {
  std::vector<std::string> controllers;
  std::string file, directory, checkpoint, restart;
  std::optional<double> end, step, output_step, tolerance, spectral_radius;
  std::optional<std::string> integrator, formulation, gauge, variant, reference;
  double checkpoint_interval = 0;
  bool ignore_limits = false, stop_at_limits = false, stiffening = false, no_stiffening = false, vtk = false,
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
  if (!options.checkpoint.empty()) {
    if (result.checkpoint_interval <= 0) result.checkpoint_interval = result.end_time / 10;
    result.checkpoint = [path = options.checkpoint](const Checkpoint& now) { write_checkpoint(now, path); };
  }
  return result;
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

// What belongs to other equations would be ignored.
void refuse_what_does_not_apply(const Options& options, const std::string& formulation) {
  const auto refuse = [&](const char* option, const char* owners) {
    throw InputError(cat(option, " belongs to ", owners, "; the formulation is ", formulation));
  };
  const bool fem = formulation == "erls-fem", floating = formulation == "floating-frame";
  if (options.gauge && !fem && formulation != "erls-cms") refuse("--gauge", "erls-cms and erls-fem");
  if (options.variant && !fem && *options.variant != "full") refuse("--variant", "erls-fem");
  if (options.reference && !floating) refuse("--reference", "floating-frame");
  if ((options.stiffening || options.no_stiffening) && !floating && !fem && formulation != "erls-cms")
    refuse(options.stiffening ? "--geometric-stiffening" : "--no-geometric-stiffening",
           "erls-cms, erls-fem and floating-frame");
}

int run(const Model& model, const Options& options, const Output& output) {
  FormulationChoice choice;
  if (const AnalysisRequest* request = find_analysis(model, AnalysisKind::simulate)) apply_settings(*request, choice);
  if (options.formulation) choice.formulation = *options.formulation;
  refuse_what_does_not_apply(options, choice.formulation);
  if (options.gauge) choice.gauge = *options.gauge;
  if (options.variant) choice.variant = *options.variant;
  if (options.reference) choice.reference = *options.reference;
  if (options.stiffening || options.no_stiffening) choice.geometric_stiffening = !options.no_stiffening;
  const std::unique_ptr<Equations> equations = make_equations(model, choice);
  std::optional<Checkpoint> from;
  if (!options.restart.empty()) from = read_checkpoint(options.restart);
  const auto begin = std::chrono::steady_clock::now();
  const Trajectory motion =
      run_simulation(*equations, simulate_options(model, options), from ? &*from : nullptr, options.controllers);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (!options.checkpoint.empty()) write_checkpoint(motion.last, options.checkpoint);  // also after Ctrl-C
  const std::filesystem::path directory = result_directory(options.directory, model);
  auto paths = write_motion(motion, directory, "motion");
  Report report = simulation_report(*equations, motion, taken.count());
  export_motion(*equations, motion, report, options, directory, paths);
  save_report(std::move(report), directory, paths);
  if (output.json()) {
    nlohmann::json value = motion_json(motion);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(motion_text(motion, output.style()) + "\n" + where_results_lie(paths));
  }
  return motion.end == RunEnd::failed ? exit_failed : exit_ok;
}

Action set_up(Command& command) {
  auto options = std::make_shared<Options>();
  command.add_option("FILE", options->file, "Model file (TOML)").required();
  command.add_option("--end", options->end, "Time at which to end, s");
  command.add_option("--output-step", options->output_step, "Time between recorded values, s");
  command.add_option("--step", options->step, "Fixed step, s; default: steps chosen by the tolerance").positive();
  command.add_option("--tolerance", options->tolerance, "Error of node positions per second of motion, m");
  command.add_option("--integrator", options->integrator,
                     "automatic, exponential, dormand_prince, generalised_alpha, cvode, cvode_adams, arkode or "
                     "arkode_explicit");
  command.add_option("--spectral-radius", options->spectral_radius, "Of generalised_alpha, 0 to 1");
  command.add_option("--formulation", options->formulation, "Equations of motion").one_of(formulation_names());
  command.add_option("--gauge", options->gauge, "encoder or minimum_norm").one_of({"encoder", "minimum_norm"});
  command.add_option("--variant", options->variant, "Of erls-fem: full, or published as printed in the paper")
      .one_of({"full", "published"});
  command.add_option("--reference", options->reference, "Of floating-frame: tangent, chord or free");
  command.add_flag(
      "--geometric-stiffening", options->stiffening,
      "Of erls-cms, erls-fem, floating-frame: forces along beams change their bending stiffness (default)");
  command.add_flag("--no-geometric-stiffening", options->no_stiffening, "Of the same: without these terms");
  command
      .add_option("--controller", options->controllers,
                  "Controllers of the file that act, instead of the active ones; none: none of them")
      .separated_by_commas();
  command.add_flag("--stop-at-limits", options->stop_at_limits, "End where a joint reaches one of its limits");
  command.add_flag("--ignore-limits", options->ignore_limits, "Joints pass their limits freely");
  command.add_option("--checkpoint", options->checkpoint, "File that is rewritten along the way, to restart from");
  command.add_option("--checkpoint-interval", options->checkpoint_interval,
                     "Time between checkpoints, s; default: a tenth of the end time");
  command.add_option("--restart", options->restart, "Go on from this checkpoint");
  command.add_flag("--vtk", options->vtk, "Also write vtk/motion.pvd for ParaView");
  command.add_flag("--gltf", options->gltf, "Also write motion.glb, the animated mechanism as glTF");
  command.add_option("--gltf-scale", options->gltf_scale, "Magnify displacements in motion.glb").shows_default();
  command.add_option("-o,--output", options->directory, "Directory for results; results/<model name> by default");
  return action_on_model(options, run);
}

const VerbRegistration registration(
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
