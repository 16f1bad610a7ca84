#include "lithe/analyse/studies/identify.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/models/inspected_model.h"
#include "app/models/model_warnings.h"
#include "app/models/new_file.h"
#include "app/motion/motion.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/robots/studies.h"
#include "app/terminal/consent.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/spec_options.h"
#include "app/terminal/table.h"
#include "lithe/base/computation_error.h"
#include "lithe/base/text.h"
#include "lithe/read/read_model.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

struct IdentifyCommand {
  std::string file, directory, written;
  std::vector<std::string> data;
  SpecOptions<IdentifySpec> spec;
};

std::string interval_text(const IdentifiedNumber& number) {
  if (!number.determined) return "not determined";
  return cat(app::number(number.lower, 5), " to ", app::number(number.upper, 5));
}

std::string numbers_text(const IdentifyResult& result, double confidence, const Style& style) {
  const std::string percent = number(100 * confidence, 4) + " %";
  TextTable table(
      {{"number", Align::left}, {"in the file"}, {"fitted"}, {"+- %"}, {percent + " interval", Align::left}});
  for (const IdentifiedNumber& one : result.numbers)
    table.add_row({one.path, number(one.start, 6), number(one.value, 6),
                   one.determined ? number(100 * (one.upper - one.value) / std::abs(one.value), 2) : "",
                   interval_text(one)});
  return table.text(style);
}

std::string rms_text(double rms, const IdentifiedCurve& curve) {
  return curve.relative ? cat(number(100 * rms, 3), " %")
                        : cat(number(rms, 4), curve.unit.empty() ? "" : " ", curve.unit);
}

std::string correlation_text(const IdentifyResult& result, const Style& style) {
  if (result.numbers.size() < 2) return "";
  std::vector<TextColumn> columns{{"correlation", Align::left}};
  for (std::size_t j = 0; j < result.numbers.size(); ++j) columns.push_back({cat(j + 1)});
  TextTable table(columns);
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    std::vector<std::string> row{cat(i + 1, " ", result.numbers[i].path)};
    for (std::size_t j = 0; j < result.numbers.size(); ++j) {
      const bool both = result.numbers[i].determined && result.numbers[j].determined;
      const double value = result.correlation(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      row.push_back(both ? fixed(value, 2) : "");
    }
    table.add_row(std::move(row));
  }
  return "\n" + table.text(style);
}

std::string identify_text(const IdentifyResult& result, const IdentifySpec& spec, const Style& style) {
  std::string text = numbers_text(result, spec.confidence, style) + "\n";
  TextTable curves({{"differences, RMS", Align::left}, {"before"}, {"after"}});
  for (const IdentifiedCurve& curve : result.curves)
    curves.add_row({curve.name, rms_text(curve.rms_before, curve), rms_text(curve.rms_after, curve)});
  text += curves.text(style) + correlation_text(result, style);
  text += cat("\n", result.iterations, " iterations, ", result.num_models, " models computed\n");
  for (const std::string& sentence : result.undetermined) text += cat("warning: not determined: ", sentence, "\n");
  for (const std::string& note : result.notes) text += cat("warning: ", note, "\n");
  return text;
}

nlohmann::json identify_json(const IdentifyResult& result) {
  nlohmann::json numbers = nlohmann::json::array(), curves = nlohmann::json::array(), rows = nlohmann::json::array();
  for (const IdentifiedNumber& one : result.numbers)
    numbers.push_back({{"path", one.path},
                       {"start", one.start},
                       {"value", one.value},
                       {"determined", one.determined},
                       {"at_bound", one.at_bound},
                       {"standard_error", json_number(one.standard_error)},
                       {"interval", {json_number(one.lower), json_number(one.upper)}}});
  for (const IdentifiedCurve& curve : result.curves)
    curves.push_back({{"name", curve.name},
                      {"unit", curve.unit},
                      {"relative", curve.relative},
                      {"rms_before", curve.rms_before},
                      {"rms_after", curve.rms_after},
                      {"correlation", curve.correlation}});
  for (Eigen::Index i = 0; i < result.correlation.rows(); ++i) {
    rows.push_back(nlohmann::json::array());
    for (Eigen::Index j = 0; j < result.correlation.cols(); ++j) rows.back().push_back(result.correlation(i, j));
  }
  return {{"kind", "identify"},
          {"converged", result.converged},
          {"iterations", result.iterations},
          {"degrees_of_freedom", result.degrees_of_freedom},
          {"numbers", numbers},
          {"correlation", rows},
          {"curves", curves},
          {"undetermined", result.undetermined},
          {"notes", result.notes}};
}

