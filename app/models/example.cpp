#include "app/program/command.h"
#include "app/program/embedded.h"

namespace lithe::app {
namespace {

int list_examples(const Output& output) {
  if (output.json()) {
    output.print(nlohmann::json{{"examples", example_names()}});
    return exit_ok;
  }
  for (const std::string& name : example_names()) output.print(name + "\n");
  return exit_ok;
}

int print_example(const std::string& name, const Output& output) {
  const std::string text(example_text(name));
  if (output.json()) {
    output.print(nlohmann::json{{"name", name}, {"text", text}});
  } else {
    output.print(text);
  }
  return exit_ok;
}

const CommandRegistration registration({.name = "example",
                                        .rank = 80,
                                        .summary = "Print an example model file; without a name, list them",
                                        .examples = "  lithe example\n  lithe example l_shape > l_shape.toml\n",
                                        .set_up = [](CommandOptions& command) -> Action {
                                          auto name = std::make_shared<std::string>();
                                          command.add_option("NAME", *name, "Name of the example");
                                          return [name](const Output& output) {
                                            return name->empty() ? list_examples(output) : print_example(*name, output);
                                          };
                                        }});

}  // namespace
}  // namespace lithe::app
