// `lithe inverse-dynamics --elastic`.
#pragma once

#include <string>

#include "app/terminal/output.h"
#include "lithe/analyse/studies/elastic_feedforward.h"
#include "lithe/read/partial_model.h"

namespace lithe::app {

// Computes, writes elastic.csv and its page, prints. Returns the exit code.
int run_elastic(const PartialModel& robot, const FeedforwardSpec& spec, const std::string& directory,
                const Output& output);

}  // namespace lithe::app
