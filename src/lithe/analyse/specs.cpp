#include "lithe/analyse/specs.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"

namespace lithe {
namespace {

// Fields of a spec from the settings of the file, each under its key.
void take(const AnalysisRequest& request, const char* key, double& field) {
  field = request.number(key).value_or(field);
}
void take(const AnalysisRequest& request, const char* key, std::optional<double>& field) {
  field = request.number(key);
}
void take(const AnalysisRequest& request, const char* key, int& field) {
  if (const auto value = request.number(key)) field = static_cast<int>(*value);
}
void take(const AnalysisRequest& request, const char* key, bool& field) { field = request.flag(key).value_or(field); }
void take(const AnalysisRequest& request, const char* key, std::string& field) {
  field = request.text(key).value_or(field);
}
void take(const AnalysisRequest& request, const char* key, std::vector<std::string>& field) {
  field = request.texts(key);
}

// The file writes erls_cms, the program erls-cms.
std::optional<std::string> formulation_name(const AnalysisRequest& request) {
  std::optional<std::string> name = request.text("formulation");
  if (name) std::replace(name->begin(), name->end(), '_', '-');
  return name;
}

void take_formulation(const AnalysisRequest& request, FormulationChoice& choice) {
  choice.formulation = formulation_name(request).value_or(choice.formulation);
  take(request, "gauge", choice.gauge);
  if (choice.formulation == "erls-fem") take(request, "variant", choice.variant);
  take(request, "reference", choice.reference);
  take(request, "geometric_stiffening", choice.geometric_stiffening);
  take(request, "quadratic_elongation", choice.bending_shortens);
}

void take_range(const AnalysisRequest& request, const char* key, bool geometric, std::vector<double>& field) {
  const std::optional<std::string> text = request.text(key);
  if (!text) return;
  try {
    field = parse_range(*text, cat("analysis linearise: ", key), geometric);
  } catch (const InputError& error) {
    std::vector<Diagnostic> errors = error.errors();
    for (Diagnostic& entry : errors) {
      entry.file = request.place.file;
      entry.line = request.place.line;
      entry.column = request.place.column;
    }
    throw InputError(std::move(errors));
  }
}

ModesSpec modes_spec(const AnalysisRequest& request) {
  ModesSpec spec;
  take_formulation(request, spec.formulation);
  take(request, "count", spec.count);
  take(request, "link", spec.link);
  take(request, "clamp", spec.clamp);
  take(request, "reduced", spec.reduced);
  return spec;
}

SimulateSpec simulate_spec(const AnalysisRequest& request, SimulateSpec spec = {}) {
  take_formulation(request, spec.formulation);
  take(request, "end_time", spec.end_time);
  take(request, "output_step", spec.output_step);
  take(request, "integrator", spec.integrator);
  take(request, "tolerance", spec.tolerance);
  take(request, "step", spec.step);
  take(request, "spectral_radius", spec.spectral_radius);
  return spec;
}

EquilibriumSpec equilibrium_spec(const AnalysisRequest& request) {
  EquilibriumSpec spec;
  take_formulation(request, spec.formulation);
  take(request, "hold_joints", spec.hold_joints);
  take(request, "tolerance", spec.tolerance);
  take(request, "time", spec.time);
  return spec;
}

InverseDynamicsSpec inverse_dynamics_spec(const AnalysisRequest& request) {
  InverseDynamicsSpec spec;
  take_formulation(request, spec.formulation);
  take(request, "end_time", spec.end_time);
  take(request, "output_step", spec.output_step);
  take(request, "integrator", spec.integrator);
  take(request, "tolerance", spec.tolerance);
  take(request, "flexible", spec.flexible);
  return spec;
}

SpectrumSpec spectrum_spec(const AnalysisRequest& request) {
  SpectrumSpec spec;
  take(request, "sensor", spec.sensor);
  if (const auto component = request.text("component")) spec.sensor += "." + *component;
  take(request, "start_time", spec.start_time);
  take(request, "end_time", spec.end_time);
  take(request, "window", spec.window);
  take(request, "max_frequency", spec.max_frequency);
  take(request, "resolution", spec.resolution);
  take(request, "peaks", spec.peaks);
  return spec;
}

CondenseSpec condense_spec(const AnalysisRequest& request) {
  CondenseSpec spec;
  take(request, "independent", spec.independent);
  take(request, "tool", spec.tool);
  take(request, "held", spec.held);
  take(request, "count", spec.count);
  take(request, "route", spec.route);
  take(request, "full", spec.full);
  take(request, "hold_spins", spec.hold_spins);
  spec.imposed = request.imposed;
  return spec;
}

SweepSpec sweep_spec(const AnalysisRequest& request) {
  SweepSpec spec;
  take(request, "axes", spec.axes);
  take(request, "set", spec.set);
  take(request, "analysis", spec.analysis);
  spec.formulation = formulation_name(request);
  take(request, "independent", spec.independent);
  take(request, "tool", spec.tool);
  take(request, "held", spec.held);
  take(request, "count", spec.count);
  take(request, "hold_spins", spec.hold_spins);
  spec.imposed = request.imposed;
  if (request.text("orientation") == "keep") spec.orientation = ToolOrientation::keep;
  if (request.text("orientation") == "free") spec.orientation = ToolOrientation::free;
  spec.springs_stay = request.text("springs") == "stay";
  return spec;
}

LineariseSpec linearise_spec(const AnalysisRequest& request, const SimulateSpec& simulation) {
  LineariseSpec spec;
  spec.motion = simulation;
  take_formulation(request, spec.formulation);
  const std::string about = request.text("about").value_or(std::string(name_of(spec.about)));
  const auto known = std::find(std::begin(linearise_about_names), std::end(linearise_about_names), about);
  if (known != std::end(linearise_about_names))
    spec.about = static_cast<LineariseAbout>(known - std::begin(linearise_about_names));
  take_range(request, "times", false, spec.times);
  take(request, "inputs", spec.inputs);
  take(request, "held", spec.held);
  take(request, "spin", spec.spin);
  take(request, "speed", spec.speed);
  take_range(request, "speeds", false, spec.speeds);
  take_range(request, "response", true, spec.response);
  take(request, "period", spec.period);
  take(request, "floquet", spec.floquet);
  take(request, "buckling", spec.buckling);
  take(request, "count", spec.count);
  return spec;
}

// What it does not say is that of the simulation.
ControlSpec control_spec(const AnalysisRequest& request, const SimulateSpec& simulation) {
  ControlSpec spec;
  spec.simulate = simulate_spec(request, simulation);
  take(request, "controllers", spec.controllers);
  take(request, "payloads", spec.payloads);
  return spec;
}

double number_in(const std::string& text, const std::string& what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw InputError(cat(what, ": '", text, "' is no number"));
  return value;
}

}  // namespace

AnalysisSpec spec_from(const AnalysisRequest& request, const SimulateSpec& simulation) {
  switch (request.kind) {
    case AnalysisKind::modes:
      return modes_spec(request);
    case AnalysisKind::simulate:
      return simulate_spec(request);
    case AnalysisKind::equilibrium:
      return equilibrium_spec(request);
    case AnalysisKind::inverse_dynamics:
      return inverse_dynamics_spec(request);
    case AnalysisKind::spectrum:
      return spectrum_spec(request);
    case AnalysisKind::condense:
      return condense_spec(request);
    case AnalysisKind::sweep:
      return sweep_spec(request);
    case AnalysisKind::linearise:
      return linearise_spec(request, simulation);
    case AnalysisKind::control:
      return control_spec(request, simulation);
  }
  return {};
}

std::vector<Analysis> analyses_of(const Model& model) {
  SimulateSpec simulation;  // the first one, from which others take what they do not say
  const auto first = std::find_if(model.analyses.begin(), model.analyses.end(), [](const AnalysisRequest& request) {
    return request.kind == AnalysisKind::simulate;
  });
  if (first != model.analyses.end()) simulation = simulate_spec(*first);
  std::vector<Analysis> result;
  for (const AnalysisRequest& request : model.analyses)
    result.push_back({request.text("name").value_or(""), request.place, spec_from(request, simulation)});
  return result;
}

const FormulationChoice* formulation_of(const AnalysisSpec& spec) {
  return std::visit(
      [](const auto& kind) -> const FormulationChoice* {
        if constexpr (requires { kind.formulation.gauge; }) return &kind.formulation;
        if constexpr (requires { kind.simulate.formulation; }) return &kind.simulate.formulation;
        return nullptr;
      },
      spec);
}

std::string_view name_of(LineariseAbout about) { return linearise_about_names[static_cast<int>(about)]; }

std::vector<double> parse_range(const std::string& text, const std::string& what, bool geometric) {
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    throw InputError(cat(what, ": expected FROM:TO:COUNT, not '", text, "'"));
  const double from = number_in(text.substr(0, first), what);
  const double to = number_in(text.substr(first + 1, second - first - 1), what);
  const double count = number_in(text.substr(second + 1), what);
  if (!(to > from) || count < 2 || count > 1e6 || count != std::floor(count) || (geometric && !(from > 0)))
    throw InputError(cat(what, ": FROM must be below TO", geometric ? " and positive" : "",
                         ", and COUNT a whole number from 2 to 1000000, in '", text, "'"));
  std::vector<double> values;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const double part = i / (count - 1);
    values.push_back(geometric ? from * std::pow(to / from, part) : from + (to - from) * part);
  }
  return values;
}

}  // namespace lithe
