#include "lithe/base/diagnostics.h"

namespace lithe {
namespace {

std::string joined(const std::vector<InputMistake>& mistakes) {
  std::string result;
  for (const InputMistake& mistake : mistakes) {
    if (!result.empty()) result += '\n';
    result += mistake.text();
  }
  return result;
}

}  // namespace

std::string InputMistake::text() const {
  std::string place = file;
  if (line > 0) place += ':' + std::to_string(line) + ':' + std::to_string(column);
  return (place.empty() ? "" : place + ": ") + "error: " + message;
}

InputError::InputError(std::vector<InputMistake> mistakes)
    : std::runtime_error(joined(mistakes)), mistakes_(std::move(mistakes)) {}

InputError::InputError(const std::string& message)
    : InputError(std::vector<InputMistake>{{.file = {}, .line = 0, .column = 0, .path = {}, .message = message}}) {}

}  // namespace lithe
