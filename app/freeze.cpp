#include <fstream>
#include <iterator>

#include "app/command.h"
#include "app/consent.h"
#include "app/inspected_model.h"
#include "app/mode_choice.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/model/automatic_reduction.h"
#include "lithe/read/freeze_reduction.h"
#include "lithe/read/model_parameters.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file, output;
  bool in_place = false;
};

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw InputError(cat(path, ": cannot be written"));
}

int run(const Model& model, const Options& options, const Output& output) {
  const ModeChoice* choice = told_mode_choice();
  if (choice && !choice->problem.empty())
    throw InputError(cat(options.file, ": no number of modes can be chosen: ", choice->problem));
  std::vector<std::pair<int, int>> numbers;
  nlohmann::json links = nlohmann::json::array();
  if (choice)
    for (const LinkModeChoice& link : choice->links) {
      numbers.emplace_back(link.link, link.num_dynamic);
      links.push_back({{"link", model.links.at(static_cast<std::size_t>(link.link)).name},
                       {"internal_modes", link.num_dynamic},
                       {"available", link.num_available}});
    }
  const std::string text =
      with_internal_modes(ParametricModel(options.file, read_options(options.file)).text(), options.file, numbers);
  const std::string target = options.in_place ? options.file : options.output;
  if (!target.empty()) write_text(target, text);
  if (output.json()) {
    nlohmann::json value{{"links", links}};
    target.empty() ? value["text"] = text : value["file"] = target;
    output.print(value);
  } else if (target.empty()) {
    output.print(text);
  } else {
    output.print(
        cat(numbers.size(), numbers.size() == 1 ? " link" : " links", " with a fixed number of modes: ", target, "\n"));
  }
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  add_model_file(command, options->file);
  command.add_option("-o,--output", options->output, "File to write; without it the text is printed");
  command.add_flag("--in-place", options->in_place, "Change the model file itself");
  return action_on_model(options, run);
}

const CommandRegistration registration(
    {.name = "freeze",
     .rank = 25,
     .summary = "Write the automatically chosen numbers of modes into the model file",
     .examples = "  lithe freeze arm.toml -o frozen.toml\n  lithe freeze arm.toml --in-place\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