// Its three stages, in the order in which they are drawn and written.
struct Stage {
  const char* name;
  const std::vector<double> IdentifiedCurve::*values;
};
constexpr Stage stages[] = {{"measured", &IdentifiedCurve::measured},
                            {"before", &IdentifiedCurve::before},
                            {"fitted", &IdentifiedCurve::after}};

std::string numbered(const std::string& name, std::size_t data) { return data == 0 ? name : cat(name, " ", data + 1); }

void add_curves(const IdentifyResult& result, Report& report) {
  for (const Stage& stage : stages) {
    for (const IdentifiedCurve& curve : result.curves) {
      const std::string run = numbered(stage.name, curve.data);
      if (curve.at_name == "time") {
        auto own =
            std::find_if(report.runs.begin(), report.runs.end(), [&](const ReportRun& r) { return r.name == run; });
        if (own == report.runs.end()) {
          report.runs.push_back({.name = run, .times = curve.at, .columns = {}, .facts = {}});
          own = report.runs.end() - 1;
        }
        own->columns.push_back({curve.name, curve.unit, curve.*stage.values});
      } else if (curve.at_name == "frequency" && curve.relative) {
        ReportSpectrum spectrum{.sensor = curve.name, .unit = curve.unit, .run = run, .spectrum = {}};
        spectrum.spectrum.frequencies = curve.at;
        spectrum.spectrum.values = curve.*stage.values;
        report.spectra.push_back(std::move(spectrum));
      }
    }
  }
}

Report identify_page(const Model& model, const IdentifyResult& result) {
  Report report;
  report.title = model.name;
  report.subtitle = "identification";
  report.scene = make_scene(model);
  ReportTable numbers{.title = "fitted numbers, SI",
                      .columns = {{"number", ""}, {"in the file", ""}, {"fitted", ""}, {"from", ""}, {"to", ""}},
                      .rows = {}};
  for (const IdentifiedNumber& one : result.numbers)
    numbers.rows.push_back({one.path, one.start, one.value,
                            one.determined ? std::variant<double, std::string>(one.lower) : "not determined",
                            one.determined ? std::variant<double, std::string>(one.upper) : "not determined"});
  ReportTable fits{.title = "RMS of the differences",
                   .columns = {{"measured", ""}, {"before", ""}, {"fitted", ""}, {"", ""}},
                   .rows = {}};
  for (const IdentifiedCurve& curve : result.curves)
    fits.rows.push_back({curve.name, curve.rms_before, curve.rms_after, curve.relative ? "relative" : curve.unit});
  report.tables = {numbers, fits};
  for (const IdentifiedCurve& curve : result.curves) {
    if (curve.at_name != "mode") continue;
    ReportTable modes{
        .title = curve.name,
        .columns = {{"mode", ""}, {"measured", curve.unit}, {"before", curve.unit}, {"fitted", curve.unit}},
        .rows = {}};
    for (std::size_t i = 0; i < curve.at.size(); ++i)
      modes.rows.push_back({curve.at[i], curve.measured[i], curve.before[i], curve.after[i]});
    report.tables.push_back(std::move(modes));
  }
  for (const std::string& sentence : result.undetermined) report.facts.emplace_back("not determined", sentence);
  for (const std::string& note : result.notes) report.facts.emplace_back("note", note);
  add_curves(result, report);
  return report;
}

std::string table_name(const std::string& stem, std::size_t data) { return cat(stem, "_", data + 1, ".csv"); }
std::vector<std::string> names_of_files(const std::string& stem, std::size_t num_data) {
  std::vector<std::string> names{stem + ".html"};
  for (std::size_t data = 0; data < num_data; ++data) names.push_back(table_name(stem, data));
  return names;
}

// One table per file of data.
std::vector<std::filesystem::path> write_curves(const IdentifyResult& result, const Model& model,
                                                const StudyPlace& place) {
  FileSet files(place.directory);
  for (std::size_t data = 0;; ++data) {
    Table table;
    table.name = "identify";
    table.notes = {{"model", model.name}};
    for (const IdentifiedCurve& curve : result.curves) {
      if (curve.data != data) continue;
      if (table.columns.empty()) table.add(curve.at_name, curve.at_unit, curve.at);
      for (const Stage& stage : stages) table.add(cat(curve.name, " ", stage.name), curve.unit, curve.*stage.values);
    }
    if (table.columns.empty()) break;
    write_csv(table, files.add(table_name(place.stem, data)));
  }
  files.commit();
  return files.paths();
}

