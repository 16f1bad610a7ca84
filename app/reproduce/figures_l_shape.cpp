// The figures of [CMS] (3, 4, 6, 7, 8) and [CMP] (4 to 7): the L-shape released under gravity and driven by a torque.
#include <algorithm>
#include <cmath>
#include <memory>

#include "app/program/embedded.h"
#include "app/reproduce/cmp_frequencies.h"
#include "app/reproduce/papers/l_shape.h"
#include "app/reproduce/reproduce.h"
#include "app/reproduce/reproduce_figures.h"
#include "app/terminal/output.h"
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/motion/spectrum.h"
#include "lithe/base/text.h"
#include "lithe/formulate/formulation.h"
#include "lithe/view/plot.h"

namespace lithe::app {
namespace {

constexpr double sample_step = 2e-4;  // s: the spectra show up to 2.5 kHz

Sensor tip_acceleration() {
  Sensor sensor;
  sensor.name = "tip acceleration z";
  sensor.quantity = Quantity::acceleration;
  sensor.link = 0;
  sensor.node = 2;
  sensor.component = 2;
  return sensor;
}

Trajectory move(Model model, const char* formulation, double end, double step) {
  model.sensors.push_back(tip_acceleration());
  const std::unique_ptr<Equations> equations = make_equations(model, {.formulation = formulation});
  SimulateOptions options;
  options.end_time = end;
  options.output_step = step;
  options.integration.tolerance = 1e-6;
  options.energy_balance = options.keep_states = false;
  return simulate(*equations, start_state(*equations), options);
}

// Up to 18 modes of the exported reduction, or all 30 of the mesh.
Model steel(int modes) {
  Model model = read_example("l_shape_steel");
  if (modes == 30) model.links[0].reduction = {};
  if (modes < 30) model.links[0].reduction.num_kept_modes = modes - 6;
  return model;
}

Model study(const LShapeRun& run) {
  return published_l_shape(read_example(published_l_shape_model(run.elements, run.exported)), run);
}

PlotCurve curve_of(const Trajectory& motion, const char* column, const std::string& label, double from = -1,
                   double to = 1e9) {
  const Column* found = motion.column(column);
  PlotCurve curve{label, found ? found->unit : "", {}, {}};
  for (std::size_t i = 0; found && i < motion.times.size(); ++i) {
    if (motion.times[i] < from || motion.times[i] > to) continue;
    curve.x.push_back(motion.times[i]);
    curve.y.push_back(found->values[i]);
  }
  return curve;
}

double value_at(const Trajectory& motion, const char* column, double time) {
  const auto at = std::lower_bound(motion.times.begin(), motion.times.end(), time - 1e-9) - motion.times.begin();
  return motion.column(column)->values[std::min<std::size_t>(static_cast<std::size_t>(at), motion.times.size() - 1)];
}

// Largest difference of two recordings over the reach of the first.
double difference(const Trajectory& a, const Trajectory& b, const char* column) {
  const std::vector<double>&x = a.column(column)->values, &y = b.column(column)->values;
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest / std::max(1e-300, *most - *least);
}

// Plots below each other in one picture, (a), (b), ...
std::string stacked(const std::vector<std::pair<std::vector<PlotCurve>, PlotOptions>>& parts) {
  Drawing all;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    PlotOptions own = parts[k].second;
    own.title = cat("(", static_cast<char>('a' + k), ") ", own.title);
    Drawing part = draw_plot(parts[k].first, own);
    for (DrawnLine& line : part.lines) {
      for (DrawnPoint& point : line.points) point.y += all.height;
      all.lines.push_back(std::move(line));
    }
    for (DrawnText& text : part.texts) {
      text.at.y += all.height;
      all.texts.push_back(std::move(text));
    }
    all.width = part.width;
    all.height += part.height;
  }
  all.title = parts.front().second.title;
  return drawing_svg(all);
}

std::string plot_svg(const std::vector<PlotCurve>& curves, const PlotOptions& options) {
  return drawing_svg(draw_plot(curves, options));
}

double mean_distance(const Trajectory& a, const Trajectory& b, const char* column) {
  const std::vector<double>&x = a.column(column)->values, &y = b.column(column)->values;
  const std::size_t count = std::min(x.size(), y.size());
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(count, 1)));
}

