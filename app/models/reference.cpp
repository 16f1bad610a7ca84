#include "app/program/command.h"
#include "lithe/read/read_model.h"
#include "lithe/read/schema/json_schema.h"

namespace lithe::app {
namespace {

int print_reference(bool schema, const Output& output) {
  const std::string text = schema ? model_file_schema() : model_file_reference();
  if (output.json() && !schema) {
    output.print(nlohmann::json{{"format", "markdown"}, {"text", text}});
  } else {
    output.print(text);
  }
  return exit_ok;
}

const CommandRegistration registration(
    {.name = "reference",
     .rank = 85,
     .summary = "Reference page of the model file (Markdown) or its JSON Schema",
     .examples = "  lithe reference > model_file.md\n  lithe reference --schema > lithe.schema.json\n",
     .set_up = [](CommandOptions& command) -> Action {
       auto schema = std::make_shared<bool>(false);
       command.add_flag("--schema", *schema, "Print the JSON Schema of the model file, for editors");
       return [schema](const Output& output) { return print_reference(*schema, output); };
     }});

}  // namespace
}  // namespace lithe::app
