// What `control` and `run` share: from settings to a study, from that to text, files and a page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/output.h"
#include "lithe/analyse/control/control_study.h"
#include "lithe/view/report.h"

namespace lithe::app {

// Settings of the file's simulation, and of a request of kind control over them where there is one.
ControlStudyOptions control_options(const Model& model, const AnalysisRequest* request);
// With progress, until Ctrl-C at most.
ControlStudy run_control(const Model& model, ControlStudyOptions options);

std::string control_text(const ControlStudy& study, const Style& style);
nlohmann::json control_json(const ControlStudy& study);
// <stem>.csv and <stem>.html
std::vector<std::filesystem::path> write_control(const ControlStudy& study, const std::filesystem::path& directory,
                                                 const std::string& stem);
ReportTable control_figures_table(const ControlStudy& study);

}  // namespace lithe::app
