// What `condense` and `run` share: from the condensed model to text and a page.
#pragma once

#include <string>

#include "app/terminal/output.h"
#include "lithe/analyse/analyses.h"
#include "lithe/view/report.h"

namespace lithe::app {

std::string condense_text(const Model& model, const CondenseResult& outcome, const Style& style);
nlohmann::json condense_json(const Model& model, const CondenseResult& outcome);
// The page: the mechanism in its configuration, frequencies, matrices of the tool.
Report condense_page(const Model& model, const CondenseResult& outcome);

}  // namespace lithe::app