// Convergence: the root mean square distance from the run with all modes does not grow with the number of modes (1 %
// left for the integration), and with 18 it is below the integration's tolerance over the second of motion.
PublishedFigure cms_figure_3() {
  std::vector<PlotCurve> elbow, tip;
  std::vector<Trajectory> runs;
  for (const int modes : {6, 8, 10, 12, 14, 16, 18}) {
    runs.push_back(move(steel(modes), "erls-cms", 1, 1e-3));
    elbow.push_back(curve_of(runs.back(), "elbow position.z", cat(modes, " modes")));
    tip.push_back(curve_of(runs.back(), "tip position.z", cat(modes, " modes")));
  }
  const Trajectory all = move(steel(30), "erls-cms", 1, 1e-3);
  constexpr double tolerance = 1e-6;
  bool converges = true;
  double first = 0, last = 0;
  for (const char* column : {"elbow position.z", "tip position.z"}) {
    first = last = mean_distance(runs[0], all, column);
    for (std::size_t k = 1; k < runs.size(); ++k) {
      const double now = mean_distance(runs[k], all, column);
      converges = converges && now <= 1.01 * last;
      last = now;
    }
    converges = converges && last < tolerance;
  }
  return {"[CMS] Figure 3",
          "cms_figure_3",
          "Steel L-shape released under gravity: z of the elbow (a) and of the tip (b) over the number of modes.",
          {{"The comparisons show the convergence of the solution with the number of modes.",
            cat("From the run with all modes, z of the tip is ", number(1e3 * first, 3),
                " mm away with 6 modes (rigid) and ", number(1e3 * last, 2),
                " mm with 18 (root mean square), of elbow and tip ",
                converges ? "less with more modes." : "not always less with more modes."),
            converges},
           {"With 8 to 18 modes the elbow at 0.5 s has y = -0.036 to -0.064 m (Table 2).",
            cat("y of the elbow at 0.5 s with 18 modes: ", number(value_at(runs[6], "elbow position.y", 0.5), 3),
                " m. The rows with elastic modes do not follow from Table 1 (lithe reproduce cms)."),
            std::nullopt}},
          stacked({{elbow, {.title = "z of the elbow"}}, {tip, {.title = "z of the tip"}}})};
}

PublishedFigure cms_figure_4() {
  const Trajectory few = move(steel(18), "erls-cms", 2, 1e-3), all = move(steel(30), "erls-cms", 2, 1e-3);
  const Trajectory few_ffr = move(steel(18), "floating-frame", 2, 1e-3),
                   all_ffr = move(steel(30), "floating-frame", 2, 1e-3);
  std::vector<PlotCurve> whole, detail;
  const std::pair<const Trajectory*, const char*> runs[] = {{&few, "ERLS-CMS, 18 modes"},
                                                            {&few_ffr, "floating frame, 18 modes"},
                                                            {&all, "ERLS-CMS, 30 modes"},
                                                            {&all_ffr, "floating frame, 30 modes"}};
  for (const auto& [run, name] : runs) {
    whole.push_back(curve_of(*run, "tip position.y", name));
    detail.push_back(curve_of(*run, "tip position.y", name, 1.15, 1.25));
  }
  const double off = std::max(difference(few, few_ffr, "tip position.z"), difference(all, all_ffr, "tip position.z"));
  return {"[CMS] Figure 4",
          "cms_figure_4",
          "Steel L-shape: y of the tip (a) and its magnification at about 1.2 s (b), ERLS-CMS and floating frame.",
          {{"ERLS-CMS agrees well with Adams (floating frame): the signals overlap almost perfectly.",
            cat("Largest difference of the tip's z between the two formulations: ", number(100 * off, 2),
                " % of its reach over 2 s."),
            off < 0.01}},
          stacked({{whole, {.title = "y of the tip"}}, {detail, {.title = "y of the tip at about 1.2 s"}}})};
}

double nearest_peak(const Spectrum& spectrum, double wanted) {
  double best = std::nan("");
  for (const Peak& peak : spectrum.peaks)
    if (!(std::abs(peak.frequency - wanted) >= std::abs(best - wanted))) best = peak.frequency;
  return best;
}

