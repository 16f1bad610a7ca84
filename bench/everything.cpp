// Every example model and seeded random mechanisms with default settings at several tolerances: processor time, steps,
// the error against a converged run by another integrator, and the time over that of the best fixed-step or SUNDIALS
// run that is as accurate.
//   everything [--json] [--count N] [--seed S] [--only TEXT] [--limit SECONDS] [--tolerance M_PER_S] [--no-others]
//              [--integrators A,B] [--formulation NAME] [--end SECONDS] [--references FOLDER] [MODEL.toml ...]
// --references keeps the converged runs, which take most of the time, for the next call.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/formulate/formulation.h"
#include "lithe/integrate/sundials.h"
#include "lithe/read/read_model.h"
#include "support/random_mechanisms.h"

namespace {

using namespace lithe;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Settings {
  bool json = false, others = true;
  int count = 40;
  unsigned seed = 1;
  double limit = 60;  // s of processor time for one run
  std::vector<double> tolerances = {1e-4, 1e-5, 1e-6};
  std::string only, formulation = "erls-cms", references;  // the latter: a folder
  double end = 0;                                          // s; 0: that of the model
  std::vector<std::string> integrators = {"automatic"}, files;
};

struct Case {
  std::string name;
  Model model;
  double end_time = 0.3;
};

struct Run {
  bool finished = false;
  double seconds = 0;
  Trajectory motion;
};

// A position sensor at every named node.
Model with_all_nodes(Model model) {
  model.sensors.clear();
  for (std::size_t l = 0; l < model.links.size(); ++l)
    for (std::size_t k = 0; k < model.links[l].nodes.size(); ++k) {
      Sensor sensor;
      sensor.name = model.links[l].name + "." + std::to_string(k);
      sensor.link = static_cast<int>(l);
      sensor.node = static_cast<int>(k);
      model.sensors.push_back(sensor);
    }
  return model;
}

Run run(const Equations& equations, const std::string& integrator, double tolerance, double step, double end,
        double limit) {
  std::atomic<bool> cancel{false};
  const double begin = processor_seconds();
  SimulateOptions options;
  options.end_time = end;
  options.output_step = end / 50;
  options.integrator = integrator;
  options.integration.tolerance = tolerance;
  options.integration.fixed_step = step;
  options.energy_balance = false;
  options.keep_states = false;
  options.make = make_any_integrator;
  options.cancel = &cancel;
  options.progress = [&](double) { cancel = processor_seconds() - begin > limit; };
  Run result;
  try {
    result.motion = simulate(equations, start_state(equations), options);
    result.finished = result.motion.end == RunEnd::finished;
  } catch (const std::exception&) {
  }
  result.seconds = processor_seconds() - begin;
  return result;
}

double largest_difference(const Trajectory& a, const Trajectory& b) {
  double largest = 0;
  for (std::size_t c = 0; c < a.columns.size(); ++c)
    for (std::size_t i = 0; i < std::min(a.times.size(), b.times.size()); ++i)
      largest = std::max(largest, std::abs(a.columns[c].values[i] - b.columns[c].values[i]));
  return largest;
}

struct Reference {
  std::string integrator;
  Trajectory motion;
  double doubt = std::numeric_limits<double>::quiet_NaN();  // against a second one
};

// Two converged runs by different methods, whose difference bounds what is not known.
std::vector<Reference> references(const Equations& equations, double end, double limit) {
  std::vector<Reference> found;
  for (const char* integrator : {"dormand_prince", "radau", "exponential"}) {
    const double tolerance = std::strcmp(integrator, "dormand_prince") == 0 ? 1e-8 : 2e-9;
    Run converged = run(equations, integrator, tolerance, 0, end, limit);
    if (converged.finished) found.push_back({integrator, std::move(converged.motion)});
    if (found.size() == 2) break;
  }
  if (found.size() == 2) found[0].doubt = found[1].doubt = largest_difference(found[0].motion, found[1].motion);
  return found;
}

// Kept as text: integrator, doubt, number of instants and columns, then one row of values per column.
void keep(const std::vector<Reference>& found, const std::string& path) {
  std::ofstream file(path);
  file.precision(17);
  for (const Reference& r : found) {
    file << r.integrator << ' ' << r.doubt << ' ' << r.motion.times.size() << ' ' << r.motion.columns.size() << '\n';
    for (const Column& column : r.motion.columns) {
      for (const double value : column.values) file << value << ' ';
      file << '\n';
    }
  }
}

std::vector<Reference> kept(const std::string& path) {
  std::vector<Reference> found;
  std::ifstream file(path);
  std::string name, doubt;
  std::size_t instants = 0, columns = 0;
  while (file >> name >> doubt >> instants >> columns) {
    Reference reference;
    reference.integrator = name;
    reference.doubt = std::strtod(doubt.c_str(), nullptr);
    reference.motion.times.resize(instants);
    reference.motion.columns.resize(columns);
    for (Column& column : reference.motion.columns) {
      column.values.resize(instants);
      for (double& value : column.values) file >> value;
    }
    found.push_back(std::move(reference));
  }
  return found;
}

struct Other {
  std::string name;
  double seconds = std::numeric_limits<double>::quiet_NaN();
};

// The quickest of all others that is at least as accurate; runs that take twice as long are not waited for.
Other best_other(const Equations& equations, const Trajectory& exact, double error, double end, double seconds) {
  Other best;
  double limit = 2 * seconds + 0.02;
  const auto consider = [&](const std::string& integrator, double tolerance, double step) {
    const Run other = run(equations, integrator, tolerance, step, end, limit);
    if (!other.finished || largest_difference(other.motion, exact) > error) return other.finished;
    best.name = integrator + (step > 0 ? " step " : " tolerance ") + std::to_string(step > 0 ? step : tolerance);
    best.seconds = other.seconds;
    limit = other.seconds;
    return false;  // finer ones take longer
  };
  for (const char* integrator : {"exponential", "generalised_alpha", "radau", "dormand_prince"})
    for (double step = 4e-3; step > 1e-6; step /= 2)
      if (!consider(integrator, 1e-6, step) && step < 4e-3) break;
  for (const char* integrator : {"cvode", "arkode"})
    for (double tolerance = 1e-3; tolerance > 1e-11; tolerance /= 10)
      if (!consider(integrator, tolerance, 0) && tolerance < 1e-4) break;
  return best;
}

void print(const Settings& settings, const Case& item, int coordinates, double tolerance, const Run& own,
           const Reference* reference, double error, const Other& other) {
  static bool first = true;
  const double allowed = tolerance * item.end_time;
  if (settings.json) {
    std::printf(
        "%s\n  {\"model\": \"%s\", \"coordinates\": %d, \"end_time\": %g, \"tolerance\": %g, \"finished\": %s, "
        "\"seconds\": %.4g, \"steps\": %ld, \"evaluations\": %ld, \"integrator\": \"%s\", \"error\": %.3g, "
        "\"error_over_allowed\": %.3g, \"reference\": \"%s\", \"reference_doubt\": %.3g, \"best_other\": \"%s\", "
        "\"time_over_best_other\": %.3g}",
        first ? "[" : ",", item.name.c_str(), coordinates, item.end_time, tolerance, own.finished ? "true" : "false",
        own.seconds, own.motion.counters.steps, own.motion.counters.evaluations, own.motion.integrator.c_str(),
        std::isfinite(error) ? error : -1.0, std::isfinite(error) ? error / allowed : -1.0,
        reference ? reference->integrator.c_str() : "",
        reference && std::isfinite(reference->doubt) ? reference->doubt : -1.0, other.name.c_str(),
        std::isfinite(other.seconds) ? own.seconds / other.seconds : -1.0);
  } else {
    std::printf("%-28s %5d %7.0e %8.3f s%s %8ld %-28s error %8.1e = %8.2g of allowed (doubt %7.1e)  %5.2f x %s\n",
                item.name.c_str(), coordinates, tolerance, own.seconds, own.finished ? " " : "!",
                own.motion.counters.steps, own.motion.integrator.c_str(), error, error / allowed,
                reference ? reference->doubt : 0.0, own.seconds / other.seconds, other.name.c_str());
  }
  first = false;
  std::fflush(stdout);
}

void measure(const Settings& settings, const Case& item) {
  std::unique_ptr<Equations> equations;
  try {
    equations = make_equations(with_all_nodes(item.model), {.formulation = settings.formulation});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", item.name.c_str(), problem.what());
    return;
  }
  std::vector<Reference> exact;
  std::ostringstream file;
  file << settings.references << '/' << item.name << ' ' << item.end_time << " s " << settings.formulation;
  if (!settings.references.empty()) exact = kept(file.str());
  if (exact.empty()) {
    exact = references(*equations, item.end_time, 3 * settings.limit);
    if (!settings.references.empty()) keep(exact, file.str());
  }
  for (std::size_t i = 0; i < settings.tolerances.size() * settings.integrators.size(); ++i) {
    const double tolerance = settings.tolerances[i / settings.integrators.size()];
    const std::string& integrator = settings.integrators[i % settings.integrators.size()];
    const Run own = run(*equations, integrator, tolerance, 0, item.end_time, settings.limit);
    const auto took_part = [&](const Reference& r) {
      return own.motion.integrator.find(r.integrator) != std::string::npos;
    };
    const Reference* reference = nullptr;  // by another integrator if there is one
    for (const Reference& r : exact)
      if (!reference || (took_part(*reference) && !took_part(r))) reference = &r;
    const double error = own.finished && reference ? largest_difference(own.motion, reference->motion)
                                                   : std::numeric_limits<double>::quiet_NaN();
    Other other;
    if (settings.others && std::isfinite(error))
      other = best_other(*equations, reference->motion, error, item.end_time, own.seconds);
    print(settings, item, equations->num_coordinates(), tolerance, own, reference, error, other);
  }
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(LITHE_MODELS_DIR))
    if (settings.files.empty() && entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  files.insert(files.end(), settings.files.begin(), settings.files.end());
  for (const auto& file : files) {
    Case item{file.stem().string(), read_model(file.string()), 0.3};
    for (const AnalysisRequest& analysis : item.model.analyses)
      if (analysis.kind == AnalysisKind::simulate)
        item.end_time = std::min(1.0, analysis.number("end_time").value_or(item.end_time));
    all.push_back(std::move(item));
  }
  using testing::MechanismKind;
  constexpr MechanismKind kinds[] = {MechanismKind::serial, MechanismKind::closed, MechanismKind::geared,
                                     MechanismKind::branched, MechanismKind::sliding};
  constexpr int elements[] = {1, 2, 4, 3, 8, 1, 2, 16};
  constexpr double stiffness[] = {1, 0.05, 0.3, 1};
  for (int i = 0; i < settings.count && settings.files.empty(); ++i) {
    testing::RandomMechanism choice;
    choice.kind = kinds[i % 5];
    choice.seed = settings.seed + static_cast<unsigned>(i);
    choice.links = choice.kind == MechanismKind::closed ? 2 + i / 5 % 6 : 2 + i % 4;
    choice.elements = elements[i % 8];
    choice.stiffness = stiffness[i % 4];
    choice.damping = i % 3 == 0 ? 0.01 : 0;
    all.push_back({std::string(testing::describe(choice.kind)) + " " + std::to_string(choice.seed),
                   testing::random_mechanism(choice), 0.3});
  }
  for (Case& item : all)
    if (settings.end > 0) item.end_time = settings.end;
  return all;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

Settings read_settings(int count, char** arguments) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    const auto value = [&] { return i + 1 < count ? arguments[++i] : arguments[i]; };
    if (option == "--json") settings.json = true;
    if (option == "--no-others") settings.others = false;
    if (option == "--count") settings.count = std::atoi(value());
    if (option == "--seed") settings.seed = static_cast<unsigned>(std::atoi(value()));
    if (option == "--limit") settings.limit = std::atof(value());
    if (option == "--only") settings.only = value();
    if (option == "--tolerance") settings.tolerances = {std::atof(value())};
    if (option == "--integrators") settings.integrators = split(value());
    if (option == "--end") settings.end = std::atof(value());
    if (option == "--formulation") settings.formulation = value();
    if (option == "--references") settings.references = value();
    if (option[0] != '-') settings.files.push_back(option);
  }
  return settings;
}

}  // namespace

int main(int count, char** arguments) {
  const Settings settings = read_settings(count, arguments);
  for (const Case& item : cases(settings))
    if (settings.only.empty() || item.name.find(settings.only) != std::string::npos) measure(settings, item);
  if (settings.json) std::printf("\n]\n");
  return 0;
}
