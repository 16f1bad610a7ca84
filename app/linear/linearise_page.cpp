#include "app/linear/floquet_report.h"
#include "app/linear/linearise.h"
#include "lithe/view/linear_report.h"

namespace lithe::app {

void add_to_page(const LineariseResult& outcome, const LineariseSpec& settings, Report& report) {
  add_linear(outcome, settings, report);
  if (!outcome.floquet) return;
  report.tables.push_back(floquet_table(*outcome.floquet, settings.count));
  report.facts.emplace_back("stability", floquet_verdict(*outcome.floquet));
}

}  // namespace lithe::app