Spectrum spectrum_of(const Trajectory& motion, const char* column, double max_frequency) {
  SpectrumOptions options;
  options.max_frequency = max_frequency;
  options.num_peaks = 40;
  options.prominence = 1e-5;
  return spectrum(motion.times, motion.column(column)->values, options);
}

std::vector<PublishedFigure> cms_figures_6_to_8() {
  const LShapeRun run{true, 4, 18, 18};
  const Trajectory erls = move(study(run), "erls-cms", 2, sample_step);
  const Trajectory ffr = move(study(run), "floating-frame", 2, sample_step);
  const double off = difference(erls, ffr, "elbow position.z");
  const auto both = [&](const char* column) {
    return std::vector<PlotCurve>{curve_of(erls, column, "ERLS-CMS"), curve_of(ffr, column, "floating frame")};
  };
  PublishedFigure position{
      "[CMS] Figure 6",
      "cms_figure_6",
      "Aluminium L-shape under the torque of Figure 5: z of the elbow.",
      {{"The elbow's z of ERLS-CMS and Adams compare well.",
        cat("Largest difference between the formulations: ", number(100 * off, 2), " % of the reach."), off < 0.01}},
      plot_svg(both("elbow position.z"), {.title = "z of the elbow under torque"})};
  PublishedFigure acceleration{"[CMS] Figure 7",
                               "cms_figure_7",
                               "The same: z acceleration of the elbow over time.",
                               {{"ERLS-CMS and Adams show the same acceleration.",
                                 "Drawn over each other; Figure 8 compares the spectra.", std::nullopt}},
                               plot_svg(both("elbow acceleration.z"), {.title = "z acceleration of the elbow"})};
  PublishedFigure lines{"[CMS] Figure 8", "cms_figure_8", "The same in the frequency domain.", {}, ""};
  std::vector<PlotCurve> curves;
  const Spectrum found = spectrum_of(erls, "elbow acceleration.z", 250),
                 other = spectrum_of(ffr, "elbow acceleration.z", 250);
  curves.push_back({"ERLS-CMS", "m/s^2", found.frequencies, found.values});
  curves.push_back({"floating frame", "m/s^2", other.frequencies, other.values});
  lines.svg =
      plot_svg(curves, {.title = "spectrum of the z acceleration", .x_label = "frequency [Hz]", .logarithmic = true});
  for (const double wanted : {11.0, 31.0, 113.0, 171.0}) {
    const double peak = nearest_peak(found, wanted);
    lines.claims.push_back({cat("A main frequency of ", wanted, " Hz is captured."),
                            cat("Peak of the spectrum at ", number(peak, 4), " Hz."), std::abs(peak - wanted) < 2});
  }
  return {position, acceleration, lines};
}

std::vector<PublishedFigure> cms_figures(Progress& progress) {
  std::vector<PublishedFigure> figures{cms_figure_3()};
  progress.update(0.3);
  figures.push_back(cms_figure_4());
  progress.update(0.6);
  for (PublishedFigure& figure : cms_figures_6_to_8()) figures.push_back(std::move(figure));
  return figures;
}

