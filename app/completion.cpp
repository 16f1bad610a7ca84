// Completion scripts, written from the same description of verbs and options that the parser uses.
#include <map>

#include "app/command_line.h"
#include "lithe/base/text.h"

namespace lithe::app {
namespace {

struct CommandWords {
  std::string name, summary;
  std::vector<std::pair<std::string, std::string>> options;  // "--json" and its sentence
  std::vector<std::string> choices;                          // of its positional argument
};

const std::vector<std::string> shells = {"bash", "zsh", "fish"};

std::vector<CommandWords> all_words() {
  CommandLine line;
  std::vector<CommandWords> result;
  for (const CLI::App* command : line.parser.get_subcommands({})) {
    CommandWords words{command->get_name(), command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames())
        words.options.emplace_back("--" + name, option->get_description());
      for (const std::string& name : option->get_snames())
        words.options.emplace_back("-" + name, option->get_description());
    }
    if (words.name == "completion") words.choices = shells;
    result.push_back(words);
  }
  return result;
}

std::vector<std::string> option_names(const CommandWords& command) {
  std::vector<std::string> names;
  for (const auto& [name, sentence] : command.options) names.push_back(name);
  return names;
}

std::vector<std::string> verb_names(const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  for (const CommandWords& command : commands) names.push_back(command.name);
  return names;
}

// Cases of a shell's `case` over the verb: lines that set `options` and `choices`.
std::string verb_cases(const std::vector<CommandWords>& commands) {
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
  local word=${COMP_WORDS[COMP_CWORD]} options choices
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W ')",
             joined(verb_names(commands), " "), R"( --help --version' -- "$word")
    return
  fi
  case ${COMP_WORDS[1]} in
)",
             verb_cases(commands), R"(  esac
  if [[ $word == -* ]]; then
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
  local options choices
  if (( CURRENT == 2 )); then
    compadd -- )",
             joined(verb_names(commands), " "), R"( --help --version
    return
  fi
  case $words[2] in
)",
             verb_cases(commands), R"(  esac
  if [[ $words[CURRENT] == -* ]]; then
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
      text += cat(when, is_long ? "-l " : "-s ", name.substr(is_long ? 2 : 1), " -d ", fish_quoted(sentence), "\n");
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

const VerbRegistration registration(
    {.name = "completion",
     .rank = 95,
     .summary = "Completion script for a shell",
     .examples = "  source <(lithe completion bash)\n  lithe completion fish | source\n",
     .set_up = [](Command& command) -> Action {
       auto shell = std::make_shared<std::string>();
       command.add_option("SHELL", *shell, "bash, zsh or fish").required().one_of(shells);
       return [shell](const Output& output) { return print_completion(*shell, output); };
     }});

}  // namespace
}  // namespace lithe::app
