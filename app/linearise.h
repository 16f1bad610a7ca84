// What `linearise` and `run` share: from settings to linear models, from those to text, files and a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/output.h"
#include "lithe/analyse/linear/linear_modes.h"
#include "lithe/analyse/linear/linearise.h"
#include "lithe/analyse/linear/transfer_matrices.h"
#include "lithe/analyse/stability/floquet.h"
#include "lithe/analyse/stability/steady_motion.h"
#include "lithe/formulate/formulation.h"
#include "lithe/view/report.h"

namespace lithe::app {

struct LineariseSettings {
  FormulationChoice formulation;
  std::string about = "held";             // or "equilibrium", "initial", "motion"
  std::vector<double> times;              // of "motion", s
  std::vector<std::string> inputs, held;  // names
  std::string spin;                       // joint, or joint.2
  double speed = 0;                       // of the spin, in the linear model
  std::vector<double> speeds;             // of the Campbell diagram
  std::vector<double> response;           // Hz
  int count = 20;                         // modes listed
  int buckling = 0;                       // load factors wanted
  bool floquet = false;                   // multipliers of the periodic motion from the first of `times` on
  double period = 0;                      // of it, s; 0: that of the drives and loads
};

// Settings of a request, or the defaults.
LineariseSettings linearise_settings(const AnalysisRequest* request);
// "FROM:TO:COUNT", evenly spaced, or by equal ratios. Throws InputError; `what` begins its message.
std::vector<double> read_range(const std::string& text, const std::string& what, bool geometric);

struct LineariseOutcome {
  std::string model, formulation;
  std::vector<LinearModel> models;  // one, or one per time
  std::vector<LinearModes> modes;
  std::vector<TransferMatrices> transfer;  // of transfer-functions: one per model
  std::vector<double> times;
  std::vector<double> response_frequencies;  // Hz
  std::vector<MatrixXc> response;            // of the first model
  std::optional<CampbellDiagram> campbell;
  std::string spin, speed_unit;
  std::optional<Buckling> buckling;
  std::optional<FloquetResult> floquet;
  std::vector<std::string> notes;
  bool lacks_stiffening = false;             // geometric stiffening matters here, and the formulation leaves it out
  std::string failure;                       // why there is no model
  std::optional<SceneMotion> configuration;  // of the first model, to draw
  std::optional<ModeSet> mode_set;           // of the mechanism at rest
};
LineariseOutcome run_linearise(const Model& model, const LineariseSettings& settings);

std::string linearise_text(const LineariseOutcome& outcome, const LineariseSettings& settings, const Style& style);
nlohmann::json linearise_json(const LineariseOutcome& outcome, const LineariseSettings& settings);
// <stem>.h5, .mat, .json, .h and .py, and .csv of the Campbell diagram and the frequency response.
std::vector<std::filesystem::path> write_linear(const LineariseOutcome& outcome, const LineariseSettings& settings,
                                                const std::filesystem::path& directory, const std::string& stem);
// Poles, Campbell diagram, frequency response and tables, added to a page.
void add_to_page(const LineariseOutcome& outcome, const LineariseSettings& settings, Report& report);

}  // namespace lithe::app
