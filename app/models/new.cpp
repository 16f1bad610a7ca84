// Four questions, then a commented model file. Every answer may be given as an option; nobody is asked then, nor when
// the standard input is no terminal.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "app/models/new_file.h"
#include "app/models/new_model.h"
#include "app/pages/shown.h"
#include "app/program/command.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/base/units.h"

namespace lithe::app {
namespace {

struct Options {
  std::string file;
  std::optional<std::string> mechanism, material, size;
  std::optional<int> links;
};

constexpr int most_links = 20;

std::string ask(const std::string& question, const std::string& fallback) {
  std::cout << question << " [" << fallback << "] " << std::flush;
  std::string answer;
  if (!std::getline(std::cin, answer)) return fallback;
  const std::size_t from = answer.find_first_not_of(" \t\r");
  if (from == std::string::npos) return fallback;
  return answer.substr(from, answer.find_last_not_of(" \t\r") - from + 1);
}

std::string ask_one_of(const std::string& question, const std::vector<std::string>& choices) {
  while (true) {
    const std::string answer = ask(cat(question, " (", joined(choices), ")"), choices.front());
    if (std::find(choices.begin(), choices.end(), answer) != choices.end()) return answer;
    if (!std::cin) return choices.front();
    std::cout << "'" << answer << "' is none of them.\n";
  }
}

// "800 mm", or a number of metres.
double metres(const std::string& text) {
  std::string error;
  const std::optional<MeasuredValue> value = parse_quantity(text, &error);
  const bool is_length = value && (!value->has_unit || fits(value->unit.dimension, parse_unit("m")->dimension));
  if (!is_length || !(value->in_si() >= 1e-3 && value->in_si() <= 1e3))
    throw InputError(cat("the size must be a length from 1 mm to 1 km such as \"800 mm\", got '", text, "'",
                         error.empty() ? "" : " (" + error + ")"));
  return value->in_si();
}

NewModel answers(const Options& options) {
  const bool asks =
      is_terminal(STDIN_FILENO) && !(options.mechanism || options.material || options.size || options.links);
  NewModel model;
  model.name = shown_in_line(std::filesystem::path(options.file).stem().string());
  const auto choose = [&](const std::optional<std::string>& given, const char* question,
                          const std::vector<std::string>& choices) {
    return given ? *given : asks ? ask_one_of(question, choices) : choices.front();
  };
  model.mechanism = choose(options.mechanism, "Which mechanism?", new_mechanisms());
  if (options.links) model.num_links = *options.links;
  if (asks && model.mechanism == "arm") {
    const std::string count = ask("How many links?", cat(model.num_links));
    model.num_links = std::atoi(count.c_str());
    if (model.num_links < 1 || model.num_links > most_links)
      throw InputError(cat("the number of links must be from 1 to ", most_links, ", got '", count, "'"));
  }
  model.size = metres(options.size ? *options.size : asks ? ask("How large is it?", "1 m") : "1 m");
  model.material = choose(options.material, "Of which material?", new_materials());
  return model;
}

int run(Options options, const Output& output) {
  std::filesystem::path path(options.file);
  if (path.extension() != ".toml") path += ".toml";
  options.file = path.string();
  require_new_file(path);
  const NewModel model = answers(options);
  write_new_file(new_model_text(model), path);
  if (output.json()) {
    output.print(nlohmann::json{{"file", options.file}, {"mechanism", model.mechanism}, {"material", model.material}});
  } else {
    output.print(cat("Wrote ", options.file, ". Next: lithe run ", options.file, "\n"));
  }
  return exit_ok;
}

Action set_up(CommandOptions& command) {
  auto options = std::make_shared<Options>();
  command.add_option("FILE", options->file, "The model file to write, such as arm.toml").required();
  command.add_option("--mechanism", options->mechanism, "arm, four_bar or rotor").one_of(new_mechanisms());
  command.add_option("--links", options->links, "Number of links of an arm").between(1, most_links);
  command.add_option("--size", options->size, "Reach of the arm, ground bar of the four-bar, length of the blade");
  command.add_option("--material", options->material, "Material of the links").one_of(new_materials());
  return [options](const Output& output) { return run(*options, output); };
}

const CommandRegistration registration(
    {.name = "new",
     .rank = 7,
     .summary = "Write a commented model file; asks four questions, or takes the answers as options",
     .examples =
         "  lithe new arm.toml\n  lithe new robot.toml --mechanism arm --links 3 --size '800 mm' --material steel\n",
     .set_up = set_up});

}  // namespace
}  // namespace lithe::app
