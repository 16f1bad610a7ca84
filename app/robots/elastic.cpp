#include "app/robots/elastic.h"

#include <algorithm>
#include <cmath>

#include "app/motion/motion.h"
#include "app/pages/reports.h"
#include "app/program/command.h"
#include "app/terminal/result_directory.h"
#include "app/terminal/table.h"
#include "lithe/base/computation_error.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/results/files/csv.h"
#include "lithe/results/files/file_set.h"

namespace lithe::app {
namespace {

double peak_of(const std::vector<double>& values) {
  double peak = 0;
  for (const double value : values) peak = std::max(peak, std::abs(value));
  return peak;
}

double windup_of(const FeedforwardJoint& joint) {
  double largest = 0;
  for (std::size_t i = 0; i < joint.link.size(); ++i)
    largest = std::max(largest, std::abs(joint.motor[i] - joint.link[i]));
  return largest;
}

struct Curve {
  std::string name, unit;
  const std::vector<double>* values;
};

// Of all joints: link, motor, its speed, torque through the gearbox, torque of the motor.
std::vector<Curve> curves_of(const FeedforwardResult& result) {
  std::vector<Curve> curves;
  for (const FeedforwardJoint& joint : result.joints) {
    const std::string unit = joint.slides ? "m" : "rad", force = joint.slides ? "N" : "N m";
    curves.push_back({joint.joint + " link", unit, &joint.link});
    curves.push_back({joint.joint + " motor", unit, &joint.motor});
    curves.push_back({joint.joint + " motor speed", unit + "/s", &joint.motor_speed});
    curves.push_back({joint.joint + " gear torque", force, &joint.gear_torque});
    curves.push_back({joint.joint + " torque", joint.ratio == 1 ? force : "N m", &joint.torque});
  }
  return curves;
}

std::string elastic_text(const FeedforwardResult& result, const Style& style) {
  std::string text = "Motor torques with which the links move as prescribed, links rigid\n\n";
  TextTable table({{"joint", Align::left},
                   {"gearbox", Align::left},
                   {"ratio"},
                   {"peak torque N m"},
                   {"peak gear N m"},
                   {"windup rad"},
                   {"error rad"},
                   {"uncorrected rad"}});
  for (const FeedforwardJoint& joint : result.joints)
    table.add_row({joint.joint, joint.elastic ? "elastic" : "rigid", number(joint.ratio),
                   number(peak_of(joint.torque), 4), number(peak_of(joint.gear_torque), 4), number(windup_of(joint), 3),
                   number(joint.error, 2), number(joint.uncorrected, 3)});
  text += table.text(style);
  text +=
      "\nThe torque is that of the motor, at the joint where there is no gearbox. Error: of the link, simulated with "
      "these motor values;\nuncorrected: with the values of a rigid gearbox.\n";
  for (const std::string& warning : result.warnings) text += cat("warning: ", warning, "\n");
  return text;
}

nlohmann::json elastic_json(const FeedforwardResult& result) {
  nlohmann::json joints = nlohmann::json::array();
  for (const FeedforwardJoint& joint : result.joints)
    joints.push_back({{"joint", joint.joint},
                      {"elastic", joint.elastic},
                      {"ratio", joint.ratio},
                      {"peak_torque", peak_of(joint.torque)},
                      {"peak_gear_torque", peak_of(joint.gear_torque)},
                      {"largest_windup", windup_of(joint)},
                      {"error", json_number(joint.error)},
                      {"uncorrected_error", json_number(joint.uncorrected)}});
  return {{"kind", "elastic_feedforward"}, {"joints", joints}, {"warnings", result.warnings}};
}

Report elastic_page(const Model& model, const FeedforwardResult& result) {
  Report report;
  report.title = model.name;
  report.subtitle = "inverse dynamics of elastic gearboxes";
  report.scene = make_scene(model);
  ReportTable table{.title = "motors",
                    .columns = {{"joint", ""},
                                {"ratio", ""},
                                {"peak torque", "N m"},
                                {"peak at the gearbox", "N m"},
                                {"largest windup", "rad"},
                                {"error", "rad"},
                                {"uncorrected", "rad"}},
                    .rows = {}};
  for (const FeedforwardJoint& joint : result.joints)
    table.rows.push_back({joint.joint, joint.ratio, peak_of(joint.torque), peak_of(joint.gear_torque), windup_of(joint),
                          joint.error, joint.uncorrected});
  report.tables.push_back(std::move(table));
  ReportRun run{.name = "feedforward", .times = result.times, .columns = {}, .facts = {}};
  for (const Curve& curve : curves_of(result)) run.columns.push_back({curve.name, curve.unit, *curve.values});
  report.runs.push_back(std::move(run));
  for (const std::string& warning : result.warnings) report.facts.emplace_back("warning", warning);
  return report;
}

}  // namespace

int run_elastic(const PartialModel& robot, const FeedforwardSpec& spec, const std::string& directory,
                const Output& output) {
  const std::filesystem::path folder = tried_directory(directory, robot.model, {"elastic.csv", "elastic.html"});
  const FeedforwardResult result =
      elastic_feedforward(robot.model, robot.drive_trains, spec, TerminalHooks("inverse dynamics"));
  if (!result.failure.empty()) throw ComputationError(cat(robot.model.file, ": ", result.failure));
  Table table;
  table.name = "elastic";
  table.notes = {{"model", robot.model.name}};
  table.add("time", "s", result.times);
  for (const Curve& curve : curves_of(result)) table.add(curve.name, curve.unit, *curve.values);
  FileSet files(folder);
  write_csv(table, files.add("elastic.csv"));
  files.commit();
  std::vector<std::filesystem::path> paths = files.paths();
  save_report(elastic_page(robot.model, result), folder, paths, "elastic");
  if (output.json()) {
    nlohmann::json value = elastic_json(result);
    value["files"] = paths_json(paths);
    output.print(value);
  } else {
    output.print(elastic_text(result, output.style()) + "\n" + where_results_lie(paths));
  }
  return exit_ok;
}

}  // namespace lithe::app