IdentifyResult identified(const Model& model, const ParametricModel& file, const std::vector<MeasuredData>& data,
                          const IdentifySpec& spec) {
  IdentifyResult result = identify(file, data, spec, TerminalHooks("fitting"));
  if (!result.failure.empty()) throw ComputationError(cat(model.file, ": ", result.failure));
  return result;
}

StudyOutcome identify_outcome(const Model& model, const IdentifyResult& result, const IdentifySpec& spec,
                              const StudyPlace& place) {
  return {.text = identify_text(result, spec, place.style),
          .value = identify_json(result),
          .files = write_curves(result, model, place),
          .page = identify_page(model, result),
          .failed = !result.converged};
}

int run_identify(const Model& model, const IdentifyCommand& command, const Output& output) {
  const IdentifySpec spec = command.spec.over({.motion = spec_of<SimulateSpec>(model)});
  if (!command.written.empty()) try_new_file(command.written);
  warn_on_modes(model, spec.motion.formulation.formulation);
  require_consent(model, controllers_of(model, spec.motion));
  const ParametricModel file(command.file, read_options(command.file));
  std::vector<MeasuredData> data;
  for (const std::string& path : command.data) data.push_back(read_measured(path));
  const StudyPlace place{tried_directory(command.directory, model, names_of_files("identify", data.size())), "identify",
                         output.style()};
  const IdentifyResult result = identified(model, file, data, spec);
  StudyOutcome outcome = identify_outcome(model, result, spec, place);
  save_report(std::move(outcome.page), place.directory, outcome.files, place.stem);
  outcome.page = {};
  if (!command.written.empty()) {
    write_new_file(file.text_with(result.values()), command.written);
    outcome.files.emplace_back(command.written);
  }
  return finish_study(std::move(outcome), place, output);
}

Action set_up_identify(CommandOptions& command) {
  auto options = std::make_shared<IdentifyCommand>();
  add_model_file(command, options->file);
  SpecOptions<IdentifySpec>& spec = options->spec;
  command
      .add_option("--data", options->data,
                  "Measurement, CSV with headings: time and sensors; frequency and a response ('tip.z of motor real'); "
                  "or natural frequencies. Again for more")
      .required()
      .one_word_each();
  spec.add(
          command, "--fit", &IdentifySpec::fit,
          "Number of the model file to fit, 'joints.elbow.stiffness', or with bounds 'path = lower : upper'; again for "
          "more")
      .required()
      .one_word_each();
  spec.add(command, "--set", &IdentifySpec::set, "Number that was another during the measurement, 'path = value'")
      .one_word_each();
  spec.add(command, "--held", &IdentifySpec::held, "Joints that were locked while frequencies were measured")
      .separated_by_commas()
      .one_word_each();
  spec.add(command, "--confidence", &IdentifySpec::confidence, "Of the intervals; 0.95 by default").positive();
  spec.add(command, "--threads", &IdentifySpec::threads, "Threads; by default one per processor").between(1, 4096);
  const auto motion = [](auto member) {
    return [member](IdentifySpec& of) -> decltype(auto) { return std::invoke(member, of.motion); };
  };
  spec.add(command, "--tolerance", motion(&SimulateSpec::tolerance), "Error of node positions per second of motion, m")
      .positive();
  spec.add(command, "--integrator", motion(&SimulateSpec::integrator), "As for simulate");
  add_formulation_options(command, spec, motion(&SimulateSpec::formulation));
  command.add_option("-o,--output", options->written, "Model file to write, with the fitted numbers; comments stay");
  command.add_option("--results", options->directory, output_help);
  return action_on_model(options, run_identify);
}

const CommandRegistration identify_registration(
    {.name = "identify",
     .rank = 48,
     .summary = "Stiffness, damping, friction, masses fitted to measurements, with confidence intervals",
     .examples = "  lithe identify arm.toml --data measured.csv --fit joints.elbow.stiffness --fit "
                 "joints.elbow.damping -o fitted.toml\n"
                 "  lithe identify arm.toml --data frequencies.csv --held shoulder \\\n    --fit "
                 "'materials.carbon.young_modulus = 50 GPa : 200 GPa'\n",
     .set_up = set_up_identify});

}  // namespace

StudyOutcome study_identify(const Model& model, const std::vector<MeasuredData>& data, const IdentifySpec& spec,
                            const StudyPlace& place) {
  const ParametricModel file(model.file, read_options(model.file));
  return identify_outcome(model, identified(model, file, data, spec), spec, place);
}

}  // namespace lithe::app
