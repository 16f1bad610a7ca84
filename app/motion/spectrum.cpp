#include <memory>

#include "app/motion/motion.h"
#include "app/motion/recording.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/terminal/result_directory.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/motion.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, sensor, directory, window = "hann";
  bool density = false;
  SpectrumOptions spectrum;
};

Report spectrum_report(const Options& options, const Recording& recording, const Column& column, const Spectrum& result,
                       const std::string& unit) {
  Report report;
  report.title = options.sensor;
  report.subtitle = cat("spectrum, ", options.window, " window");
  report.facts = {{"recorded in", std::filesystem::path(recording.file).filename().string()},
                  {"window", options.window},
                  {"line spacing", cat(number(result.line_spacing), " Hz")}};
  report.spectra.push_back({options.sensor, unit, "", result});
  ReportRun run;
  run.name = "recording";
  run.times = recording.times;
  run.columns.push_back(column);
  report.runs.push_back(std::move(run));
  return report;
}

int run(Options options, const Output& output) {
  options.spectrum.window = window_by_name(options.window);
  if (options.density) options.spectrum.scale = SpectrumScale::density;
  const Recording recording = in_si_where_known(read_recording(options.file));
  const auto found = recording.find(options.sensor);
  if (found.size() > 1)
    throw InputError(cat(recording.file, ": '", options.sensor, "' has several components; choose one, such as '",
                         found[0]->name, "'"));
  const Column& column = *found[0];
  const Spectrum result = spectrum(recording.times, column.values, options.spectrum);
  const std::string unit = options.density ? cat("(", column.unit, ")^2/Hz") : column.unit;
  const std::filesystem::path directory = options.directory.empty()
                                              ? std::filesystem::path(recording.file).parent_path()
                                              : std::filesystem::path(options.directory);
  const std::string stem = cat("spectrum_", file_name_of(options.sensor));
  auto paths = write_spectrum(result, options.sensor, unit, directory.empty() ? "." : directory, stem);
  // Beside the report of the motion, not in its place.
  save_report(spectrum_report(options, recording, column, result, unit), directory.empty() ? "." : directory, paths,
              cat("report_", stem));
  if (output.json()) {
    nlohmann::json value = spectrum_json(result, options.sensor, unit);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(cat("Spectrum of '", options.sensor, "', ", options.window, " window, lines every ",
                     number(result.line_spacing), " Hz\n\n", peaks_text(result, unit, output.style()), "\n",
                     where_results_lie(paths)));
  }
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  command.add_option("RESULT", options->file, "motion.csv of a simulation, its directory, or another CSV file")
      .required();
  command.add_option("--sensor", options->sensor, "Name of the recorded sensor, as in the file's heading").required();
  command.add_option("--window", options->window, "rectangular, hann, hamming, blackman or flat_top").shows_default();
  command.add_option("--resolution", options->spectrum.resolution, "Spacing of the lines by zero padding, Hz")
      .positive();
  command.add_option("--max-frequency", options->spectrum.max_frequency, "Highest frequency, Hz").positive();
  command.add_option("--segments", options->spectrum.segments, "Average over so many overlapping segments (Welch)")
      .between(1, 100000);
  command.add_option("--peaks", options->spectrum.num_peaks, "How many peaks").between(0, 1000000).shows_default();
  command
      .add_option("--prominence", options->spectrum.prominence,
                  "Minimum height of a peak above its surroundings, as "
                  "a fraction of the highest")
      .shows_default();
  command.add_flag("--density", options->density, "Power spectral density in place of amplitudes");
  command.add_option("-o,--output", options->directory, "Directory for results; beside RESULT by default");
  return [options](const Output& output) { return run(*options, output); };
}

const CommandRegistration registration(
    {.name = "spectrum",
     .rank = 45,
     .summary = "Spectrum and peaks of a recorded sensor",
     .examples = "  lithe spectrum results/L-shape/motion.csv --sensor 'elbow acceleration z' --resolution 0.05\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
