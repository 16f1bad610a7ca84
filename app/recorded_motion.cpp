#include "app/recorded_motion.h"

#include <iostream>

#include "app/interrupt.h"
#include "app/output.h"
#include "app/sources.h"
#include "lithe/base/text.h"
#include "lithe/base/write_error.h"
#include "lithe/results/motion.h"
#include "lithe/results/recording_file.h"

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

Signature run_signature(const Model& model, const FormulationChoice& choice, const SimulateOptions& options,
                        const std::vector<std::string>& controllers) {
  static const char* const stops[] = {"springs", "stop", "ignored"};
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
  setting("geometric_stiffening", choice.geometric_stiffening ? "true" : "false");
  setting("integrator", options.integrator);
  setting("tolerance", exact(options.integration.tolerance));
  setting("step", exact(options.integration.fixed_step));
  setting("spectral_radius", exact(options.integration.spectral_radius));
  setting("output_step", exact(options.output_step));
  setting("limits", stops[static_cast<int>(options.end_stops)]);
  setting("controllers", joined(controllers));
  for (const Link& link : model.links)  // also where the program chose them
    if (link.reduction.num_internal_modes)
      signature.add(cat("the number of modes of link ", link.name), cat(*link.reduction.num_internal_modes));
  signature.add(checkpoint_interval_name, exact(options.checkpoint_interval));
  return signature;
}

RecordedMotion record_motion(const Equations& equations, SimulateOptions options, const RecordPlan& plan) {
  const InterruptGuard guard;  // results are written in peace
  const std::unique_ptr<RecordingFile> file = open_recording(equations, plan);
  options.recorder = file.get();
  options.max_rows = rows_in_memory;
  options.max_states = states_in_memory;
  Checkpoint start;
  if (plan.from) start = *plan.from;
  if (plan.from && file->num_rows() == 0) {
    note(cat("warning: the recording up to ", number(start.state.time), " s is not in ", plan.directory.string(),
             "; the results begin there"));
    start.so_far.num_recorded = 0;
  } else if (plan.from) {
    options.recorded_before = [&](const std::function<void(const RecordedInstant&)>& take) { file->for_each(take); };
  }
  RecordedMotion result;
  try {
    result.motion = run_simulation(equations, std::move(options), plan.from ? &start : nullptr, plan.controllers);
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

void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path, const Signature& signature) {
  try {
    write_checkpoint(checkpoint, path, signature);
  } catch (const WriteError& error) {
    note(cat("warning: no checkpoint at ", number(checkpoint.state.time), " s: ", error.what()));
  }
}

}  // namespace lithe::app
