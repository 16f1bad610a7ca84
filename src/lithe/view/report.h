// Everything that one report page shows. Each part may be empty; the page shows what there is.
#pragma once

#include <complex>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/motion/spectrum.h"
#include "lithe/results/scene/scene.h"
#include "lithe/results/scene/scene_motion.h"

namespace lithe {

using ReportFacts = std::vector<std::pair<std::string, std::string>>;  // (what, value with its unit)

// A table with copy and CSV download. A cell is a number in its column's SI unit, or text.
struct ReportTable {
  std::string title;
  std::vector<Channel> columns;
  std::vector<std::vector<std::variant<double, std::string>>> rows;
};

// One run. Columns of the same name in several runs are drawn into one plot: formulations, mode counts, repeated runs.
struct ReportRun {
  std::string name;  // "erls-cms", "12 modes"
  std::vector<double> times;
  std::vector<Column> columns;
  double computing_time = std::numeric_limits<double>::quiet_NaN();  // s
  ReportFacts facts;
};

// Runs against a reference: difference of each sensor over time, and how well they agree.
struct ReportDifference {
  std::string sensor, unit;
  std::string run, reference;  // names of runs
  std::vector<double> times, values;
};
struct ReportComparison {
  std::string name;
  std::vector<ReportDifference> differences;
  std::vector<ReportTable> agreement;
};

struct ReportSpectrum {
  std::string sensor, unit;
  std::string run;  // "" when there is one run
  Spectrum spectrum;
};

// Values over a grid of two parameters or coordinates: a heat map. Value (i, j) at x[i], y[j] stands at j * x.size() +
// i; NaN where there is none (out of reach).
struct ReportMapQuantity {
  std::string name, unit;
  std::vector<double> values;
  bool logarithmic = false;  // colours by the logarithm of the (positive) value
};
struct ReportMap {
  std::string name;
  Column x, y;  // ascending, not necessarily even
  std::vector<ReportMapQuantity> quantities;
  // X_WL per link of the scene at every grid point, to show the configuration; empty altogether, or empty where there
  // is none.
  std::vector<std::vector<Pose>> configurations;
  std::vector<Pose> home;  // X_WL per link at the start, shown where no point has a configuration; may be empty
};

// Eigenvalues of a linear model over a parameter: Campbell diagram (frequencies), root locus (complex plane). With one
// parameter value, the poles.
struct ReportEigenvalues {
  std::string name;
  std::string parameter, unit;
  std::vector<double> parameter_values;
  // Per parameter value, 1/s; the same number at each where modes are followed from value to value.
  std::vector<std::vector<std::complex<double>>> eigenvalues;
  // Excitation lines of the Campbell diagram: frequency in Hz = order * parameter * hertz_per_unit.
  std::vector<double> excitation_orders;
  double hertz_per_unit = 1;
};

struct Report {
  std::string title;     // of the page: the model's name
  std::string subtitle;  // "motion, erls-cms"
  ReportFacts facts;
  std::vector<std::string> files;  // full data beside the page, relative to it
  std::optional<Scene> scene;
  std::optional<SceneMotion> motion;
  std::vector<ReportRun> runs;  // the first one is that of `motion`
  std::vector<EventRecord> events;
  std::optional<EnergyBalance> energy;
  std::vector<ReportSpectrum> spectra;
  std::vector<ModeSet> modes;
  std::vector<ReportComparison> comparisons;
  std::vector<ReportMap> maps;
  std::vector<ReportEigenvalues> eigenvalues;
  std::vector<ReportTable> tables;
};

// The page: one file with everything in it, that asks no server for anything.
std::string report_page(const Report& report);
// Writes <directory>/<stem>.html. Throws InputError when that is impossible.
std::filesystem::path write_report(const Report& report, const std::filesystem::path& directory,
                                   const std::string& stem = "report");

// Parts made from results.
ReportRun report_run(const Trajectory& motion, const std::string& name);
// Scene, motion, run, energies and spectra of one simulation.
Report motion_report(const Equations& equations, const Trajectory& motion);

}  // namespace lithe