// [CMP] Figures 4 (gravity) and 6 (torque): z acceleration of the tip in time and frequency.
PublishedFigure cmp_acceleration(bool torque) {
  const LShapeRun runs[] = {{torque, 2, 18, 18}, {torque, 4, 18, 18}, {torque, 4, 30, 30}, {torque, 4, 30, 18}};
  const char* names[] = {"2 el. 18/18 modes", "4 el. 18/18 modes", "4 el. 30/30 modes", "4 el. 18/30 modes"};
  std::vector<PlotCurve> times, lines;
  std::vector<Spectrum> spectra;
  for (std::size_t k = 0; k < 4; ++k) {
    const Trajectory motion = move(study(runs[k]), "erls-cms", 2, sample_step);
    times.push_back(curve_of(motion, "tip acceleration z", names[k], 0, 0.5));
    spectra.push_back(spectrum_of(motion, "tip acceleration z", 300));
    lines.push_back({names[k], "m/s^2", spectra.back().frequencies, spectra.back().values});
  }
  const std::vector<double> printed =
      torque ? std::vector<double>{11, 30.5, 111.5, 172} : std::vector<double>{8.5, 11.5, 24, 30.5, 111.5, 117, 172};
  double worst = 0, apart = 0;
  for (const double wanted : printed) {
    worst = std::max(worst, std::abs(nearest_peak(spectra[2], wanted) - wanted));
    apart = std::max(apart, std::abs(nearest_peak(spectra[1], wanted) - nearest_peak(spectra[2], wanted)));
  }
  const double coarse = nearest_peak(spectra[0], 111.5);
  const PlotOptions over{.title = "z acceleration of the tip", .x_label = "frequency [Hz]", .logarithmic = true};
  const std::string name = torque ? "[CMP] Figure 6" : "[CMP] Figure 4";
  return {name,
          torque ? "cmp_figure_6" : "cmp_figure_4",
          cat("z acceleration of the tip ", torque ? "under the torque" : "under gravity",
              ": over time (the first 0.5 s) and over frequency."),
          {{"The 4-element signals with 18 and with 30 modes overlap almost perfectly.",
            cat("Their peaks below 300 Hz differ by at most ", number(apart, 2), " Hz."), apart < 1},
           {cat("Resonance peaks of 4 elements, 30 modes: ",
                torque ? "11, 30.5, 111.5, 172" : "8.5, 11.5, 24, 30.5, 111.5, 117, 172", " Hz (Table ",
                torque ? "VII" : "IV", ")."),
            cat("All found within ", number(worst, 2), " Hz in the spectrum of 2 s."), worst <= 1},
           {"The 2-element signal agrees at low frequencies only.",
            cat("Its peak nearest to 111.5 Hz is at ", number(coarse, 4), " Hz."), !(std::abs(coarse - 111.5) < 5)}},
          stacked({{times, {.title = "z acceleration of the tip"}}, {lines, over}})};
}

// [CMP] Figures 5 and 7: computing times over the number of modes.
PublishedFigure cmp_times(bool torque) {
  const PublishedTable table = read_published("cmp_tables5_8_times.csv");
  std::vector<PlotCurve> curves;
  double increase = 0, full = 0, half = 0;
  for (const auto& [elements, exported] : {std::pair(2, 18), std::pair(4, 18), std::pair(4, 30)}) {
    PlotCurve published{cat(elements, " el. ", exported, " modes, published"), "s", {}, {}}, computed = published;
    computed.label = cat(elements, " el. ", exported, " modes, here");
    for (std::size_t i = 0; i < table.num_rows(); ++i) {
      const auto whole = [&](std::size_t c) { return static_cast<int>(table.number(i, c)); };
      if ((table.texts[i][0] == "torque") != torque || whole(1) != elements || whole(2) != exported) continue;
      published.x.push_back(whole(3));
      published.y.push_back((table.number(i, 4) + table.number(i, 5) + table.number(i, 6)) / 3);
      computed.x.push_back(whole(3));
      computed.y.push_back(l_shape_seconds({torque, elements, exported, whole(3)}));
      if (elements == 4 && exported == 30 && whole(3) == 14) half = published.y.back();
      if (elements == 4 && exported == 30 && whole(3) == 30) full = published.y.back();
      increase = std::max(increase, computed.y.back());
    }
    curves.push_back(published);
    curves.push_back(computed);
  }
  return {
      torque ? "[CMP] Figure 7" : "[CMP] Figure 5",
      torque ? "cmp_figure_7" : "cmp_figure_5",
      cat("Computing time of 2 s of motion ", torque ? "under the torque" : "under gravity",
          " over the number of modes."),
      {{"14 modes take at least 88 % less time than all modes.",
        cat("Published: ", number(100 * (1 - half / full), 4), " %. Here all runs take at most ", number(increase, 2),
            " s, since high modes are solved exactly and cost nothing: there is little to save."),
        std::nullopt}},
      plot_svg(curves, {.title = "computing time", .x_label = "modes", .logarithmic = true})};
}

std::vector<PublishedFigure> cmp_figures(Progress& progress) {
  std::vector<PublishedFigure> figures;
  for (const bool torque : {false, true}) {
    figures.push_back(cmp_acceleration(torque));
    progress.update(torque ? 0.7 : 0.2);
    figures.push_back(cmp_times(torque));
    progress.update(torque ? 1.0 : 0.5);
  }
  return figures;
}

const FigureRegistration cms_registration("cms", cms_figures);
const FigureRegistration cmp_registration("cmp", cmp_figures);

}  // namespace
}  // namespace lithe::app
