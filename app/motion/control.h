// What `control` and `run` share: the study, its text, files and page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/motion/run_recordings.h"
#include "app/terminal/output.h"
#include "lithe/analyse/control/control_study.h"
#include "lithe/view/report.h"

namespace lithe::app {

// With progress, until Ctrl-C at most. Its runs are on disk while they are computed.
ControlStudy run_control(const Model& model, const ControlSpec& spec, RunRecordings& recordings);

std::string control_text(const ControlStudy& study, const Style& style);
nlohmann::json control_json(const ControlStudy& study);
// <stem>.csv and <stem>.html; the recordings are not needed any more.
std::vector<std::filesystem::path> write_control(const ControlStudy& study, RunRecordings& recordings);
ReportTable control_figures_table(const ControlStudy& study);

}  // namespace lithe::app
