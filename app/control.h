// What `control` and `run` share: from a study to text, files and a page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/output.h"
#include "lithe/analyse/control/control_study.h"
#include "lithe/view/report.h"

namespace lithe::app {

std::string control_text(const ControlStudy& study, const Style& style);
nlohmann::json control_json(const ControlStudy& study);
// <stem>.csv and <stem>.html
std::vector<std::filesystem::path> write_control(const ControlStudy& study, const std::filesystem::path& directory,
                                                 const std::string& stem);
ReportTable control_figures_table(const ControlStudy& study);

}  // namespace lithe::app
