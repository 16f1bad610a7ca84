// Floquet multipliers as text, JSON and a table of the page.
#pragma once

#include "app/terminal/output.h"
#include "lithe/analyse/stability/floquet.h"
#include "lithe/view/report.h"

namespace lithe::app {

std::string floquet_text(const FloquetResult& result, int count, const Style& style);
nlohmann::json floquet_json(const FloquetResult& result);
ReportTable floquet_table(const FloquetResult& result, int count);
// One sentence.
std::string floquet_verdict(const FloquetResult& result);

}  // namespace lithe::app
