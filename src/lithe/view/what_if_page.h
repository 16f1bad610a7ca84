// A page in which readers change numbers of the model and see what comes of it: the playground (playground/), with a
// model and its result inside.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lithe/read/read_model.h"
#include "lithe/view/report.h"

namespace lithe {

struct WhatIfStart {
  std::string file, title, text;     // of the model: its file, its name, what the file says
  std::string what;                  // the question of playground/bridge.h that the result answers
  std::string settings;              // of the analysis, as JSON
  std::vector<std::string> sliders;  // numbers of the model that have one from the start
};

// The playground in a file; throws InputError for others.
std::string read_playground(const std::filesystem::path& path);
// Throws InputError where a page could not compute the model again, since the run has read other files, and for sliders
// of what is no number of it.
void check_what_if(const WhatIfStart& start, const ReadOptions& options);

std::string what_if_text(const std::string& playground, const WhatIfStart& start, const Report& report);

}  // namespace lithe
