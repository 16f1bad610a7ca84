#include "app/robots/studies.h"

#include <algorithm>

#include "app/models/model_warnings.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

void take(const AnalysisRequest& settings, const char* key, double& field) {
  field = settings.number(key).value_or(field);
}

void take_formulation(const AnalysisRequest& settings, FormulationChoice& choice) {
  std::string name = settings.text("formulation").value_or(choice.formulation);
  std::replace(name.begin(), name.end(), '_', '-');  // the file writes erls_cms, the program erls-cms
  choice.formulation = name;
}

SettleSpec settle_spec(const Model& model, const AnalysisRequest& settings) {
  SettleSpec spec{.motion = spec_of<SimulateSpec>(model)};
  spec.tool = settings.text("tool").value_or("");
  take(settings, "band", spec.band);
  take(settings, "after", spec.after);
  take(settings, "tolerance", spec.motion.tolerance);
  take_formulation(settings, spec.motion.formulation);
  return spec;
}

SizeSpec size_spec(const AnalysisRequest& settings) {
  SizeSpec spec;
  spec.flexible = settings.flag("flexible").value_or(false);
  take(settings, "end_time", spec.end_time);
  take(settings, "tolerance", spec.tolerance);
  take_formulation(settings, spec.formulation);
  return spec;
}

ContributionSpec contribution_spec(const AnalysisRequest& settings) {
  ContributionSpec spec;
  spec.tool = settings.text("tool").value_or("");
  spec.held = settings.texts("held");
  spec.count = static_cast<int>(settings.number("count").value_or(spec.count));
  take_formulation(settings, spec.formulation);
  return spec;
}

IdentifySpec identify_spec(const Model& model, const AnalysisRequest& settings) {
  IdentifySpec spec{.motion = spec_of<SimulateSpec>(model)};
  spec.fit = settings.texts("fit");
  spec.set = settings.texts("set");
  spec.held = settings.texts("held");
  take(settings, "confidence", spec.confidence);
  take(settings, "tolerance", spec.motion.tolerance);
  take_formulation(settings, spec.motion.formulation);
  return spec;
}

}  // namespace

StudyOutcome run_study(const PartialModel& robot, const StudyRequest& request, const StudyPlace& place) {
  const Model& model = robot.model;
  const AnalysisRequest& settings = request.settings;
  if (request.kind == "size") return study_size(robot, size_spec(settings), place);
  if (request.kind == "settle") return study_settle(model, settle_spec(model, settings), place);
  if (request.kind == "contributions") return study_contributions(robot, contribution_spec(settings), place);
  if (request.kind == "identify") return study_identify(model, request.data, identify_spec(model, settings), place);
  ShapeSpec spec{.settle = settle_spec(model, settings)};
  take(settings, "slowest", spec.slowest);
  return study_shape(model, spec, place);
}

std::vector<int> controllers_of(const Model& model, const StudyRequest& request) {
  if (request.kind == "size" || request.kind == "contributions") return {};
  return lithe::controllers_of(model, settle_spec(model, request.settings).motion);
}

int finish_study(StudyOutcome outcome, const StudyPlace& place, const Output& output) {
  if (outcome.page.scene) save_report(std::move(outcome.page), place.directory, outcome.files, place.stem);
  if (output.json()) {
    outcome.value["files"] = paths_json(outcome.files);
    output.print(outcome.value);
  } else {
    output.print(outcome.text + "\n" + where_results_lie(outcome.files));
  }
  return outcome.failed ? exit_failed : exit_ok;
}

}  // namespace lithe::app
