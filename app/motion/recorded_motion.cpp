#include "app/motion/recorded_motion.h"

#include <iostream>

#include "app/models/sources.h"
#include "app/terminal/output.h"
#include "lithe/analyse/reduction/observations.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/formulate/formulation.h"
#include "lithe/results/motion.h"
#include "lithe/results/recording/recording_file.h"

namespace lithe::app {
namespace {

std::string exact(double value) { return number(value, 17); }

void note(const std::string& text) { std::cerr << "lithe: " << text << '\n'; }

std::unique_ptr<RecordingFile> open_recording(const Equations& equations, const RecordPlan& plan) {
  const RecordingHeading heading{plan.signature, equations.model().name, equations.name(), {}, {}};
  std::unique_ptr<RecordingFile> file;
  if (plan.from) file = RecordingFile::resume(plan.directory, plan.stem, heading, plan.from->so_far.num_recorded);
  if (!file) file = std::make_unique<RecordingFile>(plan.directory, plan.stem, heading);
  tell_set_aside(*file);
  return file;
}

}  // namespace

void tell_where(const RecordingFile& file) {
  if (file.num_rows() > 1)
    note(cat("note: the ", file.num_rows(), " instants up to ", number(file.last_time()), " s are in ",
             file.path().string(), "; `lithe recover ", file.path().string(), "` makes results of them"));
}

void tell_set_aside(const RecordingFile& file) {
  if (!file.set_aside().empty())
    note(cat("note: an interrupted run left its recording here; it is now ", file.set_aside().string(),
             ", and `lithe recover` makes results of it"));
}

Signature run_signature(const Model& model, const SimulateSpec& spec) {
  static const char* const stops[] = {"springs", "stop", "ignored"};
  const FormulationChoice& choice = spec.formulation;
  Signature signature;
  add_sources(model, signature);
  const auto setting = [&](const char* name, const std::string& value) {
    signature.add(cat("the setting ", name), value);
  };
  setting("formulation", choice.formulation);
  setting("gauge", choice.gauge);
  setting("variant", choice.variant);
  setting("reference", choice.reference);
  setting("bending_shortens", choice.bending_shortens ? "true" : "false");
  static const char* const stiffenings[] = {"auto", "true", "false"};
  setting("geometric_stiffening", stiffenings[static_cast<int>(choice.geometric_stiffening)]);
  setting("integrator", spec.integrator);
  setting("tolerance", exact(spec.tolerance));
  setting("step", exact(spec.step));
  setting("spectral_radius", exact(spec.spectral_radius));
  setting("output_step", exact(spec.output_step));
  setting("limits", stops[static_cast<int>(spec.end_stops)]);
  setting("controllers", joined(spec.controllers));
  signature.add(checkpoint_interval_name, exact(spec.checkpoint_interval));
  return signature;
}

RecordedMotion record_motion(const std::shared_ptr<const Equations>& equations, const SimulateSpec& spec,
                             const RecordPlan& plan) {
  const InterruptGuard guard;  // results are written in peace
  const std::unique_ptr<RecordingFile> file = open_recording(*equations, plan);
  Checkpoint start;
  if (plan.from) start = *plan.from;
  const bool continues = plan.from && file->num_rows() > 0;
  if (plan.from && !continues) {
    note(cat("warning: the recording up to ", number(start.state.time), " s is not in ", plan.directory.string(),
             "; the results begin there"));
    start.so_far.num_recorded = 0;
  }
  const auto run = [&] {
    TerminalHooks terminal("simulate");
    SimulateHooks& hooks = terminal.hooks();
    hooks.recorder = file.get();
    hooks.max_rows = rows_in_memory;
    hooks.max_states = states_in_memory;
    hooks.checkpoint = plan.checkpoint;
    hooks.pacer = plan.pacer;
    if (plan.from) hooks.restart = &start;
    if (continues)
      hooks.recorded_before = [&](const std::function<void(const RecordedInstant&)>& take) { file->for_each(take); };
    return simulate(equations, spec, hooks);
  };
  RecordedMotion result;
  try {
    result.motion = run();
    RecordingReader rows(file->path());
    result.paths = write_motion(result.motion, rows, plan.directory, plan.stem);
  } catch (...) {
    tell_where(*file);
    throw;
  }
  const bool restarts = plan.keeps_recording || (plan.from && result.motion.end != RunEnd::finished);
  restarts ? file->complete() : file->remove();
  return result;
}

RecordedMotion record_motion(const Model& model, const SimulateSpec& spec, const RecordPlan& plan) {
  if (!leaves_modes_open(model, spec.formulation.formulation))
    return record_motion(std::shared_ptr<const Equations>(make_equations(model, spec.formulation)), spec, plan);
  if (plan.from || plan.checkpoint || plan.pacer)
    throw InputError(
        "checkpoints, restarts and a clock need fixed numbers of modes, not reduction = \"auto\": "
        "--freeze-reduction FILE without them writes those that are chosen into a file");
  RecordedMotion last;
  ModeChoice choice = choose_modes(model, [&](const Model& rung) {
    last = record_motion(std::shared_ptr<const Equations>(make_equations(rung, spec.formulation)), spec, plan);
    return observe_motion(last.motion, *last.motion.equations);
  });
  last.motion.notes.push_back(describe(choice));
  last.motion.reduction = std::make_shared<const ModeChoice>(std::move(choice));
  return last;
}

void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path, const Signature& signature) {
  try {
    write_checkpoint(checkpoint, path, signature);
  } catch (const WriteError& error) {
    note(cat("warning: no checkpoint at ", number(checkpoint.state.time), " s: ", error.what()));
  }
}

}  // namespace lithe::app
