#include "lithe/base/diagnostics.h"

namespace lithe {
namespace {

std::string joined(const std::vector<Diagnostic>& errors) {
  std::string result;
  for (const Diagnostic& error : errors) {
    if (!result.empty()) result += '\n';
    result += error.text();
  }
  return result;
}

}  // namespace

std::string Diagnostic::text() const {
  std::string place = file;
  if (line > 0) place += ':' + std::to_string(line) + ':' + std::to_string(column);
  return (place.empty() ? "" : place + ": ") + "error: " + message;
}

InputError::InputError(std::vector<Diagnostic> errors)
    : std::runtime_error(joined(errors)), errors_(std::move(errors)) {}

InputError::InputError(const std::string& message)
    : InputError(std::vector<Diagnostic>{{.file = {}, .line = 0, .column = 0, .path = {}, .message = message}}) {}

}  // namespace lithe
