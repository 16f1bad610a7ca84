#include "app/program/command.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <new>
#include <string_view>
#include <utility>

#include "app/pages/shown.h"
#include "app/program/command_line.h"
#include "app/program/failure_text.h"
#include "app/program/help.h"
#include "app/terminal/interrupt.h"
#include "lithe/base/computation_error.h"
#include "lithe/base/diagnostics.h"
#include "lithe/base/nearest_name.h"
#include "lithe/base/text.h"
#include "lithe/read/tables/files_of_run.h"

namespace lithe::app {
namespace {

std::vector<Command>& registry() {
  static std::vector<Command> registered;
  return registered;
}

// CLI11's words with a capital first letter and without line breaks become one sentence that begins with the program.
std::string one_sentence(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1]))) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string given_command(const CLI::App& parser) {
  const std::vector<CLI::App*> given = parser.get_subcommands();
  return given.empty() ? std::string() : given.front()->get_name() + " ";
}

bool is_command(const std::string& name) {
  const std::vector<Command>& all = commands();
  return std::any_of(all.begin(), all.end(), [&](const Command& command) { return command.name == name; });
}

std::string with_suggestion(const std::string& what, const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_name(word, known);
  return cat("there is no ", what, " '", word, "'", near.empty() ? std::string() : cat("; did you mean '", near, "'?"));
}

// The first word that looks like an option of the given command and is none.
std::string unknown_option(int argc, const char* const* argv, const CLI::App& parser) {
  std::vector<std::string> known{"--help"};
  for (const CLI::App* command : parser.get_subcommands())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (int i = 2; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (word.rfind("--", 0) == 0 && word.size() > 2 && std::find(known.begin(), known.end(), word) == known.end())
      return with_suggestion("option", word, known);
  }
  return {};
}

// What is wrong with a command line that the parser refused.
std::string usage_error(int argc, const char* const* argv, const CLI::App& parser, const CLI::ParseError& error) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (!first.empty() && first.rfind('-', 0) != 0 && !is_command(first)) {
    std::vector<std::string> known;
    for (const Command& command : commands()) known.push_back(command.name);
    return with_suggestion("command", first, known);
  }
  const std::string option = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)
                                 ? unknown_option(argc, argv, parser)
                                 : std::string();
  return option.empty() ? one_sentence(error.what()) : option;
}

nlohmann::json errors_as_json(const InputError& error) {
  nlohmann::json list = nlohmann::json::array();
  for (const Diagnostic& entry : error.errors()) {
    list.push_back({{"file", entry.file},
                    {"line", entry.line},
                    {"column", entry.column},
                    {"path", entry.path},
                    {"message", entry.message}});
  }
  return {{"ok", false}, {"errors", list}};
}

// Errors of the user go to stderr; with --json stdout carries them too, so that it is always one JSON value.
int report(const InputError& error, const Output& output) {
  for (const Diagnostic& entry : error.errors())
    std::cerr << output.error_style().error(shown_in_line(entry.text())) << '\n';
  if (output.json()) output.print(errors_as_json(error));
  return exit_bad_input;
}

// Where it stands in the help of the program.
std::string group_of(const Command& command) {
  constexpr std::pair<int, const char*> groups[] = {
      {30, "Models"}, {40, "Modes, stiffness, linear models"}, {53, "Motion, drives, controllers"}, {70, "Results"}};
  for (const auto& [end, name] : groups)
    if (command.rank < end) return name;
  return "Examples, other formats, this installation";
}

}  // namespace

CommandRegistration::CommandRegistration(Command command) { registry().push_back(std::move(command)); }

const std::vector<Command>& commands() {
  std::vector<Command>& all = registry();
  std::sort(all.begin(), all.end(), [](const Command& a, const Command& b) { return a.rank < b.rank; });
  return all;
}

CommandLine::CommandLine(const std::vector<std::string_view>* words)
    : parser("Flexible multibody dynamics: a mechanism in one model file -> frequencies and motion.", "lithe") {
  parser.formatter(std::make_shared<Help>());  // commands take that of the parser
  parser.set_version_flag("--version", "lithe " LITHE_VERSION);
  parser.require_subcommand(1);
  parser.footer("Examples:\n  lithe check arm.toml\n  lithe modes arm.toml --count 10\n  lithe modes --help\n");
  for (const Command& command : commands()) {
    CLI::App* subcommand = parser.add_subcommand(command.name, command.summary)->group(group_of(command));
    if (words != nullptr && std::find(words->begin(), words->end(), command.name) == words->end()) continue;
    subcommand->footer("Examples:\n" + command.examples);
    subcommand->add_flag("--json", json, "Print results as JSON");
    CommandOptions options(*subcommand);
    Action command_action = command.set_up(options);
    subcommand->callback([this, command_action] { action = command_action; });
  }
}

namespace {

bool asks_for_json(int argc, const char* const* argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

int report_usage(int argc, const char* const* argv, const CommandLine& line, const CLI::ParseError& error) {
  if (argc < 2) {
    std::cerr << line.parser.help();
    return exit_bad_input;
  }
  std::string what = usage_error(argc, argv, line.parser, error);
  what += what.back() == '?' ? " See" : "; see";
  const std::string message = cat(what, " 'lithe ", given_command(line.parser), "--help'.");
  std::cerr << "lithe: " << message << '\n';
  if (asks_for_json(argc, argv)) Output(true).print(errors_as_json(InputError(message)));
  return exit_bad_input;
}

int report_failure(const std::string& message, const Output& output) {
  std::cerr << output.error_style().error(cat("lithe: error: ", shown_in_line(message))) << '\n';
  if (output.json()) output.print(errors_as_json(InputError(message)));
  return exit_failed;
}

// For commands that say on stderr alone why there is no result.
void print_said(std::string text, int code, const Output& output) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (code == exit_ok) output.print(nlohmann::json{{"ok", true}});
  if (code != exit_ok) output.print(errors_as_json(InputError(text)));
}

// What a signal has ended early may have failed by it: the signal is the reason then.
int with_interrupt(int code) { return interrupted() ? interrupt_exit_code() : code; }

int run_command(int argc, const char* const* argv, const ShownStreams& streams) {
  CommandLine line(std::vector<std::string_view>(argv, argv + argc));
  try {
    line.parser.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return line.parser.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return report_usage(argc, argv, line, error);
  }
  const Output output(line.json || asks_for_json(argc, argv));  // an option without its value may have taken the word
  const FilesOfRun files;
  try {
    const int code = line.action(output);
    if (output.json() && !streams.any_output()) print_said(streams.errors(), code, output);
    return with_interrupt(code);
  } catch (const ComputationError& error) {
    return with_interrupt(report_failure(failure_text(error), output));
  } catch (const InputError& error) {
    return with_interrupt(report(error, output));
  } catch (const std::bad_alloc&) {
    return with_interrupt(report_failure("not enough memory", output));
  } catch (const std::exception& error) {
    return with_interrupt(report_failure(failure_text(error), output));
  }
}

}  // namespace

// What was printed may be the result itself (`lithe reference > file`), so that a full disk is a failure there, too.
int run_command_line(int argc, const char* const* argv) {
  handle_signals();
  const ShownStreams streams;
  errno = 0;
  const int code = run_command(argc, argv, streams);
  const bool printed = std::cout.flush().good();
  if (printed) return code;
  const std::string reason = errno == 0 ? std::string() : cat(": ", std::strerror(errno));
  std::cerr << Output(false).error_style().error(cat("lithe: error: cannot write to the standard output", reason))
            << '\n';
  return code == exit_ok ? exit_failed : code;
}

}  // namespace lithe::app
