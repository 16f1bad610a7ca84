#include "app/terminal/consent.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lithe/base/diagnostics.h"
#include "lithe/base/text.h"
#include "lithe/control/external_process.h"

namespace lithe::app {
namespace {

namespace fs = std::filesystem;

// Set while the command line is read, never after.
struct Consent {
  bool commands = false, outside_files = false;
};

Consent& given() {
  static Consent consent;
  return consent;
}

// $XDG_CONFIG_HOME/lithe/trusted_folders, by default in ~/.config; empty where there is no home.
fs::path trusted_folders_file() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  const fs::path configuration = variable("XDG_CONFIG_HOME"), home = variable("HOME");
  if (configuration.is_absolute()) return configuration / "lithe" / "trusted_folders";
  return home.is_absolute() ? home / ".config" / "lithe" / "trusted_folders" : fs::path();
}

// A list that somebody else could have written is not the user's own.
bool is_users_own(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return (status.st_uid == geteuid() || status.st_uid == 0) && (status.st_mode & S_IWOTH) == 0;
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  const auto [at, other] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at == folder.end();
}

// Whether the real folder of the file, or one above it, is in the user's list.
bool is_trusted(const std::string& file) {
  std::error_code status;
  const fs::path list = trusted_folders_file(), model = fs::canonical(file, status);
  if (status || list.empty() || !is_users_own(list)) return false;
  std::ifstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || line.front() != '/') continue;  // notes, and what depends on where one is
    const fs::path folder = fs::canonical(line, status);
    if (!status && lies_below(model.parent_path(), folder)) return true;
  }
  return false;
}

// Words as a shell would take them.
std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_-./=:,+@%") == std::string::npos;
    if (!text.empty()) text += ' ';
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    text += '\'';
  }
  return text;
}

std::string address_of(const ExternalSetup& external) {
  if (external.port > 0) return cat("127.0.0.1:", external.port);
  return external.socket_path.empty() ? "" : cat("unix:", external.socket_path);
}

std::string what_it_does(const ExternalSetup& external) {
  const std::string address = address_of(external);
  if (external.command.empty()) return cat("connects to ", address);
  return cat("starts a program", address.empty() ? "" : cat(" and connects to ", address), ": ",
             shell_text(external.command));
}

Diagnostic refusal(const ControllerSetup& setup) {
  const fs::path list = trusted_folders_file();
  return {.file = setup.place.file,
          .line = setup.place.line,
          .column = setup.place.column,
          .path = {},
          .message = cat("controller '", setup.name, "' ", what_it_does(setup.external),
                         " (--allow-commands allows it, or the model's folder in ",
                         list.empty() ? "the list of trusted folders" : list.string(), ")")};
}

}  // namespace

void add_consent(CommandOptions& command) {
  command.add_flag("--allow-commands", given().commands,
                   "Let the model start the programs of its external controllers, and connect to them");
  command.add_flag("--allow-outside-files", given().outside_files,
                   "Let the model read tables, matrices, meshes and robots outside its folder");
}

void add_model_file(CommandOptions& command, std::string& file) {
  command.add_option("FILE", file, "Model file (TOML)").required();
  add_consent(command);
}

ReadOptions read_options(const std::string& file) {
  return {.outside_files = given().outside_files || is_trusted(file)};
}

std::vector<ExternalUse> external_uses(const Model& model) {
  std::vector<ExternalUse> uses;
  if (!model.control) return uses;
  const ControlSetup& control = *model.control;
  for (std::size_t i = 0; i < control.controllers.size(); ++i) {
    const ControllerSetup& setup = control.controllers[i];
    const int index = static_cast<int>(i);
    if (setup.kind == ControllerKind::external)
      uses.push_back({index, setup.name, shell_text(setup.external.command), address_of(setup.external),
                      std::find(control.active.begin(), control.active.end(), index) != control.active.end()});
  }
  return uses;
}

std::string external_text(const Model& model) {
  std::string text;
  for (const ExternalUse& use : external_uses(model)) {
    const ControllerSetup& setup = model.control->controllers[static_cast<std::size_t>(use.controller)];
    text += cat("controller '", use.name, "' ", what_it_does(setup.external), "\n");
  }
  return text;
}

nlohmann::json programs_json(const Model& model) {
  nlohmann::json list = nlohmann::json::array();
  for (const ExternalUse& use : external_uses(model)) {
    const ControllerSetup& setup = model.control->controllers[static_cast<std::size_t>(use.controller)];
    list.push_back({{"controller", use.name},
                    {"command", setup.external.command},
                    {"address", use.address.empty() ? nlohmann::json() : nlohmann::json(use.address)},
                    {"active", use.active}});
  }
  return list;
}

void require_consent(const Model& model, const std::vector<int>& controllers) {
  std::vector<Diagnostic> refused;
  for (const ExternalUse& use : external_uses(model))
    if (std::find(controllers.begin(), controllers.end(), use.controller) != controllers.end())
      refused.push_back(refusal(model.control->controllers[static_cast<std::size_t>(use.controller)]));
  if (!refused.empty() && !given().commands && !is_trusted(model.file)) throw InputError(std::move(refused));
}

std::unique_ptr<Controller> make_allowed_controller(const ControllerSetup& setup) {
  if (!given().commands && !is_trusted(setup.place.file)) throw InputError({refusal(setup)});
  return make_external_controller(setup);
}

}  // namespace lithe::app
