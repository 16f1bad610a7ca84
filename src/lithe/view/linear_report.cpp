#include "lithe/view/linear_report.h"

#include <algorithm>
#include <numbers>

#include "lithe/analyse/motion/spectrum.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

ReportSpectrum response_plot(const LineariseResult& outcome, std::size_t output, std::size_t input) {
  const LinearModel& model = outcome.models.front();
  ReportSpectrum plot;
  plot.sensor = cat(model.outputs[output].name, " of ", model.inputs[input].name);
  plot.unit = quotient(model.outputs[output].unit, model.inputs[input].unit);
  plot.spectrum.frequencies = outcome.response_frequencies;
  for (const MatrixXc& h : outcome.response)
    plot.spectrum.values.push_back(std::abs(h(static_cast<Eigen::Index>(output), static_cast<Eigen::Index>(input))));
  plot.spectrum.peaks = find_peaks(plot.spectrum.frequencies, plot.spectrum.values, 8, 1e-3);
  return plot;
}

}  // namespace

std::string quotient(const std::string& above, const std::string& below) {
  return below.find(' ') == std::string::npos ? cat(above, "/", below) : cat(above, "/(", below, ")");
}

void add_linear(const LineariseResult& outcome, const LineariseSpec& settings, Report& report) {
  const State& state = outcome.models.front().state;
  if (!report.motion) report.motion = sample_configuration(*outcome.equations, state);
  if (outcome.about_rest) {
    const ModesResult found = mechanism_modes(*outcome.equations, state, settings.count);
    if (found.status == EvaluationStatus::ok)
      report.modes.push_back(mechanism_mode_set(*outcome.equations, state, found.modes, settings.count));
  }
  ReportTable table{
      .title = "eigenvalues",
      .columns = {{"mode", ""}, {"frequency", "Hz"}, {"damping ratio", ""}, {"real", "1/s"}, {"imaginary", "1/s"}},
      .rows = {}};
  const LinearModes& modes = outcome.modes.front();
  for (std::size_t k = 0; k < modes.eigenvalues.size() && static_cast<int>(k) < settings.count; ++k)
    table.rows.push_back({static_cast<double>(k + 1), modes.frequency(k), modes.damping_ratio(k),
                          modes.eigenvalues[k].real(), modes.eigenvalues[k].imag()});
  report.tables.push_back(table);
  ReportEigenvalues poles;
  poles.name = "eigenvalues";
  poles.parameter = settings.about == LineariseAbout::motion ? "time" : "";
  poles.unit = settings.about == LineariseAbout::motion ? "s" : "";
  poles.parameter_values = outcome.times;
  for (const LinearModes& each : outcome.modes) poles.eigenvalues.push_back(each.eigenvalues);
  report.eigenvalues.push_back(poles);
  if (outcome.campbell && !outcome.campbell->speeds.empty())
    report.eigenvalues.push_back({.name = cat("Campbell diagram of ", outcome.spin),
                                  .parameter = "speed",
                                  .unit = outcome.speed_unit,
                                  .parameter_values = outcome.campbell->speeds,
                                  .eigenvalues = outcome.campbell->eigenvalues,
                                  .excitation_orders = {1, 2},
                                  .hertz_per_unit = 1 / (2 * std::numbers::pi)});
  constexpr std::size_t most_plots = 24;
  for (std::size_t i = 0; !outcome.response.empty() && i < outcome.models.front().outputs.size(); ++i)
    for (std::size_t j = 0; j < outcome.models.front().inputs.size() && report.spectra.size() < most_plots; ++j) {
      ReportSpectrum plot = response_plot(outcome, i, j);
      const bool answers =
          std::any_of(plot.spectrum.values.begin(), plot.spectrum.values.end(), [](double value) { return value > 0; });
      if (answers) report.spectra.push_back(std::move(plot));
    }
  for (const std::string& note : outcome.notes) report.facts.emplace_back("note", note);
}

}  // namespace lithe
