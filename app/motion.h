// What `simulate` and `run` share: from settings to equations, from equations to motion, from motion to text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/output.h"
#include "lithe/analyse/equilibrium/equilibrium.h"
#include "lithe/analyse/motion/simulate.h"
#include "lithe/analyse/motion/spectrum.h"
#include "lithe/formulate/formulation.h"

namespace lithe::app {

// The settings of the first analysis of the kind in the file, or null.
const AnalysisRequest* find_analysis(const Model& model, AnalysisKind kind);
// end_time, output_step, integrator, tolerance, step, spectral_radius of a request.
void apply_settings(const AnalysisRequest& request, SimulateOptions& options);
// formulation, gauge, variant; the file writes erls_cms, the program erls-cms.
void apply_settings(const AnalysisRequest& request, FormulationChoice& choice);
void apply_settings(const AnalysisRequest& request, SpectrumOptions& options);
// --without-quadratic-elongation: throws InputError for other formulations than transfer-functions.
inline constexpr const char* straight_elongation_help =
    "Of transfer-functions: elongation without its term quadratic in bending, for comparison";
void leave_out_quadratic_elongation(bool asked, FormulationChoice& choice);

// Runs with a progress bar, and until Ctrl-C at most. From the checkpoint when there is one.
// `controllers`: those that act; none: the active ones of the file; "none": none.
Trajectory run_simulation(const Equations& equations, SimulateOptions options, const Checkpoint* from,
                          const std::vector<std::string>& controllers = {});

std::string motion_text(const Trajectory& motion, const Style& style);
nlohmann::json motion_json(const Trajectory& motion);
std::string peaks_text(const Spectrum& spectrum, const std::string& unit, const Style& style);
nlohmann::json spectrum_json(const Spectrum& spectrum, const std::string& sensor, const std::string& unit);

}  // namespace lithe::app
