// A model file as commands get it: with every error in it at once.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/program/command.h"
#include "lithe/analyse/inspect/inspect.h"
#include "lithe/formulate/contract/equations.h"
#include "lithe/model/model.h"

namespace lithe::app {

struct InspectedModel {
  Model model;
  MechanismInfo info;
};

// Throws InputError with the errors of all stages at once: of reading, and of links, loops and configuration as far as
// those of reading leave them alone.
InspectedModel inspect_file(const std::string& path);

// Calls `action` with the model of a file. Where the file or the action finds errors, throws InputError with those
// that `inspect_file` would find as well.
int run_on_model(const std::string& path, const std::function<int(const Model&)>& action);

// The action of a command whose options name a model file.
template <typename Options>
Action action_on_model(std::shared_ptr<Options> options, int (*run)(const Model&, const Options&, const Output&)) {
  return [options, run](const Output& output) {
    return run_on_model(options->file, [&](const Model& model) { return run(model, *options, output); });
  };
}

// What a status of the start configuration means, with the loops that are singular there.
std::string explain(const Model& model, EvaluationStatus status);

}  // namespace lithe::app
