// Says what works on this machine and what is missing, and computes one beam whose frequency is known.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <thread>

#include "app/program/child_process.h"
#include "app/program/command.h"
#include "app/terminal/table.h"
#include "lithe/analyse/modes/modes.h"
#include "lithe/base/text.h"
#include "lithe/formulate/formulation.h"
#include "lithe/read/read_model.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

struct Finding {
  std::string what;
  bool good = false;
  bool needed = false;  // otherwise only some things do not work without it
  std::string text;
};

// A cantilever of 1 m: f = (1.8751041 / L)^2 sqrt(E I / (rho A)) / (2 pi), I / A = h^2 / 12.
Finding known_frequency() {
  constexpr const char* cantilever = R"(lithe = 1
materials.steel = {density = 7850, young_modulus = "210 GPa", poisson_ratio = 0.3}
sections.bar = {shape = "rectangle", width = "10 mm", height = "10 mm"}
joints = [{name = "clamp", type = "fixed", child = "beam", child_node = "root"}]
[[links]]
name = "beam"
nodes = {root = [0, 0, 0], tip = [1, 0, 0]}
path = ["root", "tip"]
material = "steel"
section = "bar"
elements = 8
theory = "euler_bernoulli"
)";
  const double known = std::pow(1.8751040687, 2) * std::sqrt(210e9 / 7850 * 0.01 * 0.01 / 12) / (2 * std::numbers::pi);
  const Model model = read_model_text(cantilever, "cantilever.toml");
  const std::unique_ptr<Equations> equations = make_equations(model);
  const ModesResult result = mechanism_modes(*equations, equations->initial_state());
  const double found = result.status == EvaluationStatus::ok ? result.modes.frequencies(0) : std::nan("");
  return {"computation", std::abs(found / known - 1) < 1e-3, true,
          cat("cantilever at ", fixed(found, 4), " Hz, closed form ", fixed(known, 4), " Hz")};
}

Finding writable_folder() {
  try {
    FileSet files(".");
    files.add("lithe_doctor.txt");
    return {"this folder", true, true, "results can be written"};
  } catch (const std::exception& error) {
    return {"this folder", false, true, error.what()};
  }
}

Finding program(const std::string& what, const std::vector<std::string>& names, const std::string& use) {
  for (const std::string& name : names)
    if (has_program(name)) return {what, true, false, cat(name, ": ", use)};
  return {what, false, false, cat(joined(names, " or "), " not found; needed to ", use)};
}

Finding trusted_folders() {
  const char *config = std::getenv("XDG_CONFIG_HOME"), *home = std::getenv("HOME");
  const std::string base = config && *config ? std::string(config) : cat(home ? home : "", "/.config");
  const std::string path = base + "/lithe/trusted_folders";
  std::ifstream list(path);
  int count = 0;
  for (std::string line; std::getline(list, line);) count += line.starts_with('/') ? 1 : 0;
  return {"trusted folders", true, false, cat(count, " in ", path)};
}

std::vector<Finding> examine() {
  const unsigned cores = std::thread::hardware_concurrency();
  return {{"program", true, true, cat("lithe ", LITHE_VERSION, ", ", LITHE_BUILD_TYPE, " build")},
          known_frequency(),
          {"processor", true, false, cat(cores, cores == 1 ? " core" : " cores", " for sweeps")},
          writable_folder(),
          program("browser", {"xdg-open"}, "open pages from `lithe view`"),
          program("Python", {"python3"}, "use linear.py"),
          program("MATLAB files", {"matlab", "octave"}, "open linear.mat"),
          program("ParaView", {"paraview"}, "open VTK files"),
          trusted_folders()};
}

int run(const Output& output) {
  const std::vector<Finding> findings = examine();
  bool healthy = true;
  nlohmann::json list = nlohmann::json::array();
  TextTable table({{"what", Align::left}, {"state", Align::left}, {"finding", Align::left}});
  for (const Finding& finding : findings) {
    healthy = healthy && (finding.good || !finding.needed);
    const char* state = finding.good ? "ok" : finding.needed ? "error" : "missing";
    list.push_back({{"what", finding.what}, {"state", state}, {"text", finding.text}});
    table.add_row({finding.what, state, finding.text});
  }
  if (output.json()) {
    output.print(nlohmann::json{{"ok", healthy}, {"findings", list}});
  } else {
    output.print(table.text(output.style()));
  }
  return healthy ? exit_ok : exit_failed;
}

const CommandRegistration registration({.name = "doctor",
                                        .rank = 88,
                                        .summary = "Check the installation: what works, what is missing",
                                        .examples = "  lithe doctor\n  lithe doctor --json\n",
                                        .set_up = [](CommandOptions&) -> Action { return run; }});

}  // namespace
}  // namespace lithe::app
