#include "app/models/inspected_model.h"

#include <algorithm>

#include "app/models/model_warnings.h"
#include "app/models/robot_file.h"
#include "app/terminal/consent.h"
#include "lithe/base/computation_error.h"
#include "lithe/base/text.h"
#include "lithe/read/partial_model.h"

namespace lithe::app {

namespace {

// Later stages know where a link stands, the reader where its keys do.
std::vector<Diagnostic> at_their_keys(std::vector<Diagnostic> errors, const PartialModel& read) {
  for (Diagnostic& error : errors) {
    const auto found = read.key_places.find(error.path);
    if (found == read.key_places.end()) continue;
    error.line = found->second.line;
    error.column = found->second.column;
  }
  return errors;
}

// Those that were found, and those of the stages that were not reached.
InputError all_errors(std::vector<Diagnostic> found, const PartialModel& read, const std::string& path) {
  const InspectionStages stages{.connections = read.connections_hold, .configuration = read.configurations_hold};
  found = at_their_keys(std::move(found), read);
  for (const Diagnostic& other : at_their_keys(find_errors(read.model, stages), read)) {
    const auto same = [&](const Diagnostic& error) { return error.text() == other.text(); };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back(other);
  }
  return InputError(in_file_order(std::move(found), path));
}

}  // namespace

void warn_on_modes(const Model& model, const AnalysisSpec& spec) {
  const auto* modes = std::get_if<ModesSpec>(&spec);
  const auto* inverse = std::get_if<InverseDynamicsSpec>(&spec);
  if ((modes && !modes->link.empty()) || (inverse && !inverse->flexible)) return;
  if (const FormulationChoice* choice = formulation_of(spec)) warn_on_modes(model, choice->formulation);
}

void warn_on_modes(const Model& model) {
  bool any = false;
  const std::vector<Analysis> all = analyses_of(model);
  for (const Analysis& analysis : all) {
    warn_on_modes(model, analysis.spec);
    any = any || formulation_of(analysis.spec);
  }
  if (!any) warn_on_modes(model, FormulationChoice{}.formulation);
}

InspectedModel inspect_file(const std::string& path) {
  InspectedModel result;
  run_on_model(path, [&](const Model& model) {
    result = {model, inspect(model)};
    warn_on_modes(model);
    return exit_ok;
  });
  return result;
}

int run_on_model(const std::string& path, const std::function<int(const Model&)>& action) {
  return run_on_robot(path, [&](const PartialModel& read) { return action(read.model); });
}

int run_on_robot(const std::string& path, const std::function<int(const PartialModel&)>& action) {
  const PartialModel read = read_partly(path, read_options(path));
  if (!read.errors.empty()) throw all_errors(read.errors, read, path);
  try {
    warn_on_model(read.notes);
    return action(read);
  } catch (const ComputationError&) {
    throw;
  } catch (const InputError& error) {
    throw all_errors(error.errors(), read, path);
  }
}

std::string explain(const Model& model, EvaluationStatus status) {
  const std::string meaning = describe(status);
  if (status == EvaluationStatus::ok || status == EvaluationStatus::not_finite) return meaning;
  const MechanismInfo info = inspect(model);
  return info.singular ? cat(meaning, "; ", info.warning) : meaning;
}

}  // namespace lithe::app
