// A model file for commands that ask about its drive trains and moves as well.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/program/command.h"
#include "lithe/read/partial_model.h"

namespace lithe::app {

// As run_on_model(), with all that was read.
int run_on_robot(const std::string& path, const std::function<int(const PartialModel&)>& action);

template <typename Options>
Action action_on_robot(std::shared_ptr<Options> options,
                       int (*run)(const PartialModel&, const Options&, const Output&)) {
  return [options, run](const Output& output) {
    return run_on_robot(options->file, [&](const PartialModel& robot) { return run(robot, *options, output); });
  };
}

}  // namespace lithe::app
