// Completion scripts, written from the same description of commands and options that the parser uses.
#include <map>
#include <sstream>

#include "app/program/command_line.h"
#include "app/program/embedded.h"
#include "app/reproduce/reproduce.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

struct CommandWords {
  std::string name, summary;
  std::vector<std::pair<std::string, std::string>> options;  // "--json" and its sentence
  std::vector<std::string> choices;                          // of its positional argument
  std::map<std::string, std::vector<std::string>> values;    // of options with a list of words
};

const std::vector<std::string> shells = {"bash", "zsh", "fish"};

// The words of an option that takes one of a list, which the parser shows as "TEXT:{one,two}".
std::vector<std::string> words_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.rfind('}');
  std::vector<std::string> words;
  if (open == std::string::npos || close == std::string::npos || close < open) return words;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

std::vector<std::string> positional_words(const std::string& command) {
  if (command == "completion") return shells;
  if (command == "example") return example_names();
  if (command == "reproduce") return reproduce_names();
  return {};
}

std::vector<CommandWords> all_words() {
  CommandLine line;
  std::vector<CommandWords> result;
  for (const CLI::App* command : line.parser.get_subcommands({})) {
    CommandWords words{command->get_name(), command->get_description(), {}, {}, {}};
    words.choices = positional_words(words.name);
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        words.options.emplace_back("--" + name, option->get_description());
        if (std::vector<std::string> list = words_of(*option); !list.empty()) words.values["--" + name] = list;
      }
      for (const std::string& name : option->get_snames())
        words.options.emplace_back("-" + name, option->get_description());
    }
    result.push_back(words);
  }
  return result;
}

std::vector<std::string> option_names(const CommandWords& command) {
  std::vector<std::string> names;
  for (const auto& [name, sentence] : command.options) names.push_back(name);
  return names;
}

std::vector<std::string> command_names(const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  for (const CommandWords& command : commands) names.push_back(command.name);
  return names;
}

// Cases of a shell's `case` over the command and the word before: lines that set `values`.
std::string value_cases(const std::vector<CommandWords>& commands) {
  std::string text;
  for (const CommandWords& command : commands)
    for (const auto& [option, words] : command.values)
      text += cat("    '", command.name, " ", option, "') values='", joined(words, " "), "' ;;\n");
  return text;
}

// Cases of a shell's `case` over the command: lines that set `options` and `choices`.
std::string command_cases(const std::vector<CommandWords>& commands) {
  std::string text;
  for (const CommandWords& command : commands) {
    text += cat("    ", command.name, ") options='", joined(option_names(command), " "), "' choices='",
                joined(command.choices, " "), "' ;;\n");
  }
  return text;
}

std::string bash_script(const std::vector<CommandWords>& commands) {
  return cat(R"(# bash completion of lithe: source <(lithe completion bash)
_lithe() {
  local word=${COMP_WORDS[COMP_CWORD]} options choices values
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W ')",
             joined(command_names(commands), " "), R"( --help --version' -- "$word")
    return
  fi
  case ${COMP_WORDS[1]} in
)",
             command_cases(commands), R"(  esac
  case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}" in
)",
             value_cases(commands), R"(  esac
  if [ -n "$values" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [ -n "$choices" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _lithe lithe
)");
}

std::string zsh_script(const std::vector<CommandWords>& commands) {
  return cat(R"(#compdef lithe
# zsh completion of lithe: lithe completion zsh > a folder of $fpath, as _lithe
_lithe() {
  local options choices values
  if (( CURRENT == 2 )); then
    compadd -- )",
             joined(command_names(commands), " "), R"( --help --version
    return
  fi
  case $words[2] in
)",
             command_cases(commands), R"(  esac
  case "$words[2] $words[CURRENT-1]" in
)",
             value_cases(commands), R"(  esac
  if [[ -n $values ]]; then
    compadd -- ${=values}
  elif [[ $words[CURRENT] == -* ]]; then
    compadd -- ${=options}
  elif [[ -n $choices ]]; then
    compadd -- ${=choices}
  else
    _files
  fi
}
if [[ $funcstack[1] == _lithe ]]; then _lithe "$@"; else compdef _lithe lithe; fi
)");
}

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "'";
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string text = "# fish completion of lithe: lithe completion fish | source\n";
  for (const CommandWords& command : commands) {
    text += cat("complete -c lithe -n __fish_use_subcommand -f -a ", command.name, " -d ", fish_quoted(command.summary),
                "\n");
    const std::string when = cat("complete -c lithe -n '__fish_seen_subcommand_from ", command.name, "' ");
    for (const auto& [name, sentence] : command.options) {
      const bool is_long = name.rfind("--", 0) == 0;
      const auto values = command.values.find(name);
      text += cat(when, is_long ? "-l " : "-s ", name.substr(is_long ? 2 : 1), " -d ", fish_quoted(sentence),
                  values == command.values.end() ? std::string() : " -x -a " + fish_quoted(joined(values->second, " ")),
                  "\n");
    }
    if (!command.choices.empty()) text += cat(when, "-f -a ", fish_quoted(joined(command.choices, " ")), "\n");
  }
  return text;
}

int print_completion(const std::string& shell, const Output& output) {
  const std::vector<CommandWords> commands = all_words();
  const std::string script = shell == "bash"  ? bash_script(commands)
                             : shell == "zsh" ? zsh_script(commands)
                                              : fish_script(commands);
  if (output.json()) {
    output.print(nlohmann::json{{"shell", shell}, {"script", script}});
  } else {
    output.print(script);
  }
  return exit_ok;
}

const CommandRegistration registration(
    {.name = "completion",
     .rank = 95,
     .summary = "Completion script for a shell",
     .examples = "  source <(lithe completion bash)\n  lithe completion fish | source\n",
     .set_up = [](CommandOptions& command) -> Action {
       auto shell = std::make_shared<std::string>();
       command.add_option("SHELL", *shell, "bash, zsh or fish").required().one_of(shells);
       return [shell](const Output& output) { return print_completion(*shell, output); };
     }});

}  // namespace
}  // namespace lithe::app
