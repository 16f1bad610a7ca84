// The study of [CMP] in one go: the 44 runs of Tables V and VIII, 2 s each, with what the paper looks at, the spectrum
// of the tip's vertical acceleration. Every run is then checked against a converged one; the check is not timed.
//   campaign [--json] [--runs] [--step SECONDS] [--tolerance M_PER_S] [--check INTEGRATOR]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>

#include "app/reproduce/papers/l_shape.h"
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/motion/spectrum.h"
#include "lithe/formulate/erls/erls_cms.h"
#include "lithe/read/read_model.h"

namespace {

using namespace lithe;
using Clock = std::chrono::steady_clock;

constexpr double end_time = 2;
constexpr double output_step = 1e-3;
constexpr int num_peaks = 8;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Error control: 3e-6 m/s promises 6e-6 m after 2 s. Fixed steps of 1 ms take as long, and where a vibration is in
// resonance with them the tip is off by 1.9e-5 m (torque, 2 elements, 18 modes).
struct Settings {
  double tolerance = 3e-6;            // m/s, of error control
  double step = 0;                    // s; 0: chosen by error control
  std::string check = "exponential";  // integrator of the converged runs
};

struct Motion {
  std::vector<double> times;
  std::vector<Vector3> tip;
  std::vector<Peak> peaks;
  IntegratorCounters counters;
  bool finished = false;
};

// The tip's height differenced twice: its acceleration averaged over two output steps (triangular weights), which keeps
// vibrations beyond half the sampling rate from appearing as false peaks below it.
std::vector<Peak> acceleration_peaks(const Motion& motion) {
  std::vector<double> times, values;
  for (std::size_t i = 1; i + 1 < motion.tip.size(); ++i) {
    times.push_back(motion.times[i]);
    values.push_back((motion.tip[i + 1].z() - 2 * motion.tip[i].z() + motion.tip[i - 1].z()) /
                     (output_step * output_step));
  }
  SpectrumOptions options;
  options.num_peaks = 1000;
  options.prominence = 0.005;
  options.resolution = 0.125;
  options.max_frequency = 400;
  return spectrum(times, values, options).peaks;
}

Motion read_tip(const Trajectory& trajectory) {
  Motion motion;
  motion.times = trajectory.times;
  motion.counters = trajectory.counters;
  motion.finished = trajectory.end == RunEnd::finished;
  const Column* axes[3] = {trajectory.column("tip.x"), trajectory.column("tip.y"), trajectory.column("tip.z")};
  for (std::size_t i = 0; i < trajectory.times.size(); ++i)
    motion.tip.emplace_back(axes[0]->values[i], axes[1]->values[i], axes[2]->values[i]);
  motion.peaks = acceleration_peaks(motion);
  return motion;
}

SimulateOptions options_of(const char* integrator, double tolerance, double fixed_step) {
  SimulateOptions options;
  options.end_time = end_time;
  options.output_step = output_step;
  options.integrator = integrator;
  options.integration.tolerance = tolerance;
  options.integration.fixed_step = fixed_step;
  options.energy_balance = false;
  options.keep_states = false;
  return options;
}

Model with_tip_sensor(Model model) {
  Sensor tip;
  tip.name = "tip";
  tip.quantity = Quantity::position;
  tip.link = 0;
  tip.node = 2;
  model.sensors = {tip};
  return model;
}

struct Campaign {
  std::vector<LShapeRun> runs = published_l_shape_runs();
  std::map<std::string, Model> models;
  std::vector<Motion> motions;
  std::vector<double> seconds;
  double total = 0, processor = 0;

