#include "lithe/view/comparison_report.h"

#include "lithe/base/text.h"

namespace lithe {
namespace {

ReportTable agreement_table(const Comparison& comparison, std::size_t k) {
  ReportTable table;
  table.title = cat(comparison.runs[k + 1].name, " against ", comparison.runs[0].name);
  table.columns = {{"sensor", ""}, {"unit", ""}, {"largest", ""}, {"at", "s"},
                   {"final", ""},  {"rms", ""},  {"peak", ""},    {"peak of reference", ""}};
  for (const SensorDifference& d : comparison.differences[k])
    table.rows.push_back(
        {d.sensor, d.unit, d.largest, d.largest_time, d.final, d.mean_square, d.peak, d.reference_peak});
  return table;
}

}  // namespace

Report comparison_report(const Comparison& comparison) {
  const ComparedRun& reference = comparison.runs.front();
  Report report;
  if (reference.equations) report = motion_report(*reference.equations, reference.motion);
  report.title = reference.motion.model;
  report.subtitle = reference.equations ? "comparison of formulations" : "comparison of runs";
  report.runs.clear();
  ReportComparison differences;
  differences.name = cat("Differences from ", reference.name);
  for (std::size_t k = 0; k < comparison.runs.size(); ++k) {
    const ComparedRun& run = comparison.runs[k];
    report.runs.push_back(report_run(run.motion, run.name));
    if (run.equations) report.runs.back().computing_time = run.seconds;
    if (!run.equations) report.runs.back().facts.clear();
    if (k == 0) continue;
    for (const Column& column : reference.motion.columns) {
      const Column* other = run.motion.column(column.name);
      if (!other) continue;
      ReportDifference difference{column.name, column.unit, run.name, reference.name, {}, {}};
      // Of long runs both have a choice of their instants.
      for (std::size_t i = 0, j = 0; i < column.values.size() && j < other->values.size();) {
        const double time = reference.motion.times[i], own = run.motion.times[j];
        if (time == own) {
          difference.times.push_back(time);
          difference.values.push_back(other->values[j] - column.values[i]);
        }
        i += time <= own ? 1 : 0;
        j += own <= time ? 1 : 0;
      }
      differences.differences.push_back(std::move(difference));
    }
    differences.agreement.push_back(agreement_table(comparison, k - 1));
  }
  report.comparisons.push_back(std::move(differences));
  return report;
}

}  // namespace lithe
