#include "app/program/help.h"

#include <sstream>

namespace lithe::app {
namespace {

constexpr std::size_t width = 100;  // columns of a line
constexpr std::size_t column = 30;  // where descriptions begin: the width of CLI11's first column

// Descriptions go on below their beginning.
std::string wrapped(std::string line) {
  const std::size_t indentation = line.rfind("  ", 0) == 0 ? column : 0;
  std::string text;
  while (line.size() > width) {
    const std::size_t at = line.rfind(' ', width);
    if (at == std::string::npos || at <= indentation) break;
    text += line.substr(0, at) + "\n";
    line = std::string(indentation, ' ') + line.substr(at + 1);
  }
  return text + line;
}

}  // namespace

std::string Help::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::istringstream lines(CLI::Formatter::make_help(app, std::move(name), mode));
  std::string text, line;
  bool examples = false;  // to be copied as they are
  while (std::getline(lines, line)) {
    examples = examples || line == "Examples:";
    text += (examples ? line : wrapped(line)) + "\n";
  }
  return text;
}

}  // namespace lithe::app