  ErlsCms equations_of(const LShapeRun& run) const {
    return ErlsCms(reduce(published_l_shape(models.at(published_l_shape_model(run.elements, run.exported)), run)));
  }
  void run_all(const Settings& settings);
};

// All that a user waits for: reading, reduction, equations, motion, spectra.
void Campaign::run_all(const Settings& settings) {
  const Clock::time_point start = Clock::now();
  const double processor_start = processor_seconds();
  for (const char* name : {"l_shape_cmp_2", "l_shape_cmp_18", "l_shape_cmp"})
    models[name] = with_tip_sensor(read_model(std::string(LITHE_MODELS_DIR "/") + name + ".toml"));
  const SimulateOptions options = options_of("exponential", settings.tolerance, settings.step);
  for (const LShapeRun& run : runs) {
    const double run_start = processor_seconds();
    const ErlsCms equations = equations_of(run);
    motions.push_back(read_tip(simulate(equations, start_state(equations), options)));
    seconds.push_back(processor_seconds() - run_start);
  }
  total = seconds_since(start);
  processor = processor_seconds() - processor_start;
}

double tip_error(const Motion& motion, const Motion& converged) {
  double largest = motion.finished && motion.tip.size() == converged.tip.size() ? 0.0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(motion.tip.size(), converged.tip.size()); ++i)
    largest = std::max(largest, (motion.tip[i] - converged.tip[i]).norm());
  return largest;
}

// Of the first eight converged peaks, the one that the run misses most.
double peak_error(const Motion& motion, const Motion& converged) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(num_peaks, converged.peaks.size()); ++i) {
    double nearest = HUGE_VAL;
    for (const Peak& peak : motion.peaks)
      nearest = std::min(nearest, std::abs(peak.frequency - converged.peaks[i].frequency));
    largest = std::max(largest, nearest);
  }
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false, list = false;
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--tolerance") && i + 1 < argc) settings.tolerance = std::atof(argv[++i]);
    if (!std::strcmp(argv[i], "--step") && i + 1 < argc) settings.step = std::atof(argv[++i]);
    if (!std::strcmp(argv[i], "--check") && i + 1 < argc) settings.check = argv[++i];
    json = json || !std::strcmp(argv[i], "--json");
    list = list || !std::strcmp(argv[i], "--runs");
  }
  Campaign campaign;
  campaign.run_all(settings);
  // Twenty times shorter steps; or another integrator that resolves every vibration, a hundred times tighter.
  const SimulateOptions check = settings.check == "exponential" ? options_of("exponential", 1, 5e-5)
                                                                : options_of(settings.check.c_str(), 1e-8, 0);
  double max_tip_error = 0, max_peak_error = 0;
  for (std::size_t i = 0; i < campaign.runs.size(); ++i) {
    const ErlsCms equations = campaign.equations_of(campaign.runs[i]);
    const Motion converged = read_tip(simulate(equations, start_state(equations), check));
    const Motion& motion = campaign.motions[i];
    const double tip = tip_error(motion, converged), peaks = peak_error(motion, converged);
    max_tip_error = std::max(max_tip_error, tip);
    max_peak_error = std::max(max_peak_error, peaks);
    if (!list) continue;
    std::printf("%-40s %8.2f ms %6ld steps %4ld rejected %4ld linearised  tip %.1e m  peaks %.3f Hz:",
                campaign.runs[i].text().c_str(), 1e3 * campaign.seconds[i], motion.counters.steps,
                motion.counters.rejected, motion.counters.linearisations, tip, peaks);
    for (std::size_t k = 0; k < std::min<std::size_t>(num_peaks, converged.peaks.size()); ++k)
      std::printf(" %.2f", converged.peaks[k].frequency);
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf(
      json ? "{\"runs\": %zu, \"seconds\": %.4f, \"processor_seconds\": %.4f, \"max_tip_error_m\": %.3e, "
             "\"max_peak_error_hz\": %.4f}\n"
           : "%zu runs in %.4f s (%.4f s of the processor), largest tip error %.3e m, largest peak error %.4f Hz\n",
      campaign.runs.size(), campaign.total, campaign.processor, max_tip_error, max_peak_error);
  return max_tip_error < 1e-5 && max_peak_error < 0.3 ? 0 : 1;
}
