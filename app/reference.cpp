#include "app/command.h"
#include "lithe/read/read_model.h"

namespace lithe::app {
namespace {

int print_reference(const Output& output) {
  if (output.json()) {
    output.print(nlohmann::json{{"format", "markdown"}, {"text", model_file_reference()}});
  } else {
    output.print(model_file_reference());
  }
  return exit_ok;
}

const CommandRegistration registration({.name = "reference",
                                        .rank = 85,
                                        .summary = "Reference page of the model file, as Markdown",
                                        .examples = "  lithe reference > model_file.md\n",
                                        .set_up = [](CommandOptions&) -> Action { return print_reference; }});

}  // namespace
}  // namespace lithe::app
